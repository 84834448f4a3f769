"""The data folder for the commands that look after it, whether or not a server runs on it."""

import json
import socket
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ttt_server.cli.console import CommandParser, Progress
from ttt_server.config.options import Config, InvalidConfig, load
from ttt_server.endpoints.control import short_path
from ttt_server.storage import DATABASE, MEMORY, is_postgres
from ttt_server.storage.base import CannotOpen, StorageFailed

OnProgress = Callable[[int, int], None]


def add_folder(parser: CommandParser) -> None:
    """Add the options that name the data folder."""
    parser.option("--data DIR", "the server's data folder (default: as for the server)")
    parser.option("--config FILE", "the server's TOML file of options")


def add_store(parser: CommandParser) -> None:
    """Add the options that name the store."""
    parser.option("--data DIR", "the data folder, as for the server")
    parser.option("--store URL", "the store, as for the server")
    parser.option("--config FILE", "the TOML file of options, as for the server")


def read_config(asked: Namespace) -> Config:
    """Return the server's options.

    Raises:
        InvalidConfig: naming the option and its fault.
    """
    given = vars(asked)
    flags = {name: given[name] for name in ("data", "store") if given.get(name)}
    return load(flags, asked.config)


def config_of(asked: Namespace) -> Config:
    """Return the same, of a server with a store that outlives it."""
    config = read_config(asked)
    require_kept(config)
    return config


def require_kept(config: Config) -> None:
    """Check that the store outlives the server.

    Raises:
        InvalidConfig: if it does not.
    """
    if config.store == MEMORY:
        raise InvalidConfig("--store: a server with memory: keeps nothing")


def require_folder(config: Config, instead: str) -> None:
    """Check that the store is in the data folder. `instead`: what to do where it is not.

    Raises:
        InvalidConfig: if it is another one.
    """
    require_kept(config)
    if is_postgres(config.store):
        raise InvalidConfig(f"--store: this works on a data folder; in PostgreSQL {instead}")


def backup_of_running(folder: Path, on_progress: OnProgress) -> Path | None:
    """Have the server of this folder make a backup in it; `None` if no server runs.

    Raises:
        StorageFailed: if it could not make one.
    """
    try:
        with socket.socket(socket.AF_UNIX) as connection, short_path(folder) as path:
            connection.connect(path)
            connection.sendall(b'{"command": "backup"}\n')
            with connection.makefile("rb") as answers:
                return folder / _name_of_backup(answers, on_progress)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise StorageFailed(f"{folder}: {error.strerror}") from None


def _name_of_backup(answers: Iterable[bytes], on_progress: OnProgress) -> str:
    """Read the answers of a server that makes a backup, up to the name of its file.

    Raises:
        StorageFailed: if it could not make one.
    """
    for line in answers:
        answer: dict[str, Any] = json.loads(line)
        if "file" in answer:
            return str(answer["file"])
        if "error" in answer:
            raise StorageFailed(answer["error"])
        on_progress(answer["done"], answer["total"])
    raise StorageFailed("the server ended before the backup")


def existing_database(folder: Path) -> Path:
    """Return the path of the database in a data folder.

    Raises:
        CannotOpen: if there is none, or it is out of reach.
    """
    path = folder / DATABASE
    try:
        if path.exists():
            return path
    except OSError as error:
        raise CannotOpen(f"{path}: {error.strerror}") from None
    raise CannotOpen(f"{path}: there is no database")


@contextmanager
def database_in(folder: Path) -> Iterator[Path]:
    """Find the database of a data folder: a backup of it, if a server runs there.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator.
    """
    with Progress(1, "pages") as progress:
        backup = backup_of_running(folder, progress.show)
    if backup is None:
        yield existing_database(folder)
        return
    try:
        yield backup
    finally:
        remove_database(backup)


def remove_database(path: Path) -> None:
    """Remove a database, and what SQLite keeps beside it."""
    for beside in ("", "-journal", "-wal", "-shm"):
        path.with_name(f"{path.name}{beside}").unlink(missing_ok=True)
