"""The public rooms: the list, and the liveliest of them to watch."""

import asyncio
from collections.abc import Callable, Collection
from typing import assert_never

from ttt_client.model.typed import Own
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, Note, RoomSession, SessionEvent
from ttt_client.play.controller import RoomController
from ttt_client.play.events import EndOfInput, EventQueue, Typed, open_events
from ttt_client.play.frontends import Frontend
from ttt_client.terminal.stdin import LineSource
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName, Status, Summary

NONE_PLAYING = "nobody is playing in public; waiting for a game to watch"


async def show_rooms(session: RoomSession, frontend: Frontend, *, follow: bool) -> Ending:
    """Show the rooms once, or after every change until the program is stopped."""
    async with open_events(session) as events:
        while True:
            match await events.get():
                case Ending() as end:
                    return end
                case Note() as note:
                    frontend.show_connection(note)
                case Heard() as heard:
                    frontend.show_message(View(), heard, View())
                    if isinstance(heard.message, Rooms) and not follow:
                        return Ending(0)
                case _:  # pragma: no cover - there is no input here
                    raise AssertionError("a line without an input")


def liveliest(rooms: Collection[Summary], refused: Collection[RoomName]) -> RoomName | None:
    """Return the room with a running game and the most spectators; None if there is none."""
    playing = [
        room
        for room in rooms
        if room.status is Status.PLAYING and not room.locked and room.name not in refused
    ]
    best = max(playing, key=lambda room: (room.spectators, room.ply), default=None)
    return None if best is None else best.name


class Spectating:
    """Watch the liveliest room, and the next one when its games are over.

    Args:
        lobby: opens a session in the lobby.
        room: opens a session in a room.
        frontend: the place to show both on.
        terminal: whether the input is a terminal.
        rest_s: how long the end of a game stays in sight, in seconds.
        skipped: returns, once, whether the last `quit` meant this room alone. Then another room is
            next, if there is one.
    """

    def __init__(
        self,
        lobby: Callable[[], RoomSession],
        room: Callable[[RoomName], RoomSession],
        frontend: Frontend,
        *,
        terminal: bool,
        rest_s: float = 0,
        skipped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._lobby = lobby
        self._room = room
        self._frontend = frontend
        self._terminal = terminal
        self._rest_s = rest_s
        self._skipped = skipped
        self._refused: set[RoomName] = set()
        self._seen: set[RoomName] = set()
        self._has_said_none = False
        self._input_ended = False

    async def run(self, source: LineSource) -> Ending:
        """Watch until the program is stopped, or no room is left and the input has ended."""
        while True:
            chosen = await self._choose(source)
            if isinstance(chosen, Ending):
                return chosen
            self._frontend.say(f"watching {chosen}")
            controller = RoomController(
                self._room(chosen), self._frontend, terminal=self._terminal, linger=False
            )
            end = await controller.run(source)
            if controller.has_quit and self._skipped():
                self._seen.add(chosen)
                self._frontend.say("on to the next room")
                continue
            if controller.has_quit or end.code not in {0, 4}:
                return end
            if end.code == 4:
                self._refused.add(chosen)
            self._frontend.say(f"{chosen}: {end.words or 'the game is over'}; on to the next")
            if self._rest_s and await self._rest(source):
                return Ending(0)

    async def _rest(self, source: LineSource) -> bool:
        """Leave the end of a game in sight for a while; return whether that ended the program."""
        try:
            async with asyncio.timeout(self._rest_s):
                while (line := await source.line()) is not None:
                    if self._is_quit(line):
                        return not self._skipped()
        except TimeoutError:
            return False
        return True

    async def _choose(self, source: LineSource) -> RoomName | Ending:
        self._has_said_none = False
        async with open_events(self._lobby(), source) as events:
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
                self._frontend.show_connection(event)
            case Heard():
                self._frontend.show_lobby(event)
                if (room := self._wanted(event)) is not None:
                    return room
                if not self._has_said_none:
                    self._frontend.say(NONE_PLAYING)
                self._has_said_none = True
            case Typed(line=line):
                events.taken()
                return Ending(0) if self._is_quit(line) and not self._skipped() else None
            case EndOfInput():
                self._input_ended = True
            case _:  # pragma: no cover - the union is closed
                assert_never(event)
        ends = self._input_ended and (self._has_said_none or self._terminal)
        return Ending(0) if ends else None

    def _wanted(self, heard: Heard) -> RoomName | None:
        rooms = heard.message.rooms if isinstance(heard.message, Rooms) else ()
        if (room := liveliest(rooms, self._refused | self._seen)) is not None:
            return room
        self._seen.clear()
        return liveliest(rooms, self._refused)

    def _is_quit(self, line: str) -> bool:
        match self._frontend.parse(line):
            case Own(word="quit"):
                return True
            case Own(word="help"):
                self._frontend.show_help()
            case None:
                pass
            case _:
                self._frontend.say("there is no room yet")
        return False
