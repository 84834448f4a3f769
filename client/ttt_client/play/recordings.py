"""Recorded games: from the server, or from a file that `ttt-server export` wrote."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Protocol, TextIO

from ttt_client.model.analysis import read_analysis
from ttt_client.net.address import Server
from ttt_client.net.dial import Rejected, Unreachable
from ttt_client.net.http import fetch
from ttt_client.net.newer_server import read_record
from ttt_client.net.session import Ending
from ttt_client.play.replay import Recording, recording_of, replay_lines
from ttt_client.terminal.stdout import Output
from ttt_client.text.analysis import analysis_lines
from ttt_protocol.codec import BadMessage, decode_room, encode_event
from ttt_protocol.events import Event
from ttt_protocol.exports import InvalidExport, read_games
from ttt_protocol.messages import Welcome
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName
from ttt_protocol.text import clean, counted

STANDARD_INPUT = Path("-")


class Recordings(Protocol):
    """Recorded games that belong together, by their numbers."""

    async def load(self, game: int | None) -> Recording | Ending:
        """Load a game, or the last; or return why there is none to show."""

    async def analysis(self, game: int) -> bytes | Ending:
        """Load a game with what its moves were worth; or return why there is no analysis."""


class ServerRecordings:
    """The recorded games of a room, on its server.

    Args:
        server: the server of the room.
        room: the room.
        token: the token of the player's seat, if there is one: it opens a private room's games.
    """

    def __init__(self, server: Server, room: RoomName, token: str | None) -> None:
        self._server = server
        self._room = room
        self._token = token

    async def load(self, game: int | None) -> Recording | Ending:
        try:
            if game is None:
                state = decode_room(await self._fetch(self._server.room_page(self._room)))
                if state.game is None:
                    return Ending(1, f"no game has begun in {self._room} yet")
                game = state.game.number
            found = await self._fetch(self._server.game_page(self._room, game))
            return recording_of(read_record(found))
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            return Ending(3, f"cannot reach the server: {error.words}")
        except BadMessage as error:
            return Ending(1, f"the answer is not understood: {clean(str(error))}")

    async def analysis(self, game: int) -> bytes | Ending:
        """Load a game with what its moves were worth; or return why there is no analysis."""
        try:
            return await self._fetch(self._server.analysis_page(self._room, game))
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            return Ending(3, f"no analysis: {error.words}")

    async def _fetch(self, url: str) -> bytes:
        return await fetch(url, token=self._token)


async def events_before(server: Server, welcome: Welcome) -> Sequence[Event]:
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

    async def analysis(self, game: int) -> bytes | Ending:
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
        except UnicodeDecodeError:
            return Ending(1, f"{self._file}: this is not UTF-8")
        except (BadMessage, InvalidExport) as error:
            return Ending(1, f"{self._file}: {clean(str(error))}")


async def replay(
    recordings: Recordings, game: int | None, output: Output, *, json: bool, drawn: bool = True
) -> Ending:
    """Print a game, or the last: a board for each move, or its events as lines of JSON.

    With `drawn` false the moves are told without boards.
    """
    loaded = await recordings.load(game)
    if isinstance(loaded, Ending):
        return loaded
    if json:
        for event in loaded.record.events:
            output.raw(encode_event(event).decode())
    else:
        for line in replay_lines(loaded, ascii_only=output.ascii_only, drawn=drawn):
            output.say(line)
    return Ending(0)


async def replay_analysed(
    recordings: Recordings, game: int | None, output: Output, *, json: bool, drawn: bool = True
) -> Ending:
    """Print a game as `replay` does, then what its moves were worth; or the analysis as JSON."""
    loaded = await recordings.load(game)
    if isinstance(loaded, Ending):
        return loaded
    body = await recordings.analysis(loaded.record.game)
    if isinstance(body, Ending):
        return body
    try:
        analysis = read_analysis(body)
    except BadMessage as error:
        return Ending(1, f"the answer is not understood: {clean(str(error))}")
    if json:
        output.raw(body.decode())
        return Ending(0)
    for line in (
        *replay_lines(loaded, ascii_only=output.ascii_only, drawn=drawn),
        *analysis_lines(analysis, loaded.record.rules),
    ):
        output.say(line)
    return Ending(0)


def _pick(lines: TextIO, number: int | None) -> tuple[GameRecord | None, int]:
    """Return game `number`, or the last, and how many games were read."""
    last: GameRecord | None = None
    count = 0
    for count, last in enumerate(islice(read_games(lines), number), 1):  # noqa: B007 - both last
        pass
    return (last if number in {None, count} else None), count


@contextmanager
def _opened(file: Path) -> Iterator[TextIO]:
    if file == STANDARD_INPUT:
        yield sys.stdin
        return
    with file.open(encoding="utf-8") as lines:
        yield lines
