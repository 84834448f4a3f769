"""The list of public rooms, to choose from."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ttt_client.model import options
from ttt_client.model.lobby import in_order
from ttt_client.model.options import BOARDS, InvalidOption
from ttt_client.tui.model.connection import Connecting, Connection
from ttt_client.tui.model.input import stepped
from ttt_protocol import state
from ttt_protocol.strengths import Strength

BAD_NAME = "a room's name is letters, digits and -"
FIELDS = ("name", "board", "opponent", "clock", "rated", "private")
_YES_NO = ("no", "yes")
OFFERED = {
    "board": BOARDS,
    "opponent": ("people", *Strength),
    "clock": ("none", "1+0", "1+2", "3+2", "5+3", "10+5", "1 day", "3 days", "7 days"),
    "rated": _YES_NO,
    "private": _YES_NO,
}
"""The values that Left and Right go through; others can be typed."""
_NO_AI = "a rated game is between two people: leave out the AI"
_NO_PACE = "a rated game needs a clock, or days for each move"
_LONGEST = 32
"""The most characters of a field, and of the filter."""
_STEPS = {"up": -1, "down": 1, "tab": 1}


@dataclass(frozen=True, slots=True)
class NewRoom:
    """The fields, and which of them is filled in now."""

    name: str = ""
    board: str = BOARDS[0]
    opponent: str = "people"
    clock: str = "none"
    rated: str = "no"
    private: str = "no"
    field: str = "name"
    fault: str = ""
    """Why the room was not made; empty after the next key."""
    keeps_name: bool = False
    """Whether the reader keeps a name on the server, which rated games need."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the reader may fill in."""
        return tuple(name for name in FIELDS if name != "rated" or self.keeps_name)

    def press(self, key: str) -> "NewRoom":
        """Return the form after a key other than Enter and Escape."""
        value = getattr(self, self.field)
        offered = OFFERED.get(self.field, ())
        if key in _STEPS:
            at = self.fields.index(self.field) + _STEPS[key]
            return replace(self, field=self.fields[at % len(self.fields)], fault="")
        if key.startswith("field:"):
            return replace(self, field=key[6:], fault="")
        if offered and key in {"left", "right", " "}:
            at = offered.index(value) if value in offered else -1
            step = -1 if key == "left" else 1
            return self._with(offered[(at + step) % len(offered)])
        if key in {"backspace", "c-u"}:
            return self._with(value[:-1] if key == "backspace" else "")
        if len(key) == 1:
            # The first character takes the place of an offered value.
            return self.typed(key if value in offered else value + key)
        return self

    def typed(self, text: str) -> "NewRoom":
        """Return the form with this text in its field."""
        if self.field == "name":
            return self._with(text.lower().replace(" ", "-"))
        starts = [value for value in _YES_NO if value.startswith(text.lower())]
        is_choice = OFFERED[self.field] is _YES_NO
        return self._with(starts[0] if is_choice and starts else text)

    def _with(self, value: str) -> "NewRoom":
        changed: dict[str, Any] = {self.field: value[:_LONGEST], "fault": ""}
        return replace(self, **changed)

    def made(self) -> "tuple[state.RoomName, state.GivenSettings | None] | NewRoom":
        """Return the name and the settings that differ from the usual ones.

        Or return the form with the fault, at its field.
        """
        at, is_rated = "name", self.rated == "yes"
        try:
            room = state.parse_room_name(self.name)
            at = "board"
            rules = options.parse_rules(self.board)
            at = "opponent"
            ai = None if self.opponent == "people" else options.parse_ai(self.opponent, rules)
            if is_rated and ai is not None:
                raise InvalidOption(_NO_AI)
            at = "clock"
            pace = _pace(self.clock)
            if is_rated and not pace:
                raise InvalidOption(_NO_PACE)
        except state.InvalidRoomName:
            return replace(self, field=at, fault=BAD_NAME)
        except InvalidOption as error:
            return replace(self, field=at, fault=str(error))
        return room, options.settings_of(
            rules=None if rules == state.Rules() else rules,
            seats=None if ai is None else options.seats_against(ai, None),
            **pace,
            rated=True if is_rated else None,
            public=False if self.private == "yes" else None,
        )


def _pace(text: str) -> dict[str, object]:
    """Return the setting of a clock, or of days for each move; none for neither.

    Raises:
        InvalidOption: if it is none of these.
    """
    if text in {"none", ""}:
        return {}
    if found := re.fullmatch(r"([1-9]|1[0-4]) ?d(ays?)?", text):
        return {"days": int(found[1])}
    return {"clock": options.parse_clock(text)}


class ChosenRoom(NamedTuple):
    """A room to go to."""

    room: state.RoomName
    free: bool
    """Whether it has a free seat."""
    watch: bool = False
    settings: state.GivenSettings | None = None
    """The settings of a new room that differ from the usual ones."""


@dataclass(frozen=True, slots=True)
class RoomList:
    """The rooms of the last message, and the selection."""

    server: str
    rooms: tuple[state.Summary, ...] | None = None
    """None before the first message."""
    total: int = 0
    """The rooms on all pages."""
    after: state.RoomName | None = None
    """The last room of the page before; None on the first page."""
    skipped: int = 0
    """The rooms on the pages before."""
    connection: Connection = field(default_factory=Connecting)
    chosen: state.RoomName | None = None
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
    def shown(self) -> tuple[state.Summary, ...]:
        """The rooms that match the filter; rooms that wait for a player come first."""
        found = [room for room in self.rooms or () if self.filter in _searched(room)]
        return in_order(found)

    @property
    def has_more(self) -> bool:
        """Whether another page follows."""
        return bool(self.rooms) and self.skipped + len(self.rooms or ()) < self.total

    def hear(self, rooms: tuple[state.Summary, ...], total: int | None = None) -> "RoomList":
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

    def _turned(self, after: state.RoomName | None, skipped: int) -> "RoomList":
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
        return replace(self, chosen=rooms[stepped(self.at, key, len(rooms) - 1)].name), None

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


def _searched(room: state.Summary) -> str:
    """Return what the filter looks at: the name, the players and the board."""
    rules = room.rules
    board = f"{rules.columns}x{rules.rows}x{rules.in_a_row}"
    return f"{room.name} {room.seats.X or ''} {room.seats.O or ''} {board}".lower()


def _choice(room: state.Summary, *, watch: bool = False) -> ChosenRoom:
    return ChosenRoom(room.name, room.seats.X is None or room.seats.O is None, watch)
