"""`ttt-server import`: take the games of a file into the rooms that they are of."""

import asyncio
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TextIO

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire, encode_log
from ttt_protocol.exports import MOST_IN_LINE, InvalidExport, read_games
from ttt_protocol.exports.notation import MOST_ON_WIRE, board_name
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, tell, warn
from ttt_server.cli.data import add_folder, config_of
from ttt_server.cli.games.reading import parse_room, read_games_of
from ttt_server.cli.progress import Progress
from ttt_server.concurrency.callback_future import CallbackFuture
from ttt_server.config.options import Config
from ttt_server.core.archive.imported_games import CannotImport, imported, missing_games
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import Decision
from ttt_server.core.room import Room
from ttt_server.rooms.tokens import make_secret, read_secret
from ttt_server.storage import SQLITE, has_rooms, open_store
from ttt_server.storage.base import CannotOpen, Conflict, Entry, EventStore, Snapshot, StorageFailed

PROGRAM = "ttt-server import"

_STDIN = Path("-")

_DESCRIPTION = """Take the games of an export, or those of another program as .psq, SGF or column
strings, into their rooms. A room that has games of its own stays as it is. Games that are there
already are passed over, and so the command may be run again. No server may run on the same folder
meanwhile."""


class Importer:
    """Adds games to a store, and counts them. The first valid game opens the store."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._store: EventStore | None = None
        self.added = self.passed_over = self.unfinished = 0
        """Games that were added, were there already, and are unfinished."""
        self.rooms = self.refused = 0
        """Rooms that got games, and rooms that were refused."""

    def __str__(self) -> str:
        told = f"{counted(self.added, 'game')} added to {counted(self.rooms, 'room')}"
        if self.passed_over:
            told += f", {self.passed_over} were there already"
        if self.unfinished:
            told += f", {self.unfinished} unfinished left out"
        return f"{told}, {counted(self.refused, 'room')} refused" if self.refused else told

    async def add(self, name: RoomName, games: Sequence[ExportedGame]) -> None:
        """Add the games to their room in one write, or print why not.

        Raises:
            StorageFailed: if the store cannot be read or written.
        """
        finished = [game for game in games if game.is_over]
        self.unfinished += len(games) - len(finished)
        if not finished:
            return
        try:
            _require_boards(finished)
            if self._store is None and not has_rooms(self._config.store, self._config.data):
                imported(Room(name), finished)  # a refusal must not make a folder
            store = await self._opened()
            room, kept = await read_games_of(store, name)
            new = missing_games(kept, finished)
            self.passed_over += len(finished) - len(new)
            if new:
                await _keep(store, room, imported(room, new))
                await store.learn({name: ()})
                self.added += len(new)
                self.rooms += 1
        except (CannotImport, InvalidLog, InvalidWire, EngineError) as error:
            self.refused += 1
            warn(PROGRAM, f"room {name} {error}")

    async def close(self) -> None:
        if self._store is not None:
            await self._store.close()

    async def _opened(self) -> EventStore:
        if self._store is None:
            store, data = self._config.store, self._config.data
            needs_secret = self._config.secret is None and store == SQLITE
            is_new = needs_secret and not has_rooms(store, data)
            self._store = await open_store(store, data)
            if is_new and read_secret(secret := data / "secret") is None:
                make_secret(secret)  # a server refuses rooms without one
        return self._store


@command(PROGRAM, failed=(CannotImport,))
def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = CommandParser(PROGRAM, _DESCRIPTION)
    parser.option("file FILE", "the games; - is standard input", type=Path)
    room = "for games of other programs (default: the name of the file)"
    parser.option("--room R", room, type=parse_room)
    add_folder(parser)
    asked = parser.parse_args(arguments)
    done = asyncio.run(import_file(config_of(asked), asked.file, asked.room))
    if done.refused:
        raise CannotImport(str(done))
    return tell(PROGRAM, str(done))


async def import_file(config: Config, file: Path, room: RoomName | None = None) -> Importer:
    """Add the games of the file to their rooms, each room in one write.

    Games of other programs come into `room`, or one with the name of the file.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator; whole rooms may be added.
    """
    importer = Importer(config)
    try:
        with (
            _opened(file) as (lines, size, at),
            Progress(size, "bytes", time.monotonic) as progress,
        ):
            games = read_games(_counted(lines, progress), room or _room_of(file), at)
            for name, of_room in groupby(games, key=lambda game: game.room):
                await importer.add(name, list(of_room))
    except InvalidExport as error:
        before = f"; {counted(importer.added, 'game')} added before it" if importer.added else ""
        raise CannotOpen(f"{file}: {error}{before}") from None
    finally:
        await importer.close()
    return importer


def _room_of(file: Path) -> RoomName:
    """Return a room for games that tell none, by the name of their file."""
    name = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:32]
    return RoomName(name or "games")


def _require_boards(games: Sequence[ExportedGame]) -> None:
    for game in games:
        if max(game.rules.columns, game.rules.rows) > MOST_ON_WIRE:
            board = board_name(game.rules)
            most = f"a room has at most {MOST_ON_WIRE} columns and rows"
            raise CannotImport(f"game {game.game}: {board}: {most}; ttt-client replay shows it")


async def _keep(store: EventStore, room: Room, steps: Sequence[Decision]) -> None:
    """Keep all steps of a room, in one write where the store can.

    Raises:
        StorageFailed: if that failed.
    """
    waiting: list[asyncio.Future[None]] = []
    entries, seq, saved = [], room.seq + 1, room.seq
    for step in steps:
        done = CallbackFuture()
        snapshot = None
        if step.after.seq - saved >= SNAPSHOT_EVENTS:
            saved, snapshot = step.after.seq, Snapshot.of(step.after)
        entries.append(Entry(room.name, seq, encode_log(step.events), snapshot, done.settle))
        waiting.append(done.future)
        seq = step.after.seq + 1
    store.append(entries)
    try:
        await asyncio.gather(*waiting)
    except Conflict as error:
        raise StorageFailed(str(error)) from None


@contextmanager
def _opened(file: Path) -> Iterator[tuple[TextIO, int, int]]:
    """Open the file, and tell its size in bytes and its time in Unix ms; 0 if they are not known.

    Raises:
        CannotOpen: if it cannot be read.
    """
    if file == _STDIN:
        yield sys.stdin, 0, 0
        return
    try:
        with file.open(encoding="utf-8") as lines:
            status = file.stat()
            yield lines, status.st_size, round(1000 * status.st_mtime)
    except (OSError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else "this is no text in UTF-8"
        raise CannotOpen(f"{file}: {words}") from None


def _counted(lines: TextIO, progress: Progress) -> Iterator[str]:
    while line := lines.readline(MOST_IN_LINE + 1):  # a longer one is refused, and not read whole
        yield line
        progress.advance(len(line))
