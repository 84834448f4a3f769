"""Watch the room with the latest move, then the next."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial

from ttt_client.model.lobby import liveliest
from ttt_client.model.typed import Own
from ttt_client.model.view import View, fold
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial
from ttt_client.net.http import fetch
from ttt_client.net.newer_server import read_rooms
from ttt_client.net.session import Ending, Heard, Note, Reporter, RoomSession, SessionEvent
from ttt_client.net.tasks import first_of
from ttt_client.play.controller import RoomController
from ttt_client.play.events import EndOfInput, EventQueue, Typed, open_events
from ttt_client.play.frontends import Frontend
from ttt_client.terminal.stdin import LineSource
from ttt_protocol.codec import BadMessage
from ttt_protocol.commands import Join
from ttt_protocol.messages import Rooms
from ttt_protocol.state import HumanSeat, Mark, RoomName

NONE_PLAYING = "nobody is playing in public; waiting for a game to watch"


class TelevisionSession(RoomSession):
    """A spectator's session that ends when its room becomes dull.

    Args:
        url: the address of the room.
        join: the `join` of the spectator.
        elsewhere: returns whether another room is livelier now.
    """

    deserted_s = 10.0
    """Seconds without any player after which the room is left."""
    quiet_s = 60.0
    """Seconds without a move after which it is left, if there was one elsewhere."""

    def __init__(self, url: str, join: Join, elsewhere: Callable[[], Awaitable[bool]]) -> None:
        super().__init__(url, join)
        self._elsewhere = elsewhere
        self._view = View()
        self._changed = asyncio.Event()
        self._deserted_at: float | None = None
        self._moved_at = 0.0

    async def run(self, report: Reporter) -> Ending:
        """Stay until the room ends or becomes dull, and report every message."""

        async def seen(event: Heard | Note) -> None:
            self._look(event)
            await report(event)

        self._moved_at = asyncio.get_running_loop().time()
        return await first_of(super().run(seen), self._until_dull())

    def _look(self, event: Heard | Note) -> None:
        if isinstance(event, Note) or event.message is None:
            return
        now, before = asyncio.get_running_loop().time(), self._view
        self._view = fold(before, event.message)
        if _moves(before) != _moves(self._view):
            self._moved_at = now
        if not _is_deserted(self._view):
            self._deserted_at = None
        elif self._deserted_at is None:
            self._deserted_at = now
        self._changed.set()

    async def _until_dull(self) -> Ending:
        while True:
            self._changed.clear()
            due = self._moved_at + self.quiet_s
            if self._deserted_at is not None:
                due = min(due, self._deserted_at + self.deserted_s)
            try:
                async with asyncio.timeout_at(due):
                    await self._changed.wait()
            except TimeoutError:
                now = asyncio.get_running_loop().time()
                if self._deserted_at is not None and now >= self._deserted_at + self.deserted_s:
                    return Ending(0, "the players are gone")
                if await self._elsewhere():
                    return Ending(0, "no move for a while")
                self._moved_at = now  # look again after as long


def _moves(view: View) -> object:
    return None if view.game is None else (view.game.number, view.game.moves)


def _is_deserted(view: View) -> bool:
    """Return whether no player is connected, in a room with a seat for one."""
    if view.room is None or view.all_ai:
        return False
    seats = [view.room.seats[mark] for mark in Mark]
    return not any(isinstance(seat, HumanSeat) and seat.connected for seat in seats)


def television_session(server: ServerAddress, room: RoomName, join: Join) -> TelevisionSession:
    """Return a session in this room, which ends when another is livelier."""
    elsewhere = partial(_is_livelier_elsewhere, server, room)
    return TelevisionSession(server.socket(f"rooms/{room}"), join, elsewhere)


async def _is_livelier_elsewhere(server: ServerAddress, room: RoomName) -> bool:
    try:
        rooms = read_rooms(await fetch(server.api("rooms")))
    except (CannotDial, BadMessage):
        return False
    by_name = {one.name: one for one in rooms}
    best = liveliest(rooms, {room})
    if best is None or room not in by_name:
        return best is not None
    return (by_name[best].changed_at or 0) > (by_name[room].changed_at or 0)


@dataclass(eq=False)
class Spectating:
    """Watch the liveliest room, and the next one when its games are over.

    Args:
        lobby: opens a session in the lobby.
        room: opens a session in a room.
        frontend: the place to show both on.
        terminal: whether the input is a terminal.
        rest_s: how long the end of a game stays on the screen, in seconds.
        skipped: returns, once, whether the last `quit` meant only this room. Then another room is
            next, if there is one.
    """

    lobby: Callable[[], RoomSession]
    room: Callable[[RoomName], RoomSession]
    frontend: Frontend
    _: KW_ONLY
    terminal: bool
    rest_s: float = 0
    skipped: Callable[[], bool] = lambda: False
    _refused: set[RoomName] = field(default_factory=set, init=False)
    _seen: set[RoomName] = field(default_factory=set, init=False)
    _has_said_none: bool = field(default=False, init=False)
    _input_ended: bool = field(default=False, init=False)

    async def run(self, source: LineSource) -> Ending:
        """Watch until the program is stopped, or the input has ended and no room is left."""
        while True:
            chosen = await self._choose(source)
            if isinstance(chosen, Ending):
                return chosen
            self.frontend.say(f"watching {chosen}")
            session, terminal = self.room(chosen), self.terminal
            controller = RoomController(session, self.frontend, terminal=terminal, linger=False)
            end = await controller.run(source)
            if controller.has_quit and self.skipped():
                self._seen.add(chosen)
                self.frontend.say("on to the next room")
                continue
            if controller.has_quit or end.code not in {0, 4}:
                return end
            if end.code == 4:
                self._refused.add(chosen)
            self.frontend.say(f"{chosen}: {end.words or 'the game is over'}; on to the next")
            if self.rest_s and await self._rest(source):
                return Ending(0)

    async def _rest(self, source: LineSource) -> bool:
        """Keep the end of a game on the screen; return whether `quit` ended the program."""
        try:
            async with asyncio.timeout(self.rest_s):
                while (line := await source.line()) is not None:
                    if self._is_quit(line):
                        return not self.skipped()
        except TimeoutError:
            return False
        return True

    async def _choose(self, source: LineSource) -> RoomName | Ending:
        self._has_said_none = False
        async with open_events(self.lobby(), source) as events:
            while True:
                chosen = self._take(await events.get(), events)
                if chosen is not None:
                    return chosen

    def _take(
        self, event: SessionEvent | Typed | EndOfInput, events: EventQueue
    ) -> RoomName | Ending | None:
        match event:
            case Ending():
                return event
            case Note():
                self.frontend.show_connection(event)
            case Heard():
                self.frontend.show_lobby(event)
                if (room := self._wanted(event)) is not None:
                    return room
                if not self._has_said_none:
                    self.frontend.say(NONE_PLAYING)
                self._has_said_none = True
            case Typed(line=line):
                events.taken()
                return Ending(0) if self._is_quit(line) and not self.skipped() else None
            case EndOfInput():
                self._input_ended = True
        ends = self._input_ended and (self._has_said_none or self.terminal)
        return Ending(0) if ends else None

    def _wanted(self, heard: Heard) -> RoomName | None:
        rooms = heard.message.rooms if isinstance(heard.message, Rooms) else ()
        if (room := liveliest(rooms, self._refused | self._seen)) is not None:
            return room
        self._seen.clear()
        return liveliest(rooms, self._refused)

    def _is_quit(self, line: str) -> bool:
        match self.frontend.parse(line):
            case Own(word="quit"):
                return True
            case Own(word="help"):
                self.frontend.show_help()
            case None:
                pass
            case _:
                self.frontend.say("there is no room yet; quit ends the program")
        return False
