"""`ttt-server backup` and `ttt-server restore`: all rooms and the secret in one file, and back.

A backup is made while the server runs, too.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ttt_protocol.text import counted
from ttt_server.cli import data
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, tell, warn
from ttt_server.config.options import Config
from ttt_server.endpoints.control import SOCKET
from ttt_server.rooms.tokens import read_secret, write_secret
from ttt_server.storage import DATABASE
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite.backup import copy_database, require_backup, unpack
from ttt_server.storage.sqlite.opening import one_line, sync_folder
from ttt_server.storage.sqlite.preflight import Unfit, look, require_free

BACKUP = "ttt-server backup"
RESTORE = "ttt-server restore"

_ABOUT_BACKUP = """Copy the rooms and the secret of their seats to one file, as they are at one
moment. A server that runs on the folder makes the copy itself, at a pace that players do not feel.
The file opens all seats: keep it as you keep the data folder."""

_ABOUT_RESTORE = """Make a data folder as it was at the time of a backup. A server that is started
on it then goes on with all rooms and with the same tokens. No server may run on the folder."""

_KEPT = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "secret")


@command(BACKUP, _ABOUT_BACKUP)
def run_backup(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("file FILE", "the backup; it must not exist", type=Path)
    data.add_folder(parser)
    asked = parser.parse_args(arguments)
    config = data.config_of(asked)
    data.require_folder(config, "pg_dump makes backups")
    size = back_up(config, asked.file)
    return tell(BACKUP, f"{asked.file}: {counted(size, 'byte')}")


def back_up(config: Config, file: Path) -> int:
    """Make the backup, and return its size in bytes.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator; there is no new file.
    """
    if file.exists():
        raise CannotOpen(f"{file} exists already")
    with Progress(1, "pages") as progress:
        made = data.backup_of_running(config.data, progress.show)
        if made is None:
            made = _copy_of_stopped(config, file.with_name(f"{file.name}.partial"), progress.show)
    with one_line(file):
        try:
            return _move(made, file)
        except OSError:
            made.unlink(missing_ok=True)
            raise


def _copy_of_stopped(config: Config, file: Path, on_progress: data.OnProgress) -> Path:
    """Copy a database that no server has open."""
    path = data.existing_database(config.data)
    with one_line(path):
        look(path)
        secret = None if config.secret is not None else read_secret(config.data / "secret")
        file.unlink(missing_ok=True)
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as source:
            copy_database(source, file, secret, pause=lambda _: None, on_progress=on_progress)
    return file


def _move(made: Path, file: Path) -> int:
    """Move the backup to its place, where there is all of it or nothing."""
    aside = file.with_name(f"{file.name}.partial")
    if made != aside:
        shutil.move(made, aside)
    with aside.open("rb") as written:
        os.fsync(written.fileno())
    size = aside.stat().st_size
    aside.replace(file)
    sync_folder(file.absolute().parent)
    return size


@command(RESTORE, _ABOUT_RESTORE)
def run_restore(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("file FILE", "a backup made by `ttt-server backup`", type=Path)
    parser.flag("--replace", "move a database that is there already to a folder beside it")
    data.add_folder(parser)
    asked = parser.parse_args(arguments)
    config = data.config_of(asked)
    data.require_folder(config, "pg_restore goes on from what pg_dump made")
    has_secret = restore(config, asked.file, replace=asked.replace)
    if not has_secret and config.secret is None:
        words = "start the server with the TTT_SECRET that was in use when the backup was made"
        warn(RESTORE, f"the backup has no secret: {words}")
    return tell(RESTORE, f"{config.data} is as it was in {asked.file}")


def restore(config: Config, file: Path, *, replace: bool) -> bool:
    """Fill the data folder from a backup; return whether the backup has the secret.

    The database comes last, in one step: a kill leaves no half of it.

    Raises:
        CannotOpen: with one line for the operator.
    """
    folder = config.data
    with one_line(file):
        require_backup(file)
    with one_line(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_way(folder, replace=replace)
        aside = folder / f"{DATABASE}.new"
        aside.unlink(missing_ok=True)
        secret = unpack(file, aside)
        if secret is not None:
            write_secret(folder / "secret", secret)
        aside.replace(folder / DATABASE)
        sync_folder(folder)
    return secret is not None


def _make_way(folder: Path, *, replace: bool) -> None:
    """Move existing files to a folder beside the data folder.

    Raises:
        Unfit: if a server runs, or something is there and may not be moved.
    """
    there = [folder / name for name in _KEPT if (folder / name).exists()]
    if (folder / DATABASE).exists():
        require_free(folder / DATABASE)
    if not there:
        return
    if not replace:
        raise Unfit("there is a database already; --replace moves it to a folder beside it")
    before = folder / f"before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    before.mkdir(mode=0o700)
    for file in there:
        file.rename(before / file.name)
    (folder / SOCKET).unlink(missing_ok=True)
    sync_folder(folder)
