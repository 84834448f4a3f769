"""Parts in events that this machine remembers: to enter, to play game after game, to watch.

A part outlives its connections: it resumes with the token of its first welcome, and backs off.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Protocol

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.model import words
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import Rejected, Unreachable, growing_pauses
from ttt_client.net.session import PASSING, Ending, NotConnected, Note, ResumedSession, TokenStore
from ttt_client.net.tasks import cancelled, first_of
from ttt_client.net.tokens import SeatTokenFile, default_folder, recall_person
from ttt_client.terminal.stdout import Output
from ttt_client.text.event import game_line, status_line, table
from ttt_protocol.codec import BadMessage, encode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.messages import Goodbye, Refused
from ttt_protocol.state import RoomName, Token
from ttt_protocol.text import clean
from ttt_protocol.tournament import messages
from ttt_protocol.tournament.codec import decode_tournament_message
from ttt_protocol.tournament.commands import Enter, FirstCommand, Organise, Return
from ttt_protocol.tournament.messages import TournamentMessage, TournamentWelcome
from ttt_protocol.tournament.settings import TournamentName

ORGANISER = "organiser"

_MOST = 20
"""The most lines of the standings to print."""

LOOK_S = 3.0
"""How long the end of a game stays on the screen."""

PlayGame = Callable[[messages.OwnGame], Awaitable[Ending | None]]
"""Plays in the room of a game until cancelled; returns how the program ends if that comes first,
and None after the game."""

Wait = Callable[[], Awaitable[Ending]]
"""Waits between games until cancelled; returns how the program ends if that comes first."""


EventReport = Callable[[TournamentMessage | Note, str], Awaitable[None]]
"""Takes a message with its JSON, or a note on the connection with an empty text."""


class EventSession(ResumedSession):
    """A part in an event, which outlives its connections.

    Args:
        url: the WebSocket address of the event.
        first: the first command; later connections come back with the token of the first.
        tokens: a store for that token, so that a later session is the same player or organiser.
    """

    def __init__(self, url: str, first: FirstCommand, tokens: TokenStore | None = None) -> None:
        super().__init__(url, tokens)
        self._first = first
        self._has_been_in = False

    async def run(self, report: EventReport) -> Ending:
        """Stay in the event until the server ends it, and report every message."""
        if isinstance(self._first, Enter) and (token := self._tokens.recall()) is not None:
            self._first = Enter(name=self._first.name, token=token, bot=self._first.bot)
        pauses = growing_pauses()
        while True:
            end = await self._connect_once(report)
            if isinstance(end, Ending):
                return end
            pause = next(pauses)
            await report(Note(end, pause), "")
            await self._pause.take(pause)

    async def _connect_once(self, report: EventReport) -> Ending | str:
        """Serve one connection; return why it was lost, if the event goes on."""
        try:
            connection = await self._dial(is_return=self._has_been_in)
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            lost = f"cannot reach the server: {error.words}"
            return lost if self._has_been_in else Ending(3, lost)
        try:
            await connection.send(encode_command(self._first), text=True)
            async for frame in connection:
                raw = frame if isinstance(frame, str) else frame.decode(errors="replace")
                message = _read(raw)
                if isinstance(message, TournamentWelcome):
                    self._come_in(message, connection)
                elif isinstance(message, Refused) and self._connection is None:
                    return self._refused(message)
                if message is not None:
                    await report(message, raw)
        except ConnectionClosed:
            pass
        finally:
            was_in, self._connection = self._connection is not None, None
            await connection.close()
        if connection.close_code == CloseCode.POLICY and not was_in:
            return Ending(1, words.LATE_JOIN)
        if connection.close_code in (CloseCode.POLICY, CloseCode.BYE):
            return Ending(1, words.close(CloseCode(connection.close_code), connection.close_reason))
        return "the connection was lost"

    def _come_in(self, welcome: TournamentWelcome, connection: ClientConnection) -> None:
        self._connection = connection
        self._has_been_in = True
        token = welcome.you.token
        if token is None:
            return
        self._tokens.remember(Token(token))
        is_organiser = welcome.you.role == "organiser"
        self._first = Organise(token=token) if is_organiser else Enter(token=token)

    def _refused(self, refused: Refused) -> Ending | str:
        why = clean(refused.reason)  # the client's own words are those of a room
        if self._has_been_in and refused.code in PASSING:
            return f"the server cannot now: {why}"
        if refused.code is RefusalCode.BAD_TOKEN and "person" not in refused.reason:
            self._tokens.forget()
        return Ending(4, f"refused: {why} ({refused.code})", refused.code)


def _read(raw: str) -> TournamentMessage | None:
    """Return the message; None if only a newer client knows it."""
    with suppress(BadMessage):
        return decode_tournament_message(raw)
    return None


def event_tokens(server: ServerAddress, event: TournamentName, whose: str) -> SeatTokenFile:
    """Return the token file of a player of that name in an event, or of the `ORGANISER`."""
    place = RoomName(f"event/{event}")  # no room has a name with a slash
    return SeatTokenFile(default_folder(), server.url, place, whose)


@contextmanager
def player_session(
    server: ServerAddress, event: TournamentName, name: str, *, is_bot: bool = False
) -> Iterator[EventSession]:
    """Open a player's session in an event, with its token file."""
    with event_tokens(server, event, name) as tokens:
        person = None if is_bot else recall_person(server)
        known = {} if person is None else {"person": person}
        first = Enter.model_validate({"name": name, "bot": is_bot, **known})
        yield EventSession(server.socket(f"events/{event}"), first, tokens)


class EventOver(Exception):
    """The event is finished."""


class EventPrinter:
    """Prints the states of an event as they change."""

    def __init__(self, output: Output, *, json_lines: bool = False) -> None:
        self._output = output
        self._json_lines = json_lines
        self._is_quiet = False
        """Whether a board is on the screen, so that states are not printed."""
        self._shown = ""
        self._announced: tuple[str, ...] = ()

    def hush(self, *, is_quiet: bool) -> None:
        """Stop printing states, or print them again."""
        self._is_quiet = is_quiet

    async def report(self, heard: TournamentMessage | Note, raw: str) -> None:
        """Print a message or a note on the connection.

        Raises:
            EventOver: when the event is finished.
        """
        if self._json_lines and raw:
            self._output.raw(raw)
        match heard:
            case Note():
                self._output.warn(str(heard))
            case TournamentWelcome(event=event) | messages.TournamentUpdate(event=event):
                if not self._json_lines and not self._is_quiet:
                    self._show(event)
                if event.status == "finished":
                    raise EventOver
            case Refused(reason=reason):
                self._output.warn(f"refused: {reason}")
            case Goodbye(reason=reason):
                self._output.warn(reason)
            case _:
                pass

    def _show(self, event: messages.TournamentState) -> None:
        for text in event.announcements:
            if text not in self._announced:
                self._output.say(f"* {text}")
        self._announced = event.announcements
        lines = [status_line(event), *table(event, _MOST)]
        lines += [f"  {game_line(game)}" for game in event.games if game.result is None]
        # The remaining time of an arena is not news.
        news = "\n".join([event.status, *lines[1:]])
        if news != self._shown:
            self._shown = news
            self._output.say("", *lines)


async def watch_event(session: EventSession, report: EventReport) -> Ending:
    """Report the event after every change, until it is finished."""
    try:
        return await session.run(report)
    except EventOver:
        return Ending(0)


class EventFrontend(Protocol):
    """Shows an event."""

    def hush(self, *, is_quiet: bool) -> None:
        """Stop showing states while a game is on, or show them again."""

    async def report(self, heard: TournamentMessage | Note, raw: str) -> None:
        """Show a message or a note on the connection; raise `EventOver` to stop following."""


@dataclass(eq=False)
class TakingPart:
    """A player of an event, from game to game.

    Args:
        session: the player's session in the event.
        frontend: shows the event.
        play: plays a game.
        wait: waits between games; `None` if nothing can end the program there.
        at_once: the most games to play at the same time.
    """

    session: EventSession
    frontend: EventFrontend
    play: PlayGame
    _: KW_ONLY
    wait: Wait | None = None
    at_once: int = 1
    _own: dict[RoomName, messages.OwnGame] = field(default_factory=dict, init=False)
    _begun: set[RoomName] = field(default_factory=set, init=False)
    _left: set[RoomName] = field(default_factory=set, init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _has_come: bool = field(default=False, init=False)

    async def run(self) -> Ending:
        """Take part until the event is finished or the player quits."""
        return await first_of(watch_event(self.session, self._report), self._play_on())

    async def _report(self, heard: TournamentMessage | Note, raw: str) -> None:
        if isinstance(heard, messages.YourGames):
            self._own = {game.room: game for game in heard.games}
            self._changed.set()
        if isinstance(heard, TournamentWelcome) and not self._has_come:
            self._has_come = True
            await self._return(heard)
        # States would be printed over the board of a game.
        self.frontend.hush(is_quiet=any(room not in self._left for room in self._own))
        await self.frontend.report(heard, raw)

    async def _return(self, welcome: TournamentWelcome) -> None:
        """Return after a withdrawal: starting the program means taking part."""
        rows = (row for row in welcome.event.standings if row.id == welcome.you.id)
        if any(row.status == "withdrawn" for row in rows):
            with suppress(NotConnected):
                await self.session.send(encode_command(Return()))

    async def _play_on(self) -> Ending:
        """Play all games; return how the program ends if one of them ends it."""
        playing: set[asyncio.Task[Ending | None]] = set()
        try:
            while True:
                self._changed.clear()
                waiting = [game for room, game in self._own.items() if room not in self._begun]
                for game in waiting[: self.at_once - len(playing)]:
                    self._begun.add(game.room)
                    playing.add(asyncio.ensure_future(self._play_one(game)))
                if not playing:
                    if (end := await self._rest()) is not None:
                        return end
                    continue
                news = asyncio.ensure_future(self._changed.wait())
                done, _ = await asyncio.wait({*playing, news}, return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                for task in playing & done:
                    playing.remove(task)
                    if (end := task.result()) is not None:
                        return end
        finally:
            await cancelled(*playing)

    async def _rest(self) -> Ending | None:
        """Wait for the next game; return how the program ends if that comes first."""
        if self.wait is not None:
            return await first_of(self.wait(), self._change())
        await self._change()
        return None

    async def _play_one(self, game: messages.OwnGame) -> Ending | None:
        """Play until the event has the result; return how the program ends if that comes first."""
        try:
            return await first_of(self.play(game), self._until_over(game.room))
        finally:
            self._left.add(game.room)

    async def _change(self) -> None:
        await self._changed.wait()

    async def _until_over(self, room: RoomName) -> None:
        while room in self._own:
            self._changed.clear()
            await self._changed.wait()
        await asyncio.sleep(LOOK_S)
