"""The public rooms: the list, and the liveliest of them to watch."""

import asyncio
from collections.abc import Callable, Collection
from typing import assert_never

from ttt_client.model.typed import Wish
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Happening, Heard, Link, Note
from ttt_client.play.controller import Visit
from ttt_client.play.events import EndOfInput, Inbox, Typed, open_inbox
from ttt_client.play.frontends import Face
from ttt_client.terminal.stdin import Lines
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName, Status, Summary

NONE_PLAYING = "nobody is playing in public; waiting for a game to watch"


async def show_rooms(link: Link, face: Face, *, follow: bool) -> Ending:
    """The rooms once, or after every change until the program is stopped."""
    async with open_inbox(link) as inbox:
        while True:
            match await inbox.get():
                case Ending() as end:
                    return end
                case Note() as note:
                    face.linked(note)
                case Heard() as heard:
                    face.heard(View(), heard, View())
                    if isinstance(heard.message, Rooms) and not follow:
                        return Ending(0)
                case _:  # pragma: no cover - nothing is typed here
                    raise AssertionError("a line without a keyboard")


def liveliest(rooms: Collection[Summary], refused: Collection[RoomName]) -> RoomName | None:
    """The room with the most spectators of those where a game goes on; None if there is none."""
    playing = [
        room
        for room in rooms
        if room.status is Status.PLAYING and not room.locked and room.name not in refused
    ]
    best = max(playing, key=lambda room: (room.spectators, room.ply), default=None)
    return None if best is None else best.name


class Zapper:
    """Watches the liveliest room, and the next when its games are over.

    It rests on the end of a game for `rest_s`. `skipped` says, once, that the last `quit` was of
    the room alone: then another room is next, if there is one.
    """

    def __init__(
        self,
        lobby: Callable[[], Link],
        room: Callable[[RoomName], Link],
        face: Face,
        *,
        terminal: bool,
        rest_s: float = 0,
        skipped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._lobby = lobby
        self._room = room
        self._face = face
        self._terminal = terminal
        self._rest_s = rest_s
        self._skipped = skipped
        self._refused: set[RoomName] = set()
        self._seen: set[RoomName] = set()
        self._told = False
        self._input_ended = False

    async def run(self, keyboard: Lines) -> Ending:
        """Watch until the program is stopped, or no room is left and no input can come."""
        while True:
            chosen = await self._choose(keyboard)
            if isinstance(chosen, Ending):
                return chosen
            self._face.note(f"watching {chosen}")
            visit = Visit(self._room(chosen), self._face, terminal=self._terminal, linger=False)
            end = await visit.run(keyboard)
            if visit.quit and self._skipped():
                self._seen.add(chosen)
                self._face.note("on to the next room")
                continue
            if visit.quit or end.code not in {0, 4}:
                return end
            if end.code == 4:
                self._refused.add(chosen)
            self._face.note(f"{chosen}: {end.words or 'the game is over'}; on to the next")
            if self._rest_s and await self._rest(keyboard):
                return Ending(0)

    async def _rest(self, keyboard: Lines) -> bool:
        """Leave the end of a game in sight for a while; whether that was the end of it all."""
        try:
            async with asyncio.timeout(self._rest_s):
                while (line := await keyboard.line()) is not None:
                    if self._is_quit(line):
                        return not self._skipped()
        except TimeoutError:
            return False
        return True

    async def _choose(self, keyboard: Lines) -> RoomName | Ending:
        self._told = False
        async with open_inbox(self._lobby(), keyboard) as inbox:
            while True:
                chosen = self._take(await inbox.get(), inbox)
                if chosen is not None:
                    return chosen

    def _take(
        self, happening: Happening | Typed | EndOfInput, inbox: Inbox
    ) -> RoomName | Ending | None:
        match happening:
            case Ending():
                return happening
            case Note():
                self._face.linked(happening)
            case Heard():
                self._face.passed(happening)
                if (room := self._wanted(happening)) is not None:
                    return room
                if not self._told:
                    self._face.note(NONE_PLAYING)
                self._told = True
            case Typed(line=line):
                inbox.taken()
                return Ending(0) if self._is_quit(line) and not self._skipped() else None
            case EndOfInput():
                self._input_ended = True
            case _:  # pragma: no cover - the union is closed
                assert_never(happening)
        return Ending(0) if self._input_ended and (self._told or self._terminal) else None

    def _wanted(self, heard: Heard) -> RoomName | None:
        rooms = heard.message.rooms if isinstance(heard.message, Rooms) else ()
        if (room := liveliest(rooms, self._refused | self._seen)) is not None:
            return room
        self._seen.clear()
        return liveliest(rooms, self._refused)

    def _is_quit(self, line: str) -> bool:
        match self._face.read(line):
            case Wish(word="quit"):
                return True
            case Wish(word="help"):
                self._face.help()
            case None:
                pass
            case _:
                self._face.note("there is no room yet")
        return False
