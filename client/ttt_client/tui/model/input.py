"""The player's next act in the making: the cursor, a half-typed cell, an open question."""

from dataclasses import dataclass
from typing import Literal

from ttt_client.model.typed import landing
from ttt_client.model.variants import shape_of
from ttt_client.model.view import View
from ttt_client.tui.model.text_field import TextField
from ttt_protocol.state import Game, Rules

LIST_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10, " ": 10}
"""The keys that move through lines."""
Asking = Literal["resign", "draw", "quit", "host"]


@dataclass(frozen=True, slots=True)
class InputState:
    """The state of keys and mouse, of which the server knows nothing."""

    cursor: int | None = None
    """The cell under the cursor; None until the player first moves it."""
    follow: bool = False
    """Whether the view shows the last move: since it was made, no key has moved the cursor."""
    typed: str = ""
    """The beginning of a cell's name. It waits for its end, Enter or Escape."""
    named: str = ""
    """The name of a cell that the last key completed; an Enter now belongs to it."""
    moved_at: float | None = None
    """The time of the last move that was made here."""
    origin: tuple[int, int] | None = None
    """The first column and row of a board that is larger than the window, as last drawn."""
    asking: Asking | None = None
    text_field: TextField | None = None
    help: int | None = None
    """The first line of the help that is shown; None without the help."""


def cursor_of(inputs: InputState, view: View) -> int:
    """Return the cell under the cursor: at first the middle, or a spectator's last move."""
    if view.room is None:
        return 0
    rules = view.room.settings.rules
    cells = rules.columns * rules.rows
    if inputs.cursor is not None and inputs.cursor < cells:
        return inputs.cursor
    if view.seat is None and view.game is not None and view.game.moves:
        return view.game.moves[-1]
    if view.game is not None and view.game.legal:
        return view.game.legal[len(view.game.legal) // 2]
    shape = shape_of(rules)
    return shape.cell(shape.columns // 2, shape.rows // 2)


def focus_of(inputs: InputState, view: View) -> int:
    """Return the cell that a window too small for the board shows: the last move, or the cursor."""
    if inputs.follow and view.game is not None and view.game.moves:
        return view.game.moves[-1]
    return cursor_of(inputs, view)


def aimed(cursor: int, rules: Rules, game: Game | None) -> int:
    """Return the cell that Enter plays: with gravity, the lowest free one of the column."""
    if not rules.gravity or game is None:
        return cursor
    free = landing(cursor, rules, game)
    return cursor % rules.columns if free is None else free


def moved(cursor: int, rules: Rules, right: int, down: int) -> int:
    """Return the cell that far away, or the one at the edge."""
    shape = shape_of(rules)
    column, row = shape.place(cursor)
    column = max(0, min(column + right, shape.columns - 1))
    row = max(0, min(row + down, shape.rows - 1))
    return shape.cell(column, row)
