"""The player's next act in the making: the cursor, a half-typed cell, an open question."""

from dataclasses import dataclass
from typing import Literal

from ttt_client.model.view import View
from ttt_client.tui.model.text_field import TextField
from ttt_protocol.state import Game, Rules

Asking = Literal["resign", "quit"]


@dataclass(frozen=True, slots=True)
class InputState:
    """The state of keys and mouse, of which the server knows nothing."""

    cursor: int | None = None
    """The cell under the cursor; None until the player first moves it."""
    typed: str = ""
    """A letter, or a letter and a digit: the beginning of a cell's name."""
    typed_at: float = 0.0
    named_at: float | None = None
    """The time when a cell was played by its name; None after the next key."""
    asking: Asking | None = None
    text_field: TextField | None = None
    help: bool = False


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
    return (rules.rows // 2) * rules.columns + rules.columns // 2


def aimed(cursor: int, rules: Rules, game: Game | None) -> int:
    """Return the cell that Enter plays: with gravity, the lowest free one of the column."""
    if not rules.gravity or game is None:
        return cursor
    column = range(cursor % rules.columns, rules.columns * rules.rows, rules.columns)
    free = [cell for cell in column if game.board[cell] == "."]
    return free[-1] if free else column[0]


def moved(cursor: int, rules: Rules, right: int, down: int) -> int:
    """Return the cell that far away, or the one at the edge."""
    row, column = divmod(cursor, rules.columns)
    column = max(0, min(column + right, rules.columns - 1))
    row = max(0, min(row + down, rules.rows - 1))
    return row * rules.columns + column
