"""The help: keys and their effects."""

from ttt_client.tui.draw.canvas import Area, Canvas, wrap

HELP = (
    ("1-9", "play that cell, on 3x3"),
    ("arrows, hjkl", "move the cursor"),
    ("Enter, Space", "play the cell under it"),
    ("b2", "play by column and row"),
    ("mouse", "play the clicked cell"),
    ("r d t", "resign, offer a draw, ask a move back"),
    ("n", "rematch"),
    ("i", "hint, where the room has them"),
    ("y x", "accept or decline an offer"),
    ("C F", "claim the game, seat an AI: when the other is gone"),
    ("Tab /", "chat"),
    (":", "any line of plain mode: fill minimax:5, leave"),
    ("Ctrl-Z", "suspend"),
    ("? q", "this help, quit"),
)


def draw_help(canvas: Canvas, area: Area) -> None:
    """Draw a line for each key where there is room, else all in running text."""
    wide = max(len(keys) for keys, _ in HELP) + 2
    if area.rows >= len(HELP) and area.columns >= wide + 20:
        top = area.y + (area.rows - len(HELP)) // 2
        x = area.x + max(1, (area.columns - 64) // 2)
        room = area.x + area.columns - x - wide
        for offset, (keys, does) in enumerate(HELP):
            canvas.put(x, top + offset, keys, "class:key")
            canvas.put(x + wide, top + offset, does, "class:does", columns=room)
        return
    flow = " / ".join(f"{keys} {does}" for keys, does in HELP)
    for offset, line in enumerate(wrap(flow, area.columns - 2)[: area.rows]):
        canvas.put(area.x + 1, area.y + offset, line, "class:does")
