"""The list of public rooms, to choose from."""

from dataclasses import dataclass, field, replace

from ttt_client.model.lobby import in_order
from ttt_client.tui.model.input import LIST_STEPS
from ttt_client.tui.model.new_room import NewRoom
from ttt_client.tui.model.screen import Connecting, Connection
from ttt_protocol.state import GivenSettings, RoomName, Summary

_LONGEST = 32


@dataclass(frozen=True, slots=True)
class ChosenRoom:
    """A room to go to."""

    room: RoomName
    free: bool
    """Whether it has a free seat."""
    watch: bool = False
    settings: GivenSettings | None = None
    """The settings of a new room that differ from the usual ones."""


@dataclass(frozen=True, slots=True)
class RoomList:
    """The rooms of the last message, and the selection."""

    server: str
    rooms: tuple[Summary, ...] | None = None
    """None before the first message."""
    total: int = 0
    """The rooms on all pages."""
    after: RoomName | None = None
    """The last room of the page before; None on the first page."""
    skipped: int = 0
    """The rooms on the pages before."""
    connection: Connection = field(default_factory=Connecting)
    chosen: RoomName | None = None
    notice: str = ""
    filtering: bool = False
    """Whether the filter is being typed."""
    filter: str = ""
    new: NewRoom | None = None
    """The form of a new room, while it is filled in."""
    help: bool = False
    keeps_name: bool = False
    """Whether the reader keeps a name on the server."""

    @property
    def shown(self) -> tuple[Summary, ...]:
        """The rooms that match the filter; rooms that wait for a player come first."""
        found = [room for room in self.rooms or () if self.filter in _searched(room)]
        return in_order(found)

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return bool(self.rooms) and self.skipped + len(self.rooms or ()) < self.total

    def hear(self, rooms: tuple[Summary, ...], total: int | None = None) -> "RoomList":
        """Return the list with `rooms`: the choice stays, or moves to what took its place."""
        return _near(replace(self, rooms=rooms, total=total or len(rooms)), self.at)

    @property
    def at(self) -> int:
        """The index of the selected room among those shown."""
        names = [room.name for room in self.shown]
        return names.index(self.chosen) if self.chosen in names else 0

    @property
    def is_typing(self) -> bool:
        """Whether keys are text now."""
        return self.filtering or self.new is not None

    def press(self, key: str) -> "tuple[RoomList, ChosenRoom | None]":
        """Return the list after a key, and the chosen room if there is one."""
        if self.new is not None:
            return self._fill_in(self.new, key)
        if self.filtering:
            return self._type(key)
        if self.help or key == "?":
            return replace(self, help=not self.help), None
        match key:
            case "/":
                return replace(self, filtering=True, notice=""), None
            case "c":
                return replace(self, new=NewRoom(keeps_name=self.keeps_name), notice=""), None
            case "c-u":
                return _near(replace(self, filter=""), 0), None
            case "n" if self.rooms and self.has_more:
                last = max(room.name for room in self.rooms)
                return self._turned(last, self.skipped + len(self.rooms)), None
            case "p" if self.after:
                return self._turned(None, 0), None
            case _:
                return self._select(key)

    def _turned(self, after: RoomName | None, skipped: int) -> "RoomList":
        """Return the list on another page, which is still to be heard."""
        return replace(
            self, rooms=None, chosen=None, connection=Connecting(), after=after, skipped=skipped
        )

    def _select(self, key: str) -> "tuple[RoomList, ChosenRoom | None]":
        rooms = self.shown
        if not rooms:
            return self, None
        if key.startswith("row:"):
            at = min(int(key[4:]), len(rooms) - 1)
            return replace(self, chosen=rooms[at].name, notice=""), _choice(rooms[at])
        if key in {"enter", " ", "w"}:
            return replace(self, notice=""), _choice(rooms[self.at], watch=key == "w")
        at = {"home": 0, "end": len(rooms) - 1}.get(key, self.at + LIST_STEPS.get(key, 0))
        return replace(self, chosen=rooms[max(0, min(at, len(rooms) - 1))].name), None

    def _type(self, key: str) -> "tuple[RoomList, ChosenRoom | None]":
        match key:
            case "escape" | "tab":
                return replace(self, filtering=False, filter=""), None
            case "enter":
                return replace(self, filtering=False), None
            case "up" | "down":
                return self._select(key)
            case "backspace":
                return self._filtered(self.filter[:-1]), None
            case "c-u":
                return self._filtered(""), None
            case _ if len(key) == 1:
                return self._filtered(self.filter + key), None
            case _:
                return self, None

    def _fill_in(self, form: NewRoom, key: str) -> "tuple[RoomList, ChosenRoom | None]":
        if key == "escape":
            return replace(self, new=None), None
        if key != "enter":
            return replace(self, new=form.press(key)), None
        made = form.made()
        if isinstance(made, NewRoom):
            return replace(self, new=made), None
        name, settings = made
        return replace(self, new=None), ChosenRoom(name, free=True, settings=settings)

    def paste(self, text: str) -> "RoomList":
        """Return the list with pasted text in the field that is being typed, if there is one."""
        pasted = " ".join(text.split())
        if self.new is not None:
            before = getattr(self.new, self.new.field)
            return replace(self, new=self.new.typed(before + pasted))
        return self._filtered(self.filter + pasted) if self.filtering else self

    def _filtered(self, text: str) -> "RoomList":
        return _near(replace(self, filter=text.lower()[:_LONGEST]), 0)


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


def _choice(room: Summary, *, watch: bool = False) -> ChosenRoom:
    return ChosenRoom(room.name, room.seats.X is None or room.seats.O is None, watch)
