"""The public rooms: the list, and the liveliest of them to watch."""

import asyncio
from collections.abc import Callable, Collection
from typing import assert_never

from ttt_client.model.typed import Wish
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
    """The rooms once, or after every change until the program is stopped."""
    async with open_events(session) as events:
        while True:
            match await events.get():
                case Ending() as end:
                    return end
                case Note() as note:
                    frontend.linked(note)
                case Heard() as heard:
                    frontend.heard(View(), heard, View())
                    if isinstance(heard.message, Rooms) and not follow:
                        return Ending(0)
                case _:  # pragma: no cover - nothing is typed here
                    raise AssertionError("a line without a source")


def liveliest(rooms: Collection[Summary], refused: Collection[RoomName]) -> RoomName | None:
    """The room with the most spectators of those where a game goes on; None if there is none."""
    playing = [
        room
        for room in rooms
        if room.status is Status.PLAYING and not room.locked and room.name not in refused
    ]
    best = max(playing, key=lambda room: (room.spectators, room.ply), default=None)
    return None if best is None else best.name


class Spectating:
    """Watches the liveliest room, and the next when its games are over.

    It rests on the end of a game for `rest_s`. `skipped` says, once, that the last `quit` was of
    the room alone: then another room is next, if there is one.
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
        self._told = False
        self._input_ended = False

    async def run(self, source: LineSource) -> Ending:
        """Watch until the program is stopped, or no room is left and no input can come."""
        while True:
            chosen = await self._choose(source)
            if isinstance(chosen, Ending):
                return chosen
            self._frontend.note(f"watching {chosen}")
            visit = RoomController(
                self._room(chosen), self._frontend, terminal=self._terminal, linger=False
            )
            end = await visit.run(source)
            if visit.quit and self._skipped():
                self._seen.add(chosen)
                self._frontend.note("on to the next room")
                continue
            if visit.quit or end.code not in {0, 4}:
                return end
            if end.code == 4:
                self._refused.add(chosen)
            self._frontend.note(f"{chosen}: {end.words or 'the game is over'}; on to the next")
            if self._rest_s and await self._rest(source):
                return Ending(0)

    async def _rest(self, source: LineSource) -> bool:
        """Leave the end of a game in sight for a while; whether that was the end of it all."""
        try:
            async with asyncio.timeout(self._rest_s):
                while (line := await source.line()) is not None:
                    if self._is_quit(line):
                        return not self._skipped()
        except TimeoutError:
            return False
        return True

    async def _choose(self, source: LineSource) -> RoomName | Ending:
        self._told = False
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
                self._frontend.linked(event)
            case Heard():
                self._frontend.passed(event)
                if (room := self._wanted(event)) is not None:
                    return room
                if not self._told:
                    self._frontend.note(NONE_PLAYING)
                self._told = True
            case Typed(line=line):
                events.taken()
                return Ending(0) if self._is_quit(line) and not self._skipped() else None
            case EndOfInput():
                self._input_ended = True
            case _:  # pragma: no cover - the union is closed
                assert_never(event)
        return Ending(0) if self._input_ended and (self._told or self._terminal) else None

    def _wanted(self, heard: Heard) -> RoomName | None:
        rooms = heard.message.rooms if isinstance(heard.message, Rooms) else ()
        if (room := liveliest(rooms, self._refused | self._seen)) is not None:
            return room
        self._seen.clear()
        return liveliest(rooms, self._refused)

    def _is_quit(self, line: str) -> bool:
        match self._frontend.read(line):
            case Wish(word="quit"):
                return True
            case Wish(word="help"):
                self._frontend.help()
            case None:
                pass
            case _:
                self._frontend.note("there is no room yet")
        return False
