"""`ttt-server export`: every game as a line of JSON, or as text for people."""

import asyncio
import os
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

from ttt_engine import EngineError
from ttt_protocol.codec import InvalidWire
from ttt_protocol.exports.columns import as_columns
from ttt_protocol.exports.plain_game import NoSuchForm, plain
from ttt_protocol.exports.psq import as_psq
from ttt_protocol.exports.sgf import as_sgf
from ttt_protocol.exports.text_form import as_json, as_text
from ttt_protocol.records import ExportedGame
from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import FAILED, CommandParser, one_or_more, tell, warn
from ttt_server.cli.data import add_folder, config_of
from ttt_server.cli.games.reading import parse_room, read_games_of, room_names, store_to_read
from ttt_server.cli.progress import Progress
from ttt_server.config.options import Config
from ttt_server.core.errors import InvalidLog
from ttt_server.storage.base import CannotOpen, EventStore

PROGRAM = "ttt-server export"

_DESCRIPTION = """Write the games of all rooms, each with its board, players, moves, times and
outcome: as they are at one moment, whether or not a server runs on the folder. Tokens and passwords
are in no export."""

_FORMS: dict[str, Callable[[ExportedGame], str]] = {
    "jsonl": lambda game: as_json(game) + "\n",
    "text": as_text,
    "psq": lambda game: as_psq(plain(game)),
    "sgf": lambda game: as_sgf(plain(game)),
    "columns": lambda game: as_columns(plain(game)),
}


@command(PROGRAM)
def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    asked = _parser().parse_args(arguments)
    try:
        return asyncio.run(_export(config_of(asked), asked))
    except BrokenPipeError:
        # The reader has closed its end, as `head` does. Discard the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = asked.output or "standard output"
        raise CannotOpen(f"{named}: {error.strerror}") from None


def _parser() -> CommandParser:
    parser = CommandParser(PROGRAM, _DESCRIPTION)
    option = parser.option
    option("--room R", "export this room; repeatable", type=parse_room, action="append")
    words = "games that began at this time or later: 2026-01-31, or 2026-01-31T12:30, in UTC"
    option("--since DATE", words, type=_date)
    words = "a line of JSON a game (default), text, .psq, SGF, or column strings; "
    words += "docs/exports.md describes them"
    parser.add_argument("--format", choices=list(_FORMS), default="jsonl", help=words)
    option("--game N", "only the game of this number in its room", type=one_or_more)
    option("-o --output FILE", "default: standard output", type=Path)
    add_folder(parser)
    return parser


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
    with _progress(len(wanted), out) as progress:
        for room in wanted:
            try:
                _, found = await read_games_of(store, room)
            except (InvalidWire, InvalidLog, EngineError) as error:
                faults += 1
                found = []
                warn(PROGRAM, f"room {room}: {error}; its games are left out")
            for game in found:
                is_new = asked.since is None or game.began_at >= asked.since
                if not is_new or asked.game not in {None, game.game}:
                    continue
                try:
                    out.write(_FORMS[asked.format](game))
                    games += 1
                except NoSuchForm as error:
                    faults += 1
                    warn(PROGRAM, f"room {room}, game {game.game} is left out: {error}")
            progress.advance(1)
    out.flush()
    if asked.output is not None:
        told = f"{counted(games, 'game')} of {counted(len(wanted), 'room')}"
        tell(PROGRAM, f"{asked.output}: {told}")
    return FAILED if faults else 0


def _progress(rooms: int, out: TextIO) -> Progress:
    """Show progress, unless the games themselves go to a terminal."""
    return Progress(rooms, "rooms", time.monotonic, StringIO() if out.isatty() else sys.stderr)


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


def _date(text: str) -> int:
    """Return the Unix time in ms of a date, in UTC unless it says otherwise."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text}: must be a date, such as 2026-01-31") from None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return round(date.timestamp() * 1000)
