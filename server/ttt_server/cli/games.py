"""`ttt-server export` and `ttt-server import`: the games of rooms as a file, and back.

An export has every game as a line of JSON, or as text for people. `docs/exports.md` describes the
file; `ttt_protocol.exports` reads and writes it.
"""

import asyncio
import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from io import StringIO, TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import TextIO

from ttt_engine import EngineError
from ttt_protocol import exports
from ttt_protocol.codec import InvalidWire, decode_log, encode_log
from ttt_protocol.notation import MOST_ON_WIRE, board_name
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_protocol.text import counted
from ttt_server.cli import console
from ttt_server.cli.command import command
from ttt_server.cli.data import add_folder, config_of, database_in
from ttt_server.concurrency.tasks import CallbackFuture
from ttt_server.config.options import Config
from ttt_server.core.archive.imported_games import CannotImport, imported, missing_games
from ttt_server.core.archive.saved_room import SNAPSHOT_EVENTS, restore
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import Decision, evolve_all
from ttt_server.core.game_record import exported_games
from ttt_server.core.room import Room
from ttt_server.rooms.tokens import make_secret, read_secret
from ttt_server.storage import SQLITE, has_rooms, open_store
from ttt_server.storage.base import CannotOpen, Conflict, Entry, EventStore, Snapshot, StorageFailed
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.tournaments.log import is_tournament

EXPORT = "ttt-server export"
IMPORT = "ttt-server import"

_ABOUT_EXPORT = """Write the games of all rooms, each with its board, players, moves, times and
outcome: as they are at one moment, whether or not a server runs on the folder. Tokens and passwords
are in no export."""

_PAGE = 500
"""How many names of rooms to read at once."""

_FORMS: dict[str, Callable[[ExportedGame], str]] = {
    "jsonl": lambda game: exports.as_json(game) + "\n",
    "text": exports.as_text,
    "psq": lambda game: exports.as_psq(exports.plain(game)),
    "sgf": lambda game: exports.as_sgf(exports.plain(game)),
    "columns": lambda game: exports.as_columns(exports.plain(game)),
}

_ABOUT_IMPORT = """Take the games of an export, or those of another program as .psq, SGF or column
strings, into their rooms. A room that has games of its own stays as it is. Games that are there
already are passed over, and so the command may be run again. No server may run on the same folder
meanwhile."""


@command(EXPORT, _ABOUT_EXPORT)
def run_export(parser: console.CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    option = parser.option
    option("--room R", "export this room; repeatable", type=parse_room, action="append")
    words = "games that began at this time or later: 2026-01-31, or 2026-01-31T12:30, in UTC"
    option("--since DATE", words, type=_date)
    words = "a line of JSON a game (default), text, .psq, SGF, or column strings; "
    words += "docs/exports.md describes them"
    parser.add_argument("--format", choices=list(_FORMS), default="jsonl", help=words)
    option("--game N", "only the game of this number in its room", type=console.one_or_more)
    option("-o --output FILE", "default: standard output", type=Path)
    add_folder(parser)
    asked = parser.parse_args(arguments)
    try:
        return asyncio.run(_export(config_of(asked), asked))
    except BrokenPipeError:
        # The reader has closed its end, as `head` does. Discard the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = asked.output or "standard output"
        raise CannotOpen(f"{named}: {error.strerror}") from None


async def _export(config: Config, asked: Namespace) -> int:
    async with store_to_read(config) as store:
        with _output(asked.output) as out:
            return await export(store, asked, out)


async def export(store: EventStore, asked: Namespace, out: TextIO) -> int:
    """Write the games that are asked for, and return the exit status.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator.
        OSError: if they cannot be written.
    """
    rooms = await room_names(store)
    if absent := [room for room in asked.room or () if room not in rooms]:
        raise CannotOpen(f"there is no room {absent[0]}")
    wanted = asked.room or rooms
    games = faults = 0
    # No bar where the games themselves go to a terminal.
    stream = StringIO() if out.isatty() else sys.stderr
    with console.Progress(len(wanted), "rooms", stream=stream) as progress:
        for room in wanted:
            try:
                _, found = await read_games_of(store, room)
            except (InvalidWire, InvalidLog, EngineError) as error:
                faults += 1
                found = []
                console.warn(EXPORT, f"room {room}: {error}; its games are left out")
            for game in found:
                is_new = asked.since is None or game.began_at >= asked.since
                if not is_new or asked.game not in {None, game.game}:
                    continue
                try:
                    out.write(_FORMS[asked.format](game))
                    games += 1
                except exports.NoSuchForm as error:
                    faults += 1
                    console.warn(EXPORT, f"room {room}, game {game.game} is left out: {error}")
            progress.advance(1)
    out.flush()
    if asked.output is not None:
        told = f"{counted(games, 'game')} of {counted(len(wanted), 'room')}"
        console.tell(EXPORT, f"{asked.output}: {told}")
    return console.FAILED if faults else 0


@contextmanager
def _output(file: Path | None) -> Iterator[TextIO]:
    """Open the output. A file is written whole or not at all."""
    if file is None:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    if file.exists() and not file.is_file():  # write to a device or a pipe in place
        with file.open("w", encoding="utf-8") as out:
            yield out
        return
    aside = file.with_name(f"{file.name}.partial")
    try:
        with aside.open("w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)


@asynccontextmanager
async def store_to_read(config: Config) -> AsyncIterator[EventStore]:
    """Open the store of these options: a backup of it, if a server runs on its folder.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator.
    """
    with ExitStack() as stack:
        store: EventStore
        if config.store == SQLITE:
            store = SqliteStore(stack.enter_context(database_in(config.data)))
        else:
            store = await open_store(config.store, config.data)
        try:
            yield store
        finally:
            await store.close()


async def room_names(store: EventStore) -> list[RoomName]:
    """Return the names of all rooms, in order, without the logs of events.

    Raises:
        StorageFailed: if they could not be read.
    """
    names: list[RoomName] = []
    after = ""
    while page := await store.browse(after, _PAGE):
        names += (last.room for last in page if not is_tournament(last.room))
        after = page[-1].room
    return names


async def read_games_of(store: EventStore, name: RoomName) -> tuple[Room, list[ExportedGame]]:
    """Return a room, and its games as far as they are kept.

    Raises:
        InvalidLog, InvalidWire, EngineError: if the log is inconsistent.
        StorageFailed: if it could not be read.
    """
    found = await store.load(name, 0)
    start = Room(name) if found.start is None else restore(name, found.start)
    log = decode_log(found.lines)
    return evolve_all(start, log), list(exported_games(start, log))


def parse_room(text: str) -> RoomName:
    """Parse the name of a room, for `argparse`."""
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise ArgumentTypeError(str(error)) from None


def _date(text: str) -> int:
    """Return the Unix time in ms of a date, in UTC unless it says otherwise."""
    date = console.parse_date(text, f"{text}: must be a date, such as 2026-01-31")
    return round(date.timestamp() * 1000)


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
            console.warn(IMPORT, f"room {name} {error}")

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


@command(IMPORT, _ABOUT_IMPORT, failed=(CannotImport,))
def run_import(parser: console.CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("file FILE", "the games; - is standard input", type=Path)
    room = "for games of other programs (default: the name of the file)"
    parser.option("--room R", room, type=parse_room)
    add_folder(parser)
    asked = parser.parse_args(arguments)
    done = asyncio.run(import_file(config_of(asked), asked.file, asked.room))
    if done.refused:
        raise CannotImport(str(done))
    return console.tell(IMPORT, str(done))


async def import_file(config: Config, file: Path, room: RoomName | None = None) -> Importer:
    """Add the games of the file to their rooms, each room in one write.

    Games of other programs come into `room`, or one with the name of the file.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator; whole rooms may be added.
    """
    importer = Importer(config)
    try:
        with _opened(file) as (lines, size, at), console.Progress(size, "bytes") as progress:
            games = exports.read_games(_counted(lines, progress), room or _room_of(file), at)
            for name, of_room in groupby(games, key=lambda game: game.room):
                await importer.add(name, list(of_room))
    except exports.InvalidExport as error:
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
    if file == Path("-"):
        yield sys.stdin, 0, 0
        return
    try:
        with file.open(encoding="utf-8") as lines:
            status = file.stat()
            yield lines, status.st_size, round(1000 * status.st_mtime)
    except OSError as error:
        raise CannotOpen(f"{file}: {error.strerror}") from None


def _counted(lines: TextIO, progress: console.Progress) -> Iterator[str]:
    most = exports.MOST_IN_LINE + 1  # a longer one is refused, and not read whole
    while line := lines.readline(most):
        yield line
        progress.advance(len(line))
