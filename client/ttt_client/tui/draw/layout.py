"""A room in a window: header, board, panel or seats, and the lines at the bottom."""

from dataclasses import replace

from ttt_client.model.exploration import position
from ttt_client.tui.draw import frame
from ttt_client.tui.draw.board import Grid, Marking, draw_board, fit
from ttt_client.tui.draw.canvas import Area, Canvas, Size, shown, wrap
from ttt_client.tui.draw.panel import KEPT, KEPT_ASCII, draw_panel, draw_seat, last_move
from ttt_client.tui.model.connection import Live
from ttt_client.tui.model.input import InputState, aimed
from ttt_client.tui.model.screen import ScreenState
from ttt_protocol.state import Mark

HELP = (
    ("1-9", "play that cell, on 3x3"),
    ("arrows, hjkl", "move the cursor"),
    ("Enter, Space", "play the cell under it"),
    ("b2", "play by column and row"),
    ("d Enter, 4", "drop in a column, where pieces fall"),
    ("left click", "play the clicked cell"),
    ("r d t", "resign, offer a draw, ask a move back"),
    ("R D T I N", "the same where the small letter is a column"),
    ("s w m", "in a fair opening: stay, swap, or place two more stones"),
    ("n i", "rematch; hint, where the room has them"),
    ("y x", "accept or decline an offer"),
    ("C F", "claim the game, seat an AI: when the other is gone"),
    ("Tab /", "chat"),
    ("H", "hide the chat, or show it again"),
    ("M", "for the host: mute, remove, clear, who may chat"),
    (":", "any line of plain mode: rename eve, leave"),
    ("E [ ]", "in an event: the standings, your other boards"),
    ("Ctrl-R", "retry now, while the connection is lost"),
    (KEPT.strip(), "beside a name: the player keeps it on this server"),
    ("? q Ctrl-Z", "this help, quit, suspend"),
)
_KEYS = max(len(keys) for keys, _ in HELP) + 2
_WIDE = _KEYS + 20
"""The least width of a table; in a narrower window each key precedes its effect."""


def help_lines(columns: int, *, ascii_only: bool = False) -> list[tuple[str, str]]:
    """Return the lines of the help in that width: keys and effects, each a column."""
    lines: list[tuple[str, str]] = []
    for key, does in HELP:
        keys = key.replace(KEPT.strip(), KEPT_ASCII.strip()) if ascii_only else key
        if columns >= _WIDE:
            wrapped = wrap(does, columns - _KEYS)
            lines += [(keys, wrapped[0]), *(("", line) for line in wrapped[1:])]
        else:
            lines += [("", line) for line in wrap(f"{keys}: {does}", columns)]
    return lines


def draw_help(canvas: Canvas, area: Area, first: int) -> None:
    """Draw the lines from `first` on; the last row says how to see more, if there is more."""
    room = area.columns - 2
    lines = help_lines(room, ascii_only=canvas.ascii_only)
    rows = area.rows if len(lines) <= area.rows else area.rows - 1
    first = min(first, len(lines) - rows) if rows < len(lines) else 0
    wide = room >= _WIDE
    x = area.x + (max(1, (area.columns - 64) // 2) if wide else 1)
    for y, (keys, does) in enumerate(lines[first : first + rows], start=area.y):
        canvas.put(x, y, keys, "class:key")
        canvas.put(x + (_KEYS if wide else 0), y, does, "class:does", columns=room)
    if rows < len(lines):
        words = "Up Down: more" if first + rows < len(lines) else "Up: more"
        canvas.put(x, area.y + area.rows - 1, words, "class:key", columns=room)


BESIDE_FROM, _PANEL = 60, 28
"""The least width of a window with a panel, and of the panel."""


def draw_room(screen: ScreenState, inputs: InputState, canvas: Canvas, now: float) -> None:
    """Draw the whole window."""
    frame.draw_room_header(canvas, screen, now)
    panel = draw_middle(canvas, screen, inputs, now)
    frame.draw_footer(canvas, screen, inputs, now, with_feed=not panel)


def help_rows(size: Size) -> int:
    """Return the first line of the help at its end, in a window of that size."""
    rows = size.rows - frame.ROWS - 1
    lines = help_lines(max(1, size.columns - 2))
    return 0 if len(lines) <= rows else len(lines) - rows + 1


def draw_middle(canvas: Canvas, screen: ScreenState, inputs: InputState, now: float) -> bool:
    """Draw what is between header and footer: the board with its seats, the help or a text.

    Return whether there was space for a panel with the feed.
    """
    room, area = screen.view.room, frame.middle(canvas)
    if inputs.help is not None:
        draw_help(canvas, area, inputs.help)
        return False
    if room is None:
        frame.draw_words(canvas, area, _words_without_room(screen, inputs, now))
        return False
    rules, cursor = room.settings.rules, inputs.cursor_in(screen.view)
    focus = inputs.focus_in(screen.view)
    panel, left = split(area)
    # The seats take lines without a panel: one for both if rows are few.
    lines = 1 if area.rows < 8 else 2 if area.rows < 14 else 3
    places = left, area.below(lines)
    beside, alone = (fit(rules, place, focus, cursor, inputs.origin) for place in places)
    as_large = (beside.step, len(beside.cells)) >= (alone.step, len(alone.cells))
    if panel is not None and as_large:
        draw_panel(canvas, screen, room, panel, now)
        _draw_game(canvas, screen, beside, cursor, now)
        return True
    _draw_seats_above(canvas, screen, replace(area, rows=lines), now)
    _draw_game(canvas, screen, alone, cursor, now)
    return False


def _words_without_room(screen: ScreenState, inputs: InputState, now: float) -> str:
    if inputs.text_field is not None and inputs.text_field.kind == "password":
        return f"{shown(screen.place)} is locked"
    if screen.search is not None:
        waited_s = int(now - screen.search.since)
        return f"looking for a player: {screen.search.board}, {waited_s} s"
    quiet = isinstance(screen.connection, Live)
    return "nothing to show yet" if quiet else f"connecting to {screen.server}"


def split(area: Area) -> tuple[Area | None, Area]:
    """Return the area of a panel, if the window is wide enough, and the rest."""
    if area.columns < BESIDE_FROM:
        return None, area
    columns = max(_PANEL, area.columns // 3)
    panel = Area(area.x + area.columns - columns, area.y + 1, columns - 1, area.rows - 1)
    return panel, replace(area, columns=area.columns - columns - 1)


def _draw_seats_above(canvas: Canvas, screen: ScreenState, area: Area, now: float) -> None:
    half = area.columns // 2
    left = Area(area.x, area.y, half - 1, 1)
    places = [left, replace(left, x=area.x + half, columns=area.columns - half)]
    if area.rows > 1:
        places = [Area(area.x + 1, area.y + offset, area.columns - 2, 1) for offset in range(2)]
    for mark, place in zip(Mark, places, strict=True):
        draw_seat(canvas, screen, mark, place, now, points=area.rows > 1)
    if area.rows == 3:
        thoughts = [screen.thoughts[mark] for mark in Mark if mark in screen.thoughts]
        words = ": ".join([last_move(screen), *thoughts[-1:]])
        canvas.put(area.x + 3, area.y + 2, shown(words), "class:dim", columns=area.columns - 4)


def _draw_game(canvas: Canvas, screen: ScreenState, grid: Grid, cursor: int, now: float) -> None:
    rules = grid.rules
    game = screen.view.game or position("." * (rules.columns * rules.rows), Mark.X)
    yours = screen.view.your_turn
    target = aimed(cursor, rules, game) if yours else None
    clickable, pending = screen.view.seat is not None, screen.pending_move(now)
    draw_board(canvas, grid, game, Marking(target, screen.hint, clickable, pending))
    if yours and rules.gravity and grid.sees_column(cursor):
        arrow = "v" if canvas.ascii_only else "▼"
        x = grid.corner(cursor)[0]
        canvas.put(x + grid.step, grid.top - 1, arrow, "class:cursor")
