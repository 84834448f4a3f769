"""The board on a canvas: square cells that grow with the window, and scroll in a small one.

A step from cell to cell is twice as many columns as rows, which is a square on most terminals. At
step 1 the cells have no lines between them; from step 2 on each has a frame.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from ttt_client.text.render import column_letter, has_edges
from ttt_client.tui.draw.canvas import Area, Canvas
from ttt_client.tui.draw.marks import glyph
from ttt_protocol.messages import Hint
from ttt_protocol.state import Game, Mark, Rules


class _BoxChars(NamedTuple):
    """The characters of lines; joints are in the order left, middle, right."""

    upright: str
    level: str
    upper: tuple[str, str, str]
    inner: tuple[str, str, str]
    lower: tuple[str, str, str]


_PLUS = ("+", "+", "+")
_BOX = {
    False: _BoxChars("│", "─", ("┌", "┬", "┐"), ("├", "┼", "┤"), ("└", "┴", "┘")),
    True: _BoxChars("|", "-", _PLUS, _PLUS, _PLUS),
}
_AT = ("@", "@", "@")
_HEAVY = {
    False: _BoxChars("┃", "━", ("┏", "", "┓"), _AT, ("┗", "", "┛")),
    True: _BoxChars("#", "#", _AT, _AT, _AT),
}
_DOUBLE = {
    False: _BoxChars("║", "═", ("╔", "", "╗"), _AT, ("╚", "", "╝")),
    True: _BoxChars("!", "=", _AT, _AT, _AT),
}
_MOST_BEST = 8
"""The best cells of a large board that a hint marks; the first ones are as good as the others."""
_WORTH = {1: ("win", "+"), 0: ("draw", "="), -1: ("loss", "-"), None: ("?", "?")}


@dataclass(frozen=True, slots=True)
class Grid:
    """The visible cells: which, how large, and where."""

    rules: Rules
    step: int
    left: int
    """The column of the first frame's upper left corner."""
    top: int
    first_column: int
    first_row: int
    columns: int
    """The number of visible columns of cells."""
    rows: int

    @property
    def width(self) -> int:
        return 2 * self.step * self.columns + 1

    @property
    def height(self) -> int:
        return self.step * self.rows + (self.step > 1)

    @property
    def cell_columns(self) -> int:
        return 2 * self.step - 1

    @property
    def cell_rows(self) -> int:
        return max(1, self.step - 1)

    def sees(self, cell: int) -> bool:
        row = cell // self.rules.columns
        return self.first_row <= row < self.first_row + self.rows and self.sees_column(cell)

    def sees_column(self, cell: int) -> bool:
        column = cell % self.rules.columns
        return self.first_column <= column < self.first_column + self.columns

    def corner(self, cell: int) -> tuple[int, int]:
        """Return the column and row of a visible cell's first character, inside its frame."""
        row, column = divmod(cell, self.rules.columns)
        row, column = row - self.first_row, column - self.first_column
        framed = self.step > 1
        return self.left + 1 + 2 * self.step * column, self.top + framed + self.step * row

    @property
    def cells(self) -> list[int]:
        """The visible cells."""
        return [
            row * self.rules.columns + column
            for row in range(self.first_row, self.first_row + self.rows)
            for column in range(self.first_column, self.first_column + self.columns)
        ]


def fit(
    rules: Rules,
    area: Area,
    focus: int,
    cursor: int | None = None,
    origin: tuple[int, int] | None = None,
) -> Grid:
    """Return the largest grid that fits, centred; of a larger board the part with the focus.

    The part has the cursor in it too, where it is large enough for both. It stays where it is, at
    `origin` (the first column and row), as long as it shows them.

    The area must have room for three columns and a row, with their edges.
    """
    left, above = (3, 1) if has_edges(rules) else (0, 0)
    wide, high = area.columns - left, area.rows - above
    step = max(1, min((wide - 1) // (2 * rules.columns), (high - 1) // rules.rows))
    seen_columns = min(rules.columns, (wide - 1) // (2 * step))
    seen_rows = min(rules.rows, high if step == 1 else (high - 1) // step)
    row, column = divmod(focus, rules.columns)
    other_row, other_column = divmod(focus if cursor is None else cursor, rules.columns)
    at_column, at_row = (None, None) if origin is None else origin
    grid = Grid(
        rules,
        step,
        left=0,
        top=0,
        first_column=_first(column, other_column, seen_columns, rules.columns, at_column),
        first_row=_first(row, other_row, seen_rows, rules.rows, at_row),
        columns=seen_columns,
        rows=seen_rows,
    )
    return replace(
        grid,
        left=area.x + left + max(0, (wide - grid.width) // 2),
        top=area.y + above + max(0, (high - grid.height) // 2),
    )


def _first(focus: int, other: int, seen: int, there: int, now: int | None) -> int:
    """Return the first of `seen` cells: as it is `now`, moved until the focus is among them.

    At first the focus is in their middle. They move on to `other` if that leaves the focus there.
    """
    first = focus - seen // 2 if now is None else max(focus - seen + 1, min(now, focus))
    if abs(focus - other) < seen:
        first = max(other - seen + 1, min(first, other))
    return max(0, min(first, there - seen))


@dataclass(frozen=True, slots=True)
class Marking:
    """The marked parts of the board."""

    cursor: int | None = None
    hint: Hint | None = None
    clickable: bool = False
    numbered: bool = False
    """Whether free cells show their numbers."""
    pending: tuple[int, Mark] | None = None
    """A move that waits for its answer."""


def draw_board(canvas: Canvas, grid: Grid, game: Game, marking: Marking) -> None:
    """Draw the board, its marks and the marking; a click on a cell is the key `cell:N`."""
    if len(grid.cells) < len(game.board):
        canvas.origin = grid.first_column, grid.first_row
    if grid.step > 1:
        _draw_lines(canvas, grid)
    if has_edges(grid.rules):
        _draw_edges(canvas, grid)
    line = game.outcome.line if game.outcome is not None and game.outcome.line else ()
    last = game.moves[-1] if game.moves else None
    for cell in grid.cells:
        _draw_cell(canvas, grid, game, cell, marking)
        if marking.clickable:
            corner = grid.corner(cell)
            canvas.target(*corner, grid.cell_columns + 1, grid.step, f"cell:{cell}")
    if last is not None:
        _draw_last(canvas, grid, last)
    for cell in filter(grid.sees, line):
        _draw_winning(canvas, grid, cell)
    if marking.cursor is not None:
        _draw_frame(canvas, grid, marking.cursor, "><", _HEAVY[canvas.ascii_only], "class:cursor")


def _draw_last(canvas: Canvas, grid: Grid, cell: int) -> None:
    """Frame the last move; in brackets without lines it is also reversed, to be found at once."""
    _draw_frame(canvas, grid, cell, "[]", _DOUBLE[canvas.ascii_only], "class:last")
    if grid.step == 1 and grid.sees(cell):
        x, y = grid.corner(cell)
        canvas.tint(x - 1, y, 3, 1, "class:newest")


def _draw_lines(canvas: Canvas, grid: Grid) -> None:
    lines = _BOX[canvas.ascii_only]
    for row in range(grid.rows + 1):
        y = grid.top + row * grid.step
        left, joint, right = (
            lines.upper if row == 0 else lines.lower if row == grid.rows else lines.inner
        )
        rule = left + joint.join([lines.level * grid.cell_columns] * grid.columns) + right
        canvas.put(grid.left, y, rule, "class:grid")
        for inner in range(1, grid.step if row < grid.rows else 0):
            for column in range(grid.columns + 1):
                x = grid.left + column * 2 * grid.step
                canvas.put(x, y + inner, lines.upright, "class:grid")


def _draw_edges(canvas: Canvas, grid: Grid) -> None:
    """Draw letters and numbers, and arrows where the board goes on."""
    for column in range(grid.first_column, grid.first_column + grid.columns):
        x = grid.left + 2 * grid.step * (column - grid.first_column) + grid.step
        canvas.put(x, grid.top - 1, column_letter(column), "class:edge")
    for row in range(grid.first_row, grid.first_row + grid.rows):
        y = grid.top + grid.step * (row - grid.first_row) + grid.step // 2
        canvas.put(grid.left - 3, y, f"{row + 1:2}", "class:edge")
    left, right, up, down = "<>^v" if canvas.ascii_only else "◀▶▲▼"
    bottom = grid.top + grid.step * (grid.rows - 1) + grid.step // 2
    for hidden, x, y, arrow in (
        (grid.first_column > 0, grid.left, grid.top - 1, left),
        (
            grid.first_column + grid.columns < grid.rules.columns,
            grid.left + grid.width - 1,
            grid.top - 1,
            right,
        ),
        (grid.first_row > 0, grid.left - 1, grid.top + grid.step // 2, up),
        (grid.first_row + grid.rows < grid.rules.rows, grid.left - 1, bottom, down),
    ):
        if hidden:
            canvas.put(x, y, arrow, "class:pointer")


def _draw_cell(canvas: Canvas, grid: Grid, game: Game, cell: int, marking: Marking) -> None:
    x, y = grid.corner(cell)
    if game.board[cell] != ".":
        mark = Mark(game.board[cell])
        style = "class:x" if mark is Mark.X else "class:o"
        shape = glyph(mark, grid.cell_columns, grid.cell_rows, ascii_only=canvas.ascii_only)
        for offset, row in enumerate(shape):
            canvas.put(x, y + offset, row, style)
        return
    if marking.pending is not None and marking.pending[0] == cell:
        # A small letter is no mark yet, in every colour.
        letter = marking.pending[1].value.lower()
        text, style = (letter if grid.step == 1 else f"({letter})"), "class:pending"
    else:
        text, style = _free(grid, cell, marking, ascii_only=canvas.ascii_only)
    canvas.put(x, y + (grid.cell_rows - 1) // 2, text.center(grid.cell_columns), style)


def _free(grid: Grid, cell: int, marking: Marking, *, ascii_only: bool) -> tuple[str, str]:
    """Return the text of a free cell, and its style."""
    hint = marking.hint
    best = () if hint is None else hint.best[:_MOST_BEST] if has_edges(grid.rules) else hint.best
    value = None if hint is None else hint.values.get(str(cell))
    if cell in best or value is not None:
        long, short = _WORTH[value]
        if cell not in best:
            return (short if grid.cell_columns < len(long) + 2 else long), "class:hint"
        starred = {1: "*", 3: f"*{short}*"}.get(grid.cell_columns, f"*{long}*")
        return starred, "class:hint class:best"
    if marking.numbered:
        return str(cell + 1), "class:free"
    if grid.step == 1:
        return ("." if ascii_only else "·"), "class:free"
    return "", ""


def _draw_winning(canvas: Canvas, grid: Grid, cell: int) -> None:
    """Tint a winning cell, and put stars at its corners."""
    x, y = grid.corner(cell)
    canvas.tint(x, y, grid.cell_columns, grid.cell_rows, "class:winning")
    for row in {y, y + grid.cell_rows - 1} if grid.step == 1 else {y - 1, y + grid.cell_rows}:
        canvas.put(x - 1, row, "*", "class:star")
        canvas.put(x + grid.cell_columns, row, "*", "class:star")


def _draw_frame(
    canvas: Canvas, grid: Grid, cell: int, brackets: str, lines: _BoxChars, style: str
) -> None:
    """Draw a frame around the cell, or brackets where cells have no frames."""
    if not grid.sees(cell):
        return
    (x, y), wide, high = grid.corner(cell), grid.cell_columns, grid.cell_rows
    if grid.step == 1:
        canvas.put(x - 1, y, brackets[0], style)
        canvas.put(x + wide, y, brackets[1], style)
        return
    rule = lines.level * wide
    canvas.put(x - 1, y - 1, lines.upper[0] + rule + lines.upper[2], style)
    canvas.put(x - 1, y + high, lines.lower[0] + rule + lines.lower[2], style)
    for row in range(y, y + high):
        canvas.put(x - 1, row, lines.upright, style)
        canvas.put(x + wide, row, lines.upright, style)
