"""The command: read the arguments, copy with a progress bar, and compare what was written."""

from contextlib import AbstractContextManager
from pathlib import Path

from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, tell
from ttt_server.cli.copying.ends import Destination, Digest, Source
from ttt_server.cli.copying.sqlite import sqlite_source, sqlite_target
from ttt_server.config.options import InvalidConfig
from ttt_server.storage import is_postgres, require_asyncpg
from ttt_server.storage.base import CannotOpen

PROGRAM = "ttt-server copy"

_SQLITE = "sqlite://"

_DESCRIPTION = """Copy a whole installation, also one of version 0.1: all rooms and events, all
persons, what the learner knows, and the secret of the tokens. FROM and TO are sqlite:///PATH, a
database file with the secret beside it, or postgresql://USER@HOST/DATABASE. TO must have no rooms
and no persons, and no server may run on it. FROM is not changed. The copy is read again and
compared. If it is interrupted, TO is as it was."""


@command(PROGRAM, _DESCRIPTION, failed=(OSError,))
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("source FROM", "the store that is copied")
    parser.option("target TO", "the store that is filled")
    asked = parser.parse_args(arguments)
    copied = copy(asked.source, asked.target)
    rooms, events = counted(copied.rooms, "room"), counted(copied.events, "event")
    people = f", {counted(copied.people, 'person')}" if copied.people else ""
    return tell(PROGRAM, f"{rooms}, {events}{people} copied and compared")


def copy(from_: str, to: str) -> Digest:
    """Copy one store to the other; return what was copied.

    Raises:
        InvalidConfig: if one of them is no store that can be copied.
        CannotOpen: with one line for the operator; nothing is copied then.
    """
    read, found = Digest(), Digest()
    with _ends(from_)[0] as source:
        with _ends(to)[1] as target:
            with Progress(source.count(), "rooms") as progress:
                for whole in source.rooms():
                    read.add(whole)
                    target.add(whole)
                    progress.advance(1)
            _fill(source, read, target)
        with _ends(to)[0] as written:
            for whole in written.rooms():
                found.add(whole)
            _fill(written, found)
    if not found.is_same_as(read):
        raise CannotOpen(f"{to}: what was written is not what was read: do not use it")
    return read


def _fill(source: Source, *targets: Destination) -> None:
    """Copy what there is beside the rooms."""
    for some in source.people():
        for target in targets:
            target.add_people(some)
    rest = source.rest()
    for target in targets:
        target.finish(rest)


def _ends(url: str) -> tuple[AbstractContextManager[Source], AbstractContextManager[Destination]]:
    """Return what opens a store to copy it, and what opens it to fill it."""
    if is_postgres(url):
        require_asyncpg()
        from ttt_server.cli.copying.postgres import postgres_source, postgres_target

        return postgres_source(url), postgres_target(url)
    if not url.startswith(f"{_SQLITE}/") or url == f"{_SQLITE}/":
        raise InvalidConfig(f"{url}: must be sqlite:///PATH or postgresql://USER@HOST/DATABASE")
    path = Path(url.removeprefix(_SQLITE))
    return sqlite_source(path), sqlite_target(path)
