"""`ttt-server import`: takes the games of an export into the rooms that they are of."""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TextIO

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire
from ttt_protocol.exports import InvalidExport, read_games
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import RoomName
from ttt_server.cli.console import FAILED, WRONG_USAGE, Parser, fail, tell, warn
from ttt_server.cli.data import add_folder, config_of
from ttt_server.cli.games.reading import read_games_of
from ttt_server.cli.progress import Progress
from ttt_server.config import Config, InvalidConfig
from ttt_server.core.errors import InvalidLog
from ttt_server.core.imported_games import CannotImport, imported, missing_games
from ttt_server.core.room import Room
from ttt_server.core.saved_room import SNAPSHOT_EVENTS
from ttt_server.core.transition import Transition
from ttt_server.rooms.event_log import Entry
from ttt_server.rooms.tokens import make_secret, read_secret
from ttt_server.storage import has_rooms, open_store
from ttt_server.storage.base import CannotOpen, Conflict, EventStore, Snapshot, StorageFailed

PROGRAM = "ttt-server import"

_DESCRIPTION = """Takes the games of an export, in either of its forms, into the rooms that they are
of. A room that has games of its own stays as it is. Games that are there already are passed over,
and so the command may be run again. No server may run on the same folder meanwhile."""


@dataclass(slots=True)
class _Counts:
    """The result of an import."""

    added: int = 0
    passed_over: int = 0
    unfinished: int = 0
    rooms: int = 0
    refused: int = 0


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = Parser(prog=PROGRAM, description=_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", type=Path, help="an export; - is standard input")
    add_folder(parser)
    asked = parser.parse_args(arguments)
    try:
        counts = asyncio.run(import_file(config_of(asked), asked.file))
    except InvalidConfig as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    except (CannotOpen, StorageFailed) as error:
        return fail(PROGRAM, error, FAILED)
    told = f"{counts.added} games added to {counts.rooms} rooms"
    if counts.passed_over:
        told += f", {counts.passed_over} were there already"
    if counts.unfinished:
        told += f", {counts.unfinished} unfinished left out"
    if counts.refused:
        return fail(PROGRAM, CannotImport(f"{told}, {counts.refused} rooms refused"), FAILED)
    return tell(PROGRAM, told)


async def import_file(config: Config, file: Path) -> _Counts:
    """Add the games of the file to their rooms, each room in one write.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator; whole rooms may be added.
    """
    counts = _Counts()
    with _opened(file) as (lines, size):
        is_new = config.secret is None and not has_rooms(config.store, config.data)
        store = open_store(config.store, config.data)
        if is_new and read_secret(secret := config.data / "secret") is None:
            make_secret(secret)  # a server refuses rooms without one
        try:
            with Progress(size, "bytes", time.monotonic) as progress:
                games = read_games(_counted(lines, progress))
                for room, of_room in groupby(games, key=lambda game: game.room):
                    await _add(store, room, list(of_room), counts)
        except InvalidExport as error:
            raise CannotOpen(f"{file}: {error}; {counts.added} games were added") from None
        finally:
            await store.close()
    return counts


async def _add(
    store: EventStore, name: RoomName, games: Sequence[ExportedGame], counts: _Counts
) -> None:
    finished = [game for game in games if game.is_over]
    counts.unfinished += len(games) - len(finished)
    try:
        room, kept = await read_games_of(store, name)
        new = missing_games(kept, finished)
        counts.passed_over += len(finished) - len(new)
        if new:
            await _keep(store, room, imported(room, new))
            counts.added += len(new)
            counts.rooms += 1
    except (CannotImport, InvalidLog, InvalidWire, EngineError) as error:
        counts.refused += 1
        warn(PROGRAM, f"room {name} {error}")


async def _keep(store: EventStore, room: Room, steps: Sequence[Transition]) -> None:
    """Keep all steps of a room, in one write where the store can.

    Raises:
        StorageFailed: if that failed.
    """
    waiting: list[asyncio.Future[None]] = []
    entries, seq, saved = [], room.seq + 1, room.seq
    for step in steps:
        done = asyncio.get_running_loop().create_future()
        snapshot = None
        if step.after.seq - saved >= SNAPSHOT_EVENTS:
            saved, snapshot = step.after.seq, Snapshot.of(step.after)
        then = partial(_tell, done)
        entries.append(Entry(room.name, seq, step.events, step.lesson, snapshot, then))
        waiting.append(done)
        seq = step.after.seq + 1
    store.append(entries)
    try:
        await asyncio.gather(*waiting)
    except Conflict as error:
        raise StorageFailed(str(error)) from None


def _tell(done: asyncio.Future[None], error: Exception | None) -> None:
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[TextIO, int]]:
    """Open the file, and tell its size in bytes; 0 if that is not known.

    Raises:
        CannotOpen: if it cannot be read.
    """
    if str(file) == "-":
        yield sys.stdin, 0
        return
    try:
        with file.open(encoding="utf-8") as lines:
            yield lines, file.stat().st_size
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "this is no text"
        raise CannotOpen(f"{file}: {words}") from None


def _counted(lines: TextIO, progress: Progress) -> Iterator[str]:
    for line in lines:
        yield line
        progress.advance(len(line))
