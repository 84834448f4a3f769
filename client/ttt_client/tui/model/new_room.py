"""The form of a new room: its fields, and the settings that they name. Pure."""

import re
from dataclasses import dataclass, replace
from typing import Any

from ttt_client.model import options
from ttt_client.model.options import BOARDS, InvalidOption
from ttt_protocol.state import GivenSettings, InvalidRoomName, RoomName, Rules, parse_room_name
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
        if key == "backspace":
            return self._with(value[:-1])
        if key == "c-u":
            return self._with("")
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

    def made(self) -> "tuple[RoomName, GivenSettings | None] | NewRoom":
        """Return the name and the settings that differ from the usual ones.

        Or return the form with the fault, at its field.
        """
        at, is_rated = "name", self.rated == "yes"
        try:
            room = parse_room_name(self.name)
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
        except InvalidRoomName:
            return replace(self, field=at, fault=BAD_NAME)
        except InvalidOption as error:
            return replace(self, field=at, fault=str(error))
        return room, options.settings_of(
            rules=None if rules == Rules() else rules,
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
