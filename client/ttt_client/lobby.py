"""The public rooms: the list, and the liveliest of them to watch."""

from collections.abc import Callable, Collection
from typing import assert_never

from ttt_client.inbox import EndOfInput, Inbox, Typed, open_inbox
from ttt_client.keyboard import Keyboard
from ttt_client.lines import Wish
from ttt_client.link import Ending, Happening, Heard, Link, Note
from ttt_client.plain import Face
from ttt_client.state import View
from ttt_client.visit import Visit
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
                case Note(words=words):
                    face.note(words)
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
    """Watches the liveliest room, and the next when its games are over."""

    def __init__(
        self,
        lobby: Callable[[], Link],
        room: Callable[[RoomName], Link],
        face: Face,
        *,
        terminal: bool,
    ) -> None:
        self._lobby = lobby
        self._room = room
        self._face = face
        self._terminal = terminal
        self._refused: set[RoomName] = set()
        self._told = False
        self._input_ended = False

    async def run(self, keyboard: Keyboard) -> Ending:
        """Watch until the program is stopped, or no room is left and no input can come."""
        while True:
            chosen = await self._choose(keyboard)
            if isinstance(chosen, Ending):
                return chosen
            self._face.note(f"watching {chosen}")
            visit = Visit(self._room(chosen), self._face, terminal=self._terminal, linger=False)
            end = await visit.run(keyboard)
            if visit.quit or end.code not in {0, 4}:
                return end
            if end.code == 4:
                self._refused.add(chosen)
            self._face.note(f"{chosen}: {end.words or 'the game is over'}; on to the next")

    async def _choose(self, keyboard: Keyboard) -> RoomName | Ending:
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
            case Note(words=words):
                self._face.note(words)
            case Heard():
                self._face.passed(happening)
                if (room := self._wanted(happening)) is not None:
                    return room
                if not self._told:
                    self._face.note(NONE_PLAYING)
                self._told = True
            case Typed(line=line):
                inbox.taken()
                return Ending(0) if self._is_quit(line) else None
            case EndOfInput():
                self._input_ended = True
            case _:  # pragma: no cover - the union is closed
                assert_never(happening)
        return Ending(0) if self._input_ended and (self._told or self._terminal) else None

    def _wanted(self, heard: Heard) -> RoomName | None:
        rooms = heard.message.rooms if isinstance(heard.message, Rooms) else ()
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
