"""`ttt-server backup`: one file with all rooms and the secret, also while the server runs."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from ttt_protocol.text import counted
from ttt_server.cli import data
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, tell
from ttt_server.config.options import Config
from ttt_server.rooms.tokens import read_secret
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite.backup import copy_database
from ttt_server.storage.sqlite.files import sync_folder
from ttt_server.storage.sqlite.opening import one_line
from ttt_server.storage.sqlite.preflight import look

PROGRAM = "ttt-server backup"

_DESCRIPTION = """Copy the rooms and the secret of their seats to one file, as they are at one
moment. A server that runs on the folder makes the copy itself, at a pace that players do not feel.
The file opens all seats: keep it as you keep the data folder."""


@command(PROGRAM)
def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = CommandParser(PROGRAM, _DESCRIPTION)
    parser.option("file FILE", "the backup; it must not exist", type=Path)
    data.add_folder(parser)
    asked = parser.parse_args(arguments)
    config = data.config_of(asked)
    data.require_folder(config, "pg_dump makes backups")
    size = back_up(config, asked.file)
    return tell(PROGRAM, f"{asked.file}: {counted(size, 'byte')}")


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
