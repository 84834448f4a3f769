"""The list of public rooms, to choose from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from ttt_client.tui.model.screen import Connecting, Connection
from ttt_protocol.state import InvalidRoomName, RoomName, Status, Summary, parse_room_name

_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10}
_ORDER = {Status.WAITING: 0, Status.PLAYING: 1, Status.FINISHED: 2}
BAD_NAME = "a room's name is letters, digits and -"


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
    typing: Literal["filter", "name"] | None = None
    """The field that is being typed, besides a password."""
    filter: str = ""
    name: str = ""
    """The name of a new room."""
    help: bool = False

    @property
    def shown(self) -> tuple[Summary, ...]:
        """The rooms that the filter lets through: those that wait for a player come first."""
        found = [room for room in self.rooms or () if self.filter in _searched(room)]
        return tuple(sorted(found, key=_rank))

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
        return self.asked is not None or self.typing is not None

    def press(self, key: str) -> "tuple[RoomList, Choice | None]":
        """Return the list after a key, and the chosen room if there is one."""
        if self.asked is not None:
            return self._type_password(self.asked, key)
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
            return _choose(replace(self, chosen=rooms[at].name), rooms[at], watch=False)
        if key in {"enter", " ", "w"}:
            return _choose(self, rooms[self.at], watch=key == "w")
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

    def _type_password(self, asked: Choice, key: str) -> "tuple[RoomList, Choice | None]":
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


def _rank(room: Summary) -> int:
    """Return the place of its group: a room where a player waits is first, a deserted one last."""
    is_empty = room.seats.X is None and room.seats.O is None
    return 3 if is_empty else _ORDER[room.status]


def _choose(room_list: RoomList, room: Summary, *, watch: bool) -> tuple[RoomList, Choice | None]:
    """Choose a room, or ask for its password first."""
    free = room.seats.X is None or room.seats.O is None
    choice = Choice(room.name, free, watch)
    if room.locked:
        return replace(room_list, asked=choice, password=""), None
    return replace(room_list, notice=""), choice
