"""The public rooms on the screen: a list that lives, to choose from."""

from dataclasses import dataclass, field, replace

from ttt_client import render
from ttt_client.screen.canvas import Area, Canvas, Picture, Size, shown, width
from ttt_client.screen.footer import QUIT, ROWS, Key, draw_draft, draw_keys
from ttt_client.screen.header import draw_header
from ttt_client.screen.layout import draw_words, too_small
from ttt_client.screen.stage import Connecting, Connection
from ttt_protocol.state import RoomName, Summary

_WIDEST = 24
_GAP = 2
_KEYS = (
    Key("Up Down", "choose", "down"),
    Key("w", "watch", "w"),
    Key("Enter", "join or watch", "enter"),
    QUIT,
)
_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10}


@dataclass(frozen=True, slots=True)
class Choice:
    """A room to go to."""

    room: RoomName
    free: bool
    """Whether a seat is free there."""
    watch: bool = False
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The rooms as they were last told, and which is chosen."""

    server: str
    rooms: tuple[Summary, ...] | None = None
    """None before they are known."""
    connection: Connection = field(default_factory=Connecting)
    chosen: RoomName | None = None
    notice: str = ""
    asked: Choice | None = None
    """What is chosen if the password that is being typed is right."""
    password: str = ""

    def hear(self, rooms: tuple[Summary, ...]) -> "Listing":
        """The listing with these rooms; what is chosen stays chosen, or is what took its place."""
        at, names = self.at, [room.name for room in rooms]
        if self.chosen in names or not names:
            return replace(self, rooms=rooms)
        return replace(self, rooms=rooms, chosen=names[min(at, len(names) - 1)])

    @property
    def at(self) -> int:
        """The place of the chosen room."""
        names = [room.name for room in self.rooms or ()]
        return names.index(self.chosen) if self.chosen in names else 0

    def press(self, key: str) -> "tuple[Listing, Choice | None]":
        """The listing after a key, and the room to go to."""
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

    def _type(self, asked: Choice, key: str) -> "tuple[Listing, Choice | None]":
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


def _choose(listing: Listing, room: Summary, *, watch: bool) -> tuple[Listing, Choice | None]:
    """The room itself, or first the question for its password."""
    free = room.seats.X is None or room.seats.O is None
    choice = Choice(room.name, free, watch)
    if room.locked:
        return replace(listing, asked=choice, password=""), None
    return replace(listing, notice=""), choice


def draw_rooms(listing: Listing, size: Size, now: float, *, ascii_only: bool = False) -> Picture:
    """All of the window."""
    if (small := too_small(size, ascii_only=ascii_only)) is not None:
        return small
    canvas = Canvas(size, ascii_only=ascii_only)
    draw_header(canvas, ["rooms", listing.server], listing.connection, now)
    if listing.rooms:
        _draw_table(canvas, listing, listing.rooms)
    else:
        known = listing.rooms is not None
        words = "no public rooms" if known else f"connecting to {listing.server}"
        draw_words(canvas, Area(0, 1, size.columns, size.rows - ROWS - 1), words)
    if listing.asked is not None:
        draw_draft(canvas, size.rows - 2, "password: ", "*" * len(listing.password))
    else:
        notice, room = shown(listing.notice), size.columns - 2
        canvas.put(1, size.rows - 2, notice, "class:refused", columns=room)
    draw_keys(canvas, size.rows - 1, _KEYS if listing.rooms else (QUIT,))
    return canvas.picture()


def _draw_table(canvas: Canvas, listing: Listing, rooms: tuple[Summary, ...]) -> None:
    seen = canvas.size.rows - 4
    first = max(0, min(listing.at - seen // 2, len(rooms) - seen))
    lines = [tuple(map(shown, render.summary(room))) for room in rooms[first : first + seen]]
    widths = [
        min(_WIDEST, max(width(line[column]) for line in (render.SUMMARY, *lines)))
        for column in range(len(render.SUMMARY))
    ]
    _draw_line(canvas, 1, render.SUMMARY, widths, "class:edge")
    for y, line in enumerate(lines, start=2):
        chosen = first + y - 2 == listing.at
        if chosen:
            canvas.put(0, y, ">" if canvas.ascii_only else "▶", "class:pointer")
        _draw_line(canvas, y, line, widths, "class:chosen" if chosen else "")
        canvas.target(0, y, canvas.size.columns, 1, f"row:{first + y - 2}")


def _draw_line(
    canvas: Canvas, y: int, line: tuple[str, ...], widths: list[int], style: str
) -> None:
    x = 2
    for cell, columns in zip(line, widths, strict=True):
        if x >= canvas.size.columns:
            break
        canvas.put(x, y, cell, style, columns=columns)
        x += columns + _GAP
