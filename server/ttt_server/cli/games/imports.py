"""`ttt-server import`: takes the games of an export into the rooms that they are of."""

import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TextIO

from ttt_engine import EngineError
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import InvalidWire, encode_log
from ttt_protocol.events import Ended
from ttt_protocol.exports import InvalidExport, read_games
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.cli.console import FAILED, WRONG_USAGE, Parser, fail, tell, warn
from ttt_server.cli.data import add_folder, config_of
from ttt_server.cli.games.reading import read_games_of
from ttt_server.cli.progress import Progress
from ttt_server.config.options import Config
from ttt_server.config.sources import InvalidConfig
from ttt_server.core.archive.imported_games import CannotImport, imported, missing_games
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS
from ttt_server.core.decision import Decision
from ttt_server.core.errors import InvalidLog
from ttt_server.core.lessons import lesson_of
from ttt_server.core.room import Room
from ttt_server.rooms.tokens import make_secret, read_secret
from ttt_server.storage import SQLITE, has_rooms, open_store
from ttt_server.storage.base import CannotOpen, Conflict, Entry, EventStore, Snapshot, StorageFailed

PROGRAM = "ttt-server import"

_DESCRIPTION = """Take the games of an export, in either of its forms, into the rooms that they are
of. A room that has games of its own stays as it is. Games that are there already are passed over,
and so the command may be run again. No server may run on the same folder meanwhile."""


class Importer:
    """Takes games into a store, and counts them."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.added = self.passed_over = self.unfinished = 0
        """Games that came in, were there already, and are not over."""
        self.rooms = self.refused = 0
        """Rooms that have more games now, and rooms that took none."""

    def __str__(self) -> str:
        told = f"{counted(self.added, 'game')} added to {counted(self.rooms, 'room')}"
        if self.passed_over:
            told += f", {self.passed_over} were there already"
        if self.unfinished:
            told += f", {self.unfinished} unfinished left out"
        return f"{told}, {counted(self.refused, 'room')} refused" if self.refused else told

    async def add(self, name: RoomName, games: Sequence[ExportedGame]) -> None:
        """Add the games to their room, in one write; or say on standard error why not.

        Raises:
            StorageFailed: if the store cannot be read or written.
        """
        finished = [game for game in games if game.is_over]
        self.unfinished += len(games) - len(finished)
        try:
            room, kept = await read_games_of(self._store, name)
            new = missing_games(kept, finished)
            self.passed_over += len(finished) - len(new)
            if new:
                await _keep(self._store, room, imported(room, new))
                self.added += len(new)
                self.rooms += 1
        except (CannotImport, InvalidLog, InvalidWire, EngineError) as error:
            self.refused += 1
            warn(PROGRAM, f"room {name} {error}")


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = Parser(prog=PROGRAM, description=_DESCRIPTION, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", type=Path, help="an export; - is standard input")
    add_folder(parser)
    asked = parser.parse_args(arguments)
    try:
        done = asyncio.run(import_file(config_of(asked), asked.file))
    except InvalidConfig as error:
        return fail(PROGRAM, error, WRONG_USAGE)
    except (CannotOpen, StorageFailed) as error:
        return fail(PROGRAM, error, FAILED)
    if done.refused:
        return fail(PROGRAM, CannotImport(str(done)), FAILED)
    return tell(PROGRAM, str(done))


async def import_file(config: Config, file: Path) -> Importer:
    """Add the games of the file to their rooms, each room in one write.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator; whole rooms may be added.
    """
    with _opened(file) as (lines, size):
        keeps_secret = config.secret is None and config.store == SQLITE
        is_new = keeps_secret and not has_rooms(config.store, config.data)
        store = await open_store(config.store, config.data)
        if is_new and read_secret(secret := config.data / "secret") is None:
            make_secret(secret)  # a server refuses rooms without one
        importer = Importer(store)
        try:
            with Progress(size, "bytes", time.monotonic) as progress:
                games = read_games(_counted(lines, progress))
                for room, of_room in groupby(games, key=lambda game: game.room):
                    await importer.add(room, list(of_room))
        except InvalidExport as error:
            added = counted(importer.added, "game")
            raise CannotOpen(f"{file}: {error}; {added} added before it") from None
        finally:
            await store.close()
    return importer


async def _keep(store: EventStore, room: Room, steps: Sequence[Decision]) -> None:
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
        entries.append(
            Entry(room.name, seq, encode_log(step.events), _lesson(step), snapshot, then)
        )
        waiting.append(done)
        seq = step.after.seq + 1
    store.append(entries)
    try:
        await asyncio.gather(*waiting)
    except Conflict as error:
        raise StorageFailed(str(error)) from None


def _lesson(step: Decision) -> Lesson | None:
    [ended] = [event for event in step.events if isinstance(event, Ended)]
    return lesson_of(step.after, ended)


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
