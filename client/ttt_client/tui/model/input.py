"""What the player is about to do: where the cursor is, what is half typed, what is asked."""

from dataclasses import dataclass
from typing import Literal

from ttt_client.model.view import View
from ttt_client.tui.model.text_field import TextField
from ttt_protocol.state import Game, Rules

Asking = Literal["resign", "quit"]


@dataclass(frozen=True, slots=True)
class InputState:
    """Nothing of this is known to the server."""

    cursor: int | None = None
    """A cell; None until the player first moves it."""
    typed: str = ""
    """A letter, or a letter and a digit, that may become the name of a cell."""
    typed_at: float = 0.0
    named_at: float | None = None
    """When a cell was played by its name, until the next key."""
    asking: Asking | None = None
    text_field: TextField | None = None
    help: bool = False


def cursor_of(inputs: InputState, view: View) -> int:
    """The cell under the cursor: the middle at first; in the eyes of who watches, the last move."""
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
    """The cell that Enter plays: where pieces fall, the lowest free one of the cursor's column."""
    if not rules.gravity or game is None:
        return cursor
    column = range(cursor % rules.columns, rules.columns * rules.rows, rules.columns)
    free = [cell for cell in column if game.board[cell] == "."]
    return free[-1] if free else column[0]


def moved(cursor: int, rules: Rules, right: int, down: int) -> int:
    """The cell that far away, or at the edge on the way."""
    row, column = divmod(cursor, rules.columns)
    column = max(0, min(column + right, rules.columns - 1))
    row = max(0, min(row + down, rules.rows - 1))
    return row * rules.columns + column
