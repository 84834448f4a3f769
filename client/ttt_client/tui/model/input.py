"""The player's next act in the making: the cursor, a half-typed cell, an open question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ttt_client.model.typed import landing
from ttt_client.model.variants import shape_of
from ttt_client.model.view import View
from ttt_protocol.state import Game, Rules

_LONGEST = 200
"""The most characters: as many as `say` accepts."""


FieldKind = Literal["talk", "line", "password"]
"""The use of the text: talk, any line of plain mode, or a password, which is not shown."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A text that is being typed, with a caret in it."""

    text: str = ""
    kind: FieldKind = "talk"
    prompt: str = ""
    """The prompt, if it is not the usual one of its kind."""
    behind: int = 0
    """The number of characters behind the caret."""

    @property
    def caret(self) -> int:
        """The number of characters before the caret."""
        return len(self.text) - self.behind

    def press(self, key: str) -> "tuple[TextField | None, str | None]":
        """Return the field after a key, None when it is closed, and the finished line if any."""
        head, tail = self.text[: self.caret], self.text[self.caret :]
        match key:
            case "escape" | "tab":
                return None, None
            case "enter":
                line = f"say {self.text}" if self.kind == "talk" else self.text
                return None, line if self.text.strip() else None
            case "backspace":
                return replace(self, text=head[:-1] + tail), None
            case "delete":
                return replace(self, text=head + tail[1:], behind=max(0, self.behind - 1)), None
            case "left" | "right" | "home" | "end":
                steps = {"left": 1, "right": -1, "home": len(self.text), "end": -len(self.text)}
                behind = max(0, min(self.behind + steps[key], len(self.text)))
                return replace(self, behind=behind), None
            case "c-u":
                return replace(self, text=tail), None
            case "c-w":
                kept, space, _ = head.rstrip().rpartition(" ")
                return replace(self, text=kept + space + tail), None
            case _ if len(key) == 1:
                return self.add(key), None
            case _:
                return self, None

    def add(self, text: str) -> "TextField":
        """Return the field with typed or pasted text at the caret, as one line."""
        joined = " ".join(text.splitlines()) if len(text) > 1 else text
        joined = joined[: _LONGEST - len(self.text)]
        return replace(self, text=self.text[: self.caret] + joined + self.text[self.caret :])


LIST_STEPS = {"up": -1, "k": -1, "down": 1, "j": 1, "pageup": -10, "pagedown": 10, " ": 10}
"""The keys that move through lines."""


def stepped(at: int, key: str, last: int, steps: Mapping[str, int] = LIST_STEPS) -> int:
    """Return the line that a key leads to from `at`, out of those from 0 to `last`."""
    return max(0, min({"home": 0, "end": last}.get(key, at + steps.get(key, 0)), last))


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

    def cursor_in(self, view: View) -> int:
        """Return the cell under the cursor: at first the middle, or a spectator's last move."""
        if view.room is None:
            return 0
        game, shape = view.game, shape_of(view.rules)
        if self.cursor is not None and self.cursor < shape.columns * shape.rows:
            return self.cursor
        if view.seat is None and game is not None and game.moves:
            return game.moves[-1]
        if game is not None and game.legal:
            return game.legal[len(game.legal) // 2]
        return shape.cell(shape.columns // 2, shape.rows // 2)

    def focus_in(self, view: View) -> int:
        """Return the cell that a window too small for the board shows: last move, or cursor."""
        if self.follow and view.game is not None and view.game.moves:
            return view.game.moves[-1]
        return self.cursor_in(view)


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
