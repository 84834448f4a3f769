"""The list of public rooms, to choose from."""

from dataclasses import dataclass, field, replace

from ttt_client.tui.model.screen import Connecting, Connection
from ttt_protocol.state import RoomName, Summary

_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10}


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen room."""

    room: RoomName
    free: bool
    """Whether it has a free seat."""
    watch: bool = False
    password: str | None = None


@dataclass(frozen=True, slots=True)
class RoomList:
    """The rooms of the last message, and the selection."""

    server: str
    rooms: tuple[Summary, ...] | None = None
    """None before the first message."""
    connection: Connection = field(default_factory=Connecting)
    chosen: RoomName | None = None
    notice: str = ""
    asked: Choice | None = None
    """The room whose password is being typed."""
    password: str = ""

    def hear(self, rooms: tuple[Summary, ...]) -> "RoomList":
        """Return the list with `rooms`: the choice stays, or moves to what took its place."""
        at, names = self.at, [room.name for room in rooms]
        if self.chosen in names or not names:
            return replace(self, rooms=rooms)
        return replace(self, rooms=rooms, chosen=names[min(at, len(names) - 1)])

    @property
    def at(self) -> int:
        """The index of the selected room."""
        names = [room.name for room in self.rooms or ()]
        return names.index(self.chosen) if self.chosen in names else 0

    def press(self, key: str) -> "tuple[RoomList, Choice | None]":
        """Return the list after a key, and the chosen room if there is one."""
        if self.asked is not None:
            return self._type(self.asked, key)
        rooms = self.rooms or ()
        if not rooms:
            return self, None
        if key.startswith("row:"):
            at = min(int(key[4:]), len(rooms) - 1)
            return _choose(replace(self, chosen=rooms[at].name), rooms[at], watch=False)
        if key in {"enter", " ", "w"}:
            return _choose(self, rooms[self.at], watch=key == "w")
        at = {"home": 0, "end": len(rooms) - 1}.get(key, self.at + _STEPS.get(key, 0))
        return replace(self, chosen=rooms[max(0, min(at, len(rooms) - 1))].name), None

    def _type(self, asked: Choice, key: str) -> "tuple[RoomList, Choice | None]":
        match key:
            case "escape" | "tab":
                return replace(self, asked=None), None
            case "enter":
                choice = replace(asked, password=self.password or None)
                return replace(self, asked=None, notice=""), choice
            case "backspace":
                return replace(self, password=self.password[:-1]), None
            case _ if len(key) == 1:
                return replace(self, password=(self.password + key)[:128]), None
            case _:
                return self, None


def _choose(room_list: RoomList, room: Summary, *, watch: bool) -> tuple[RoomList, Choice | None]:
    """Choose a room, or ask for its password first."""
    free = room.seats.X is None or room.seats.O is None
    choice = Choice(room.name, free, watch)
    if room.locked:
        return replace(room_list, asked=choice, password=""), None
    return replace(room_list, notice=""), choice
