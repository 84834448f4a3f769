"""The list of public rooms, to choose from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from ttt_client.model.lobby import in_order
from ttt_client.tui.model.screen import Connecting, Connection
from ttt_protocol.state import InvalidRoomName, RoomName, Summary, parse_room_name

_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10}
BAD_NAME = "a room's name is letters, digits and -"


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen room."""

    room: RoomName
    free: bool
    """Whether it has a free seat."""
    watch: bool = False


@dataclass(frozen=True, slots=True)
class RoomList:
    """The rooms of the last message, and the selection."""

    server: str
    rooms: tuple[Summary, ...] | None = None
    """None before the first message."""
    connection: Connection = field(default_factory=Connecting)
    chosen: RoomName | None = None
    notice: str = ""
    typing: Literal["filter", "name"] | None = None
    """The field that is being typed."""
    filter: str = ""
    name: str = ""
    """The name of a new room."""
    help: bool = False

    @property
    def shown(self) -> tuple[Summary, ...]:
        """The rooms that the filter lets through: those that wait for a player come first."""
        found = [room for room in self.rooms or () if self.filter in _searched(room)]
        return in_order(found)

    def hear(self, rooms: tuple[Summary, ...]) -> "RoomList":
        """Return the list with `rooms`: the choice stays, or moves to what took its place."""
        return _near(replace(self, rooms=rooms), self.at)

    @property
    def at(self) -> int:
        """The index of the selected room among those shown."""
        names = [room.name for room in self.shown]
        return names.index(self.chosen) if self.chosen in names else 0

    @property
    def is_typing(self) -> bool:
        """Whether keys are text now."""
        return self.typing is not None

    def press(self, key: str) -> "tuple[RoomList, Choice | None]":
        """Return the list after a key, and the chosen room if there is one."""
        if self.typing is not None:
            return self._type(key)
        if self.help or key == "?":
            return replace(self, help=not self.help), None
        match key:
            case "/":
                return replace(self, typing="filter", notice=""), None
            case "c":
                return replace(self, typing="name", name="", notice=""), None
            case "c-u":
                return _near(replace(self, filter=""), 0), None
            case _:
                return self._select(key)

    def _select(self, key: str) -> "tuple[RoomList, Choice | None]":
        rooms = self.shown
        if not rooms:
            return self, None
        if key.startswith("row:"):
            at = min(int(key[4:]), len(rooms) - 1)
            return replace(self, chosen=rooms[at].name, notice=""), _choice(rooms[at])
        if key in {"enter", " ", "w"}:
            return replace(self, notice=""), _choice(rooms[self.at], watch=key == "w")
        at = {"home": 0, "end": len(rooms) - 1}.get(key, self.at + _STEPS.get(key, 0))
        return replace(self, chosen=rooms[max(0, min(at, len(rooms) - 1))].name), None

    def _type(self, key: str) -> "tuple[RoomList, Choice | None]":
        is_filter = self.typing == "filter"
        text = self.filter if is_filter else self.name
        match key:
            case "escape" | "tab":
                return replace(self, typing=None, filter="" if is_filter else self.filter), None
            case "enter" if is_filter:
                return replace(self, typing=None), None
            case "enter":
                return self._create()
            case "up" | "down" if is_filter:
                return self._select(key)
            case "backspace":
                return self._typed(text[:-1]), None
            case "c-u":
                return self._typed(""), None
            case _ if len(key) == 1:
                return self._typed((text + key)[:32]), None
            case _:
                return self, None

    def paste(self, text: str) -> "RoomList":
        """Return the list with pasted text in the field that is being typed, if there is one."""
        if self.typing is None:
            return self
        before = self.filter if self.typing == "filter" else self.name
        return self._typed((before + " ".join(text.split()))[:32])

    def _typed(self, text: str) -> "RoomList":
        if self.typing == "name":
            return replace(self, name=text.lower().replace(" ", "-"))
        return _near(replace(self, filter=text.lower()), 0)

    def _create(self) -> "tuple[RoomList, Choice | None]":
        try:
            name = parse_room_name(self.name)
        except InvalidRoomName:
            return replace(self, typing=None, notice=BAD_NAME), None
        return replace(self, typing=None, notice=""), Choice(name, free=True)


def _near(room_list: RoomList, at: int) -> RoomList:
    """Return the list with the same choice, or with what stands at `at` if that is not shown."""
    names = [room.name for room in room_list.shown]
    if room_list.chosen in names or not names:
        return room_list
    return replace(room_list, chosen=names[min(at, len(names) - 1)])


def _searched(room: Summary) -> str:
    """Return what the filter looks at: the name, the players and the board."""
    rules = room.rules
    board = f"{rules.columns}x{rules.rows}x{rules.in_a_row}"
    return f"{room.name} {room.seats.X or ''} {room.seats.O or ''} {board}".lower()


def _choice(room: Summary, *, watch: bool = False) -> Choice:
    return Choice(room.name, room.seats.X is None or room.seats.O is None, watch)
