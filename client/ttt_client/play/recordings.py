"""Recorded games, from a server or a file that `ttt-server export` wrote: printed or drawn."""

import asyncio
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, groupby, islice
from pathlib import Path
from typing import NamedTuple, TextIO, TypeVar

from ttt_client.model.study import Analysis, read_analysis
from ttt_client.model.view import View, name_of
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.newer_server import read_record
from ttt_client.net.session import Ending
from ttt_client.pictures.diagram import Diagram, diagram, svg
from ttt_client.play.replay import Recording, ReplayStep, recording_of, replay_lines
from ttt_client.terminal.stdout import Output
from ttt_client.text import render
from ttt_client.text.study import analysis_lines
from ttt_protocol.codec import BadMessage, decode_room, encode_event
from ttt_protocol.events import Event
from ttt_protocol.exports.read_games import InvalidExport, read_games
from ttt_protocol.messages import Welcome
from ttt_protocol.records import GameRecord
from ttt_protocol.state import Mark, RoomName
from ttt_protocol.text import clean, counted

T = TypeVar("T")

STANDARD_INPUT = Path("-")


class Analysed(NamedTuple):
    """An analysis, and the server's own JSON of it."""

    body: bytes
    analysis: Analysis


class ServerRecordings:
    """The recorded games of a room, on its server.

    Args:
        server: the server of the room.
        room: the room.
        token: the token of the player's seat, if there is one: it opens a private room's games.
    """

    def __init__(self, server: ServerAddress, room: RoomName, token: str | None) -> None:
        self._server = server
        self._room = room
        self._token = token

    async def load(self, game: int | None) -> Recording | Ending:
        if game is None:
            state = await self._read("", decode_room)
            if isinstance(state, Ending):
                return state
            if state.game is None:
                return Ending(1, f"no game has begun in {self._room} yet")
            game = state.game.number
        return await self._read(f"/games/{game}", lambda body: recording_of(read_record(body)))

    async def analysis(self, game: int) -> Analysed | Ending:
        page = f"/games/{game}?analysis=1"
        return await self._read(page, lambda body: Analysed(body, read_analysis(body)))

    async def _read(self, page: str, read: Callable[[bytes], T]) -> T | Ending:
        url = self._server.api(f"rooms/{self._room}{page}")
        return await read_page(url, read, token=self._token)


async def events_before(server: ServerAddress, welcome: Welcome) -> Sequence[Event]:
    """Return the events of the game that a member comes into; none if they cannot be read."""
    you, room = welcome.you, welcome.room
    if room.game is None:
        return ()
    recordings = ServerRecordings(server, room.name, you.token or you.watch)
    found = await recordings.load(room.game.number)
    return found.record.events if isinstance(found, Recording) else ()


class FileRecordings:
    """The games of a file, counted from 1."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def load(self, game: int | None) -> Recording | Ending:
        return await asyncio.to_thread(self._load, game)

    async def analysis(self, game: int) -> Analysed | Ending:
        return Ending(1, f"{self._file}: game {game} is analysed by no server")

    def _load(self, number: int | None) -> Recording | Ending:
        try:
            with _opened(self._file) as lines:
                found, count = _pick(lines, number)
            if found is None:
                games = counted(count, "game") if count else "no games"
                return Ending(1, f"{self._file}: has {games}")
            return recording_of(found, count)
        except OSError as error:
            return Ending(1, f"{self._file}: {error.strerror}")
        except (BadMessage, InvalidExport) as error:
            return Ending(1, f"{self._file}: {clean(str(error))}")


Recordings = ServerRecordings | FileRecordings
"""Recorded games that belong together, by their numbers."""


async def replay(
    games: Recordings, game: int | None, output: Output, *, json: bool, drawn: bool, analysed: bool
) -> Ending:
    """Print a game, or the last: a board for each move, or its events as lines of JSON.

    Args:
        games: the place of the games.
        game: its number.
        output: the place for the lines.
        json: whether to print JSON.
        drawn: whether to draw boards, in lines for people.
        analysed: whether what its moves were worth follows; as JSON, only that is printed.
    """
    loaded = await games.load(game)
    if isinstance(loaded, Ending):
        return loaded
    lines: Iterable[str] = replay_lines(loaded, ascii_only=output.ascii_only, drawn=drawn)
    raw: Iterable[str] = (encode_event(event).decode() for event in loaded.record.events)
    if analysed:
        found = await games.analysis(loaded.record.game)
        if isinstance(found, Ending):
            return found
        lines = chain(lines, analysis_lines(found.analysis, loaded.record.rules))
        raw = [found.body.decode()]
    for line in raw if json else lines:
        (output.raw if json else output.say)(line)
    return Ending(0)


def _pick(lines: TextIO, number: int | None) -> tuple[GameRecord | None, int]:
    """Return game `number`, or the last, and how many games were read."""
    last: GameRecord | None = None
    count = 0
    for count, last in enumerate(islice(read_games(lines), number), 1):  # noqa: B007 - both last
        pass
    return (last if number in {None, count} else None), count


def _opened(file: Path) -> AbstractContextManager[TextIO]:
    return nullcontext(sys.stdin) if file == STANDARD_INPUT else file.open(encoding="utf-8")


async def write_pictures(recordings: Recordings, game: int | None, files: Sequence[Path]) -> Ending:
    """Draw a game, or the last, into each of the files: `.svg` its end, `.gif` all of it."""
    loaded = await recordings.load(game)
    if isinstance(loaded, Ending):
        return loaded
    try:
        for file in files:
            await asyncio.to_thread(_write, loaded, file)
    except ImportError:
        return Ending(1, "a GIF needs the extra images: pip install 'ttt-rooms[images]'")
    except OSError as error:
        return Ending(1, f"{error.filename}: {error.strerror}")
    return Ending(0, f"written: {', '.join(map(str, files))}")


def _write(recording: Recording, file: Path) -> None:
    """Write the last position, with the number of each move, as SVG; or the whole game as GIF.

    Raises:
        ImportError: if the library for a GIF is not installed.
    """
    if file.suffix.lower() == ".svg":
        last = recording.steps[-1]
        drawn = _diagram(recording, last, numbered=True)
        file.write_text(svg(drawn, f"{_title(last)}: {_caption(last)}"), encoding="utf-8")
    else:
        from ttt_client.pictures.gif import gif

        shown = [next(steps) for _, steps in groupby(recording.steps, _position)]
        file.write_bytes(gif([_diagram(recording, step, numbered=False) for step in shown]))


def _position(step: ReplayStep) -> object:
    game = step.room.game
    return None if game is None else (game.moves, game.outcome)


def _diagram(recording: Recording, step: ReplayStep, *, numbered: bool) -> Diagram:
    game = step.room.game
    if game is None:  # pragma: no cover - each step of a recording has its game
        raise AssertionError(step)
    rules = recording.record.rules
    return diagram(rules, game, _title(step), _caption(step), numbered=numbered)


def _title(step: ReplayStep) -> str:
    return " - ".join(f"{name_of(step.room, mark)} ({mark})" for mark in Mark)


def _caption(step: ReplayStep) -> str:
    room, view, game = step.room, View(room=step.room), step.room.game
    if game is None or game.outcome is None:
        said = render.turn(view)
    else:
        said = render.outcome(view, game.outcome, room.settings.rules)
    number = "" if game is None else f", game {game.number}"
    return f"{clean(room.name)}{number}: {said}"
