"""The help: keys and their effects, in as many lines as the window is wide."""

from ttt_client.tui.draw.canvas import Area, Canvas, wrap
from ttt_client.tui.draw.seats import KEPT, KEPT_ASCII

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
