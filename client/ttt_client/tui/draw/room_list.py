"""The list of rooms on the screen."""

from ttt_client.text import render
from ttt_client.tui.draw import frame
from ttt_client.tui.draw.canvas import Area, Canvas, shown, width
from ttt_client.tui.model.connection import Lost
from ttt_client.tui.model.room_list import OFFERED, NewRoom, RoomList
from ttt_protocol.state import Summary

_WIDEST = 24
_FORM = 14
"""The column of the values of a form."""
_FORM_KEYS = {"Left Right": "change", "Up Down": "field", "Esc": "back", "Enter": "make it"}
_CHOOSE = {"Up Down": "choose", "/": "filter", "w": "watch", "Enter": "join or watch"}
_HELP = (
    "Up Down j k: choose; Enter: join where a seat is free, else watch",
    "w: watch; c: make a room; /: filter by name, player or board",
    "n: the next page, where there are more than 200 rooms; p: the first",
    "Ctrl-U: clear the filter; Ctrl-R: retry now; q: quit",
    "rooms where a player waits come first, then those with a game",
)


def draw_rooms(room_list: RoomList, canvas: Canvas, now: float) -> None:
    """Draw the whole window."""
    frame.draw_header(canvas, [_count(room_list), room_list.server], room_list.connection, now)
    if room_list.help:
        canvas.write(Area(1, 1, canvas.size.columns - 2, canvas.size.rows - 3), _HELP, "class:does")
    elif room_list.new is not None:
        _draw_form(canvas, room_list.new)
    elif room_list.shown:
        _draw_table(canvas, room_list, room_list.shown)
    else:
        known = room_list.rooms is not None
        none = "no room matches" if room_list.rooms else "no public rooms"
        words = none if known else f"connecting to {room_list.server}"
        frame.draw_words(canvas, frame.middle(canvas), words)
    notice = room_list.notice if room_list.new is None else room_list.new.fault
    if room_list.filtering:
        frame.draw_text_field(canvas, "filter: ", room_list.filter)
    elif room_list.filter and room_list.new is None and not notice:
        kept = f"filter: {shown(room_list.filter)} (Ctrl-U clears it)"
        frame.draw_notice(canvas, kept, "class:prompt")
    else:
        frame.draw_notice(canvas, shown(notice), "class:refused")
    frame.draw_keys(canvas, _keys(room_list))


def _draw_form(canvas: Canvas, form: NewRoom) -> None:
    """Draw the fields of a new room, a line each; a click goes to one."""
    left, right = ("<", ">") if canvas.ascii_only else ("◀", "▶")
    fields, seen = form.fields, canvas.size.rows - 3
    first = max(0, fields.index(form.field) + 1 - seen)
    start = 1 + (canvas.size.rows > len(fields) + 4)
    for y, name in enumerate(fields[first : first + seen], start):
        is_here, value = name == form.field, getattr(form, name)
        canvas.put(2, y, name, "class:to-move" if is_here else "class:edge")
        x = _FORM
        if is_here and name not in OFFERED:
            x = canvas.put(x, y, shown(value), "class:draft")
            canvas.put(x, y, " ", "class:caret")
        elif is_here:
            canvas.put(x - 2, y, f"{left} {shown(value)} {right}", "class:chosen")
        else:
            canvas.put(x, y, shown(value) or "-")
        canvas.target(0, y, canvas.size.columns, 1, f"field:{name}")


def _keys(room_list: RoomList) -> tuple[frame.Key, ...]:
    if isinstance(room_list.connection, Lost):
        return frame.RETRY
    if room_list.rooms is None:
        return (frame.QUIT,)
    if room_list.new is not None:
        return frame.keyed(**_FORM_KEYS)
    does = dict(_CHOOSE if room_list.shown else {})
    if room_list.has_more:
        does["n"] = "next page"
    if room_list.after is not None:
        does["p"] = "first page"
    return (*frame.keyed(**does, c="create"), frame.HELP, frame.QUIT)


def _count(room_list: RoomList) -> str:
    """Return the position and the count: `rooms 3 of 30`, where a filter hides rooms of them."""
    shown_rooms, known = room_list.shown, len(room_list.rooms or ())
    if not shown_rooms:
        return "rooms"
    if len(shown_rooms) < known or room_list.total == known:
        return f"rooms {room_list.at + 1} of {len(shown_rooms)}"
    return f"rooms {room_list.skipped + room_list.at + 1} of {room_list.total}"


def _draw_table(canvas: Canvas, room_list: RoomList, rooms: tuple[Summary, ...]) -> None:
    seen = canvas.size.rows - 4
    first = max(0, min(room_list.at - seen // 2, len(rooms) - seen))
    every = [tuple(map(shown, render.summary(room))) for room in rooms]
    lines = every[first : first + seen]
    # The widths are of all rooms: the columns stand still while the list is scrolled.
    columns = zip(render.SUMMARY, *every, strict=True)
    widths = [min(_WIDEST, max(map(width, column))) for column in columns]
    canvas.put_row(2, 1, render.SUMMARY, widths, "class:edge", numbers=False)
    for y, line in enumerate(lines, start=2):
        chosen = first + y - 2 == room_list.at
        if chosen:
            canvas.put(0, y, ">" if canvas.ascii_only else "▶", "class:pointer")
        canvas.put_row(2, y, line, widths, "class:chosen" if chosen else "", numbers=False)
        canvas.target(0, y, canvas.size.columns, 1, f"row:{first + y - 2}")
