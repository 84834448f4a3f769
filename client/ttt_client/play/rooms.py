"""Join and watch rooms, alone or with two at one keyboard, and find an opponent.

What shows the room and asks for its password is said by a subclass of `RoomCommands`.
"""

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from ttt_client.model.options import seats_against, settings_of
from ttt_client.model.view import View, fold
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Reporter, RoomSession, Session
from ttt_client.net.tasks import cancelled
from ttt_client.net.tokens import SeatTokenFile, default_folder, recall_person
from ttt_client.play.controller import SAME_COMMAND
from ttt_client.play.recordings import FileRecordings, Recordings, ServerRecordings
from ttt_client.text.render import game_words
from ttt_protocol.codec import decode_command
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Accept, Choose, Command, Decline, Join, Play, Seek
from ttt_protocol.messages import Hint, Paired, Refused, Welcome
from ttt_protocol.state import Mark, Role, RoomName, Token

_SETTINGS = ("rules", "clock", "days", "start", "opening")
"""The arguments that are settings of a room, under the same names."""

Attempt = Callable[[Join], Awaitable[Ending]]

AskPassword = Callable[[str], Awaitable[str | None]]
"""Ask for a password, with a text that says why; None if the question is given up."""


class SharedSession:
    """The two seats of one keyboard, with the interface of one session.

    The first player's connection reports what happens in the room, the second's only the answers
    to the second player. A command goes over the connection of its seat.
    """

    def __init__(self, first: RoomSession, second: RoomSession) -> None:
        self._first = first
        self._second = second
        self._view = View(is_shared=True)
        self._first_is_here = asyncio.Event()
        self._leaving = False
        self._moved: tuple[Play | Choose, RoomSession] | None = None
        """The last move or choice, and whose it is."""

    @property
    def connected(self) -> bool:
        """Whether the server has welcomed the first player."""
        return self._first.connected

    @property
    def is_kept(self) -> bool:
        """Whether the same command takes both seats back."""
        return self._first.is_kept and self._second.is_kept

    @property
    def trouble(self) -> str | None:
        """The fault in remembering a seat, if there was one."""
        return self._first.trouble or self._second.trouble

    async def send(self, command: str | bytes) -> None:
        """Send a command for the player to move, or for the player who answers an offer.

        A move that is sent again is the same player's, whoever is to move now.

        Raises:
            NotConnected: if it was not sent.
        """
        decoded = decode_command(command)
        speaker = self._speaker(decoded)
        if isinstance(decoded, Play | Choose):
            if self._moved is None or self._moved[0] != decoded:
                self._moved = decoded, speaker
            speaker = self._moved[1]
        await speaker.send(command)

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take.

        Raises:
            NotConnected: if there is no connection, or it ends before the answer.
        """
        return await self._first.round_trip_s()

    def retry_now(self) -> None:
        """End the pauses before the next tries, if there are any."""
        self._first.retry_now()
        self._second.retry_now()

    async def leave(self) -> None:
        """Ask to give up both seats.

        Raises:
            NotConnected: if it was not asked.
        """
        if not (self._first.connected and self._second.connected):
            raise NotConnected
        self._leaving = True
        await self._second.leave()
        await self._first.leave()

    async def run(self, report: Reporter) -> Ending:
        """Stay in the room until either session ends, or both where they leave."""

        async def from_first(event: Heard | Note) -> None:
            self._take(event)
            await report(event)
            if isinstance(event, Note):
                self._first_is_here.clear()
            elif isinstance(event.message, Welcome):
                self._first_is_here.set()

        async def from_second(event: Heard | Note) -> None:
            if isinstance(event, Note) and not self._first_is_here.is_set():
                return  # the first has told of it
            # The first's connection is the one that the screen shows: the second waits for it.
            await self._first_is_here.wait()
            self._take(event)
            if isinstance(event, Note) or isinstance(event.message, Welcome | Refused | Hint):
                await report(event)

        async def second() -> Ending:
            await self._first_is_here.wait()  # the first makes the room
            return await self._second.run(from_second)

        both = [asyncio.ensure_future(self._first.run(from_first)), asyncio.ensure_future(second())]
        try:
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._leaving:
                await asyncio.wait(both)
            return await done.pop()
        finally:
            await cancelled(*both)

    def _take(self, event: Heard | Note) -> None:
        if isinstance(event, Heard) and event.message is not None:
            self._view = fold(self._view, event.message)

    def _speaker(self, command: Command) -> RoomSession:
        room, seat, partner = self._view.room, self._view.seat, self._view.partner
        if room is None or partner is None:
            return self._first
        if isinstance(command, Accept | Decline) and (offering := room.offers[command.kind]):
            seat = offering.other
        found = None if seat is None else room.seats[seat]
        return self._second if found is not None and found.id == partner.id else self._first


def join_command(arguments: Namespace) -> Join:
    """Return the `join` of a player, with only those settings that the arguments give."""
    seat = None if arguments.seat is None else Mark(arguments.seat)
    settings = settings_of(
        **{name: getattr(arguments, name) for name in _SETTINGS},
        seats=None if arguments.vs is None else seats_against(arguments.vs, seat),
        public=False if arguments.private else None,
        hints=True if arguments.hints else None,
        rated=True if arguments.rated else None,
        delay_s=arguments.delay,
        password=arguments.new_password,
    )
    return given(name=arguments.name, settings=settings, seat=seat, password=arguments.password)


def seek_command(arguments: Namespace) -> Seek:
    """Return the search for a player who wants the same board, clock and opening."""
    wanted = {"rules": arguments.rules, "clock": arguments.clock, "opening": arguments.opening}
    return Seek.model_validate({key: value for key, value in wanted.items() if value is not None})


def watch_command(arguments: Namespace) -> Join:
    """Return the `join` of a spectator."""
    ais, games, opening = arguments.play, arguments.games, arguments.opening
    settings = settings_of(rules=arguments.rules, seats=ais, games=games, opening=opening)
    name, password = arguments.name, arguments.password
    return given(name=name, settings=settings, role=Role.SPECTATOR, password=password)


def given(**fields: object) -> Join:
    """Return a `join` with those fields that are not None."""
    return Join.model_validate({key: value for key, value in fields.items() if value is not None})


def as_person(server: ServerAddress, join: Join) -> Join:
    """Return a `join` as this user's person on the server, if the name is kept there."""
    person = recall_person(server)
    return join if person is None or join.bot else join.model_copy(update={"person": person})


def remembered_session(
    server: ServerAddress, room: RoomName, join: Join, token: str | None = None
) -> AbstractContextManager[RoomSession]:
    """Open a player's session with the file that remembers the seat under the player's name.

    `token` is the one that the user gave, if any; it comes before a remembered one.
    """
    return _guest_session(server, room, as_person(server, join), token)


@contextmanager
def _guest_session(
    server: ServerAddress, room: RoomName, join: Join, token: str | None = None
) -> Iterator[RoomSession]:
    with SeatTokenFile(default_folder(), server.url, room, join.name) as tokens:
        given_token = None if token is None else Token(token)
        yield RoomSession(server.socket(f"rooms/{room}"), join, tokens, given=given_token)


@contextmanager
def shared_session(
    server: ServerAddress, room: RoomName, join: Join, second: str
) -> Iterator[SharedSession]:
    """Open the session of two people at one keyboard, with the files that remember their seats."""
    second_join = given(name=second, password=join.password)
    first = remembered_session(server, room, join)
    with first as one, _guest_session(server, room, second_join) as other:
        yield SharedSession(one, other)


def recordings_of(
    server: ServerAddress, source: RoomName | Path, arguments: Namespace
) -> Recordings:
    """Return the games of a file; or of a room, with the token of the player's seat.

    The token is the one that is given, or remembered.
    """
    if isinstance(source, Path):
        return FileRecordings(source)
    token = arguments.token
    if token is None:
        token = SeatTokenFile(default_folder(), server.url, source, arguments.name).peek()
    return ServerRecordings(server, source, token)


async def enter(join: Join, attempt: Attempt, ask: AskPassword) -> Ending:
    """Stay in a room, and return the end of the stay.

    Where a password is needed, or another one, the answer to `ask` is tried next.
    """
    while True:
        end = await attempt(join)
        if end.refusal is not RefusalCode.WRONG_PASSWORD:
            return end
        why = "wrong password: " if join.password is not None else ""
        password = await ask(f"{why}password of the room: ")
        if password is None:
            return end
        join = _with_password(join, password)


def _with_password(join: Join, password: str) -> Join:
    """Return `join` with the password of a room that is there: the settings lock no new one."""
    fields = {name: getattr(join, name) for name in join.model_fields_set}
    if join.settings is not None:
        named = join.settings.model_fields_set - {"password"}
        fields["settings"] = settings_of(**{name: getattr(join.settings, name) for name in named})
    return given(**fields | {"password": password})


class RoomCommands:
    """The commands that lead into a room. A subclass says how it shows the room and asks."""

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments
        self._server: ServerAddress = arguments.server

    async def stay(self, session: Session, comeback: str) -> Ending:
        """Stay in the room of a session; `comeback` is the command that takes the seat back."""
        raise NotImplementedError

    async def search(self, session: RoomSession, seek: Seek, wanted: str) -> Paired | Ending:
        """Search for an opponent who wants this game, which `wanted` names."""
        raise NotImplementedError

    async def ask(self, room: RoomName, words: str) -> str | None:
        """Ask for the password of a room; return None if the question is given up."""
        raise NotImplementedError

    async def join(
        self, room: RoomName, join: Join, token: str | None = None, comeback: str = SAME_COMMAND
    ) -> Ending:
        """Take a seat in a room and play, alone or with a second player at this keyboard."""

        async def attempt(join: Join) -> Ending:
            if self._arguments.both:
                with shared_session(self._server, room, join, self._arguments.second) as both:
                    return await self.stay(both, comeback)
            with remembered_session(self._server, room, join, token) as session:
                return await self.stay(session, comeback)

        return await enter(join, attempt, partial(self.ask, room))

    async def watch(self, room: RoomName, join: Join) -> Ending:
        """Watch a room."""
        url = self._server.socket(f"rooms/{room}")

        async def attempt(join: Join) -> Ending:
            return await self.stay(RoomSession(url, as_person(self._server, join)), SAME_COMMAND)

        return await enter(join, attempt, partial(self.ask, room))

    async def play(self) -> Ending:
        """Find a player who wants the same game, and play."""
        seek = seek_command(self._arguments)
        session = RoomSession(self._server.socket("play"), seek)
        found = await self.search(session, seek, game_words(seek.rules, seek.opening))
        if isinstance(found, Ending):
            return found
        return await self.play_found(found.room, found.token)

    async def play_found(self, room: RoomName, token: str) -> Ending:
        """Play in a room that the server has given this player a seat in."""
        join = given(name=self._arguments.name)
        return await self.join(room, join, token, comeback=f"ttt-client join {room}")
