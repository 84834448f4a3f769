"""The board on a canvas: square cells that grow with the window, and scroll in a small one.

A step from cell to cell is twice as many columns as rows, which is a square on most terminals. At
step 1 the cells have no lines between them; from step 2 on each has a frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import hypot
from typing import NamedTuple

from ttt_client.model.variants import Shape, ages, is_round, loses, may_play, shape_of
from ttt_client.text.render import column_letter, has_edges
from ttt_client.tui.draw.canvas import Area, Canvas
from ttt_protocol.messages import Hint
from ttt_protocol.state import Game, Mark, Rules

_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}

_TWO_ROWS = {
    (Mark.X, False): ("▀▄ ▄▀", "▄▀ ▀▄"),
    (Mark.O, False): ("▄▀▀▀▄", "▀▄▄▄▀"),
    (Mark.X, True): (r" \ / ", r" / \ "),
    (Mark.O, True): (r" .-. ", r" '-' "),
}
"""The shapes of two rows, for which the formula is too coarse."""


@lru_cache(maxsize=256)
def glyph(mark: Mark, columns: int, rows: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    """Return the rows of the mark in that size; a single row has the letter in its middle."""
    if rows == 1:
        return (mark.value.center(columns),)
    if rows == 2:
        return tuple(row.center(columns) for row in _TWO_ROWS[mark, ascii_only])
    height = rows if ascii_only else 2 * rows
    inked = [[_inked(mark, x, y, columns, height) for x in range(columns)] for y in range(height)]
    if ascii_only:
        return tuple("".join(mark.value if ink else " " for ink in row) for row in inked)
    halves = zip(inked[::2], inked[1::2], strict=True)
    return tuple(
        "".join(_BLOCKS[pair] for pair in zip(upper, lower, strict=True)) for upper, lower in halves
    )


def _inked(mark: Mark, column: int, row: int, columns: int, rows: int) -> bool:
    """Return whether the shape covers the dot. The middle of the cell is 0, its edges are 1."""
    x = (2 * column + 1 - columns) / (columns - 1)
    y = (2 * row + 1 - rows) / (rows - 1)
    small = min(columns, rows) < 8
    reach, half_stroke = (1.0, 0.2) if small else (0.8, 0.16)
    if mark is Mark.X:
        return max(abs(x), abs(y)) <= reach and abs(abs(x) - abs(y)) <= half_stroke * 1.3
    return abs(hypot(x, y) - (reach - half_stroke / 2)) <= half_stroke


Pair = tuple[int, int]
"""A column and a row, or their numbers."""


class _BoxChars(NamedTuple):
    """The characters of lines; joints are in the order left, middle, right."""

    upright: str
    level: str
    upper: str
    inner: str
    lower: str


_BOX = _BoxChars("│", "─", "┌┬┐", "├┼┤", "└┴┘"), _BoxChars("|", "-", "+++", "+++", "+++")
_HEAVY = _BoxChars("┃", "━", "┏┳┓", "┣╋┫", "┗┻┛"), _BoxChars("#", "#", "@@@", "@+@", "@@@")
_DOUBLE = _BoxChars("║", "═", "╔╦╗", "╠╬╣", "╚╩╝"), _BoxChars("!", "=", "@@@", "@@@", "@@@")
"""The lines of each kind, and the same in ASCII."""
_MOST_BEST = 8
"""The best cells of a large board that a hint marks; the first ones are as good as the others."""
_WORTH = {1: ("win", "+"), 0: ("draw", "="), -1: ("loss", "-"), None: ("?", "?")}


_LAYERS_APART = 2
"""The columns between two layers of a cube."""
_ROUND = 2, 1
"""The columns and rows around a board without edges, in which its other side is seen."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The visible cells: which, how large, and where."""

    rules: Rules
    step: int
    first_column: int
    first_row: int
    columns: int
    """The number of visible columns of cells."""
    rows: int
    gap: Pair
    """The columns and rows between two blocks of cells."""
    around: Pair
    """The columns and rows at each edge in which the other side is seen."""
    left: int = 0
    """The column of the first frame's upper left corner."""
    top: int = 0

    @property
    def shape(self) -> Shape:
        return shape_of(self.rules)

    @property
    def width(self) -> int:
        across, _ = self._gaps(self.columns - 1, 0)
        return 2 * self.step * self.columns + 1 + across

    @property
    def height(self) -> int:
        _, down = self._gaps(0, self.rows - 1)
        return self.step * self.rows + (self.step > 1) + down

    @property
    def cell_columns(self) -> int:
        return 2 * self.step - 1

    @property
    def cell_rows(self) -> int:
        return max(1, self.step - 1)

    def _gaps(self, column: int, row: int) -> Pair:
        """Return the columns and rows between blocks before a visible column and row."""
        shape, (across, down) = self.shape, self.gap
        return across * (column // shape.block_columns), down * (row // shape.block_rows)

    def sees(self, cell: int) -> bool:
        _, row = self.shape.place(cell)
        return self.first_row <= row < self.first_row + self.rows and self.sees_column(cell)

    def sees_column(self, cell: int) -> bool:
        column, _ = self.shape.place(cell)
        return self.first_column <= column < self.first_column + self.columns

    def corner(self, cell: int) -> Pair:
        """Return the column and row of a visible cell's first character, inside its frame."""
        column, row = self.shape.place(cell)
        return self.corner_at(column - self.first_column, row - self.first_row)

    def corner_at(self, column: int, row: int) -> Pair:
        """Return the same for a visible column and row."""
        across, down = self._gaps(column, row)
        framed = self.step > 1
        x = self.left + 1 + 2 * self.step * column + across
        return x, self.top + framed + self.step * row + down

    @property
    def is_whole(self) -> bool:
        """Whether all cells are visible."""
        return (self.columns, self.rows) == (self.shape.columns, self.shape.rows)

    @property
    def cells(self) -> list[int]:
        """The visible cells."""
        columns = range(self.first_column, self.first_column + self.columns)
        rows = range(self.first_row, self.first_row + self.rows)
        return [self.shape.cell(column, row) for row in rows for column in columns]


def fit(
    rules: Rules, area: Area, focus: int, cursor: int | None = None, origin: Pair | None = None
) -> Grid:
    """Return the largest grid that fits, centred; of a larger board the part with the focus.

    The part has the cursor in it too, where it is large enough for both. It stays where it is, at
    `origin` (the first column and row), as long as it shows them.

    The area must have room for three columns and a row, with their edges.
    """
    shape = shape_of(rules)
    left, above = (3, 1 + shape.is_cube) if has_edges(rules) else (0, 0)
    beside, over = _ROUND if is_round(rules) else (0, 0)
    wide, high = area.columns - left - 2 * beside, area.rows - above - 2 * over
    if wide <= 2 * shape.columns or high <= shape.rows:  # without the other side, then
        beside = over = 0
        wide, high = area.columns - left, area.rows - above
    step, gap = _measured(shape, wide, high)
    seen_columns = min(shape.columns, (wide - 1) // (2 * step))
    seen_rows = min(shape.rows, high if step == 1 else (high - 1) // step)
    column, row = shape.place(focus)
    other_column, other_row = shape.place(focus if cursor is None else cursor)
    at_column, at_row = (None, None) if origin is None else origin
    first_column = _first(column, other_column, seen_columns, shape.columns, at_column)
    first_row = _first(row, other_row, seen_rows, shape.rows, at_row)
    around = beside, over
    grid = Grid(rules, step, first_column, first_row, seen_columns, seen_rows, gap, around)
    x = area.x + left + beside + max(0, (wide - grid.width) // 2)
    y = area.y + above + over + max(0, (high - grid.height) // 2)
    return replace(grid, left=x, top=y)


def _measured(shape: Shape, wide: int, high: int) -> tuple[int, Pair]:
    """Return the largest step that fits, and the columns and rows between the blocks."""
    across = shape.columns // shape.block_columns - 1
    down = shape.rows // shape.block_rows - 1
    apart = _LAYERS_APART * across if shape.is_cube else 0
    if wide <= 2 * shape.columns + apart:
        apart = 0
    step = max(1, min((wide - apart - 1) // (2 * shape.columns), (high - 1) // shape.rows))
    if shape.is_cube:
        return step, (_LAYERS_APART if apart else 0, 0)
    # From step 2 on heavy lines lie between the blocks; at step 1 there is a line of their own.
    fits = wide > 2 * (shape.columns + across) and high >= shape.rows + down
    return step, ((2, 1) if step == 1 and shape.has_blocks and fits else (0, 0))


def _first(focus: int, other: int, seen: int, there: int, now: int | None) -> int:
    """Return the first of `seen` cells: as it is `now`, moved until the focus is among them.

    At first the focus is in their middle. They move on to `other` if that leaves the focus there.
    """
    first = focus - seen // 2 if now is None else max(focus - seen + 1, min(now, focus))
    if abs(focus - other) < seen:
        first = max(other - seen + 1, min(first, other))
    return max(0, min(first, there - seen))


class Marking(NamedTuple):
    """The marked parts of the board."""

    cursor: int | None = None
    hint: Hint | None = None
    clickable: bool = False
    pending: tuple[int, Mark] | None = None
    """A move that waits for its answer."""


def draw_board(canvas: Canvas, grid: Grid, game: Game, marking: Marking) -> None:
    """Draw the board, its marks and the marking; a click on a cell is the key `cell:N`."""
    if not grid.is_whole:
        canvas.origin = grid.first_column, grid.first_row
    if grid.step > 1:
        _draw_lines(canvas, grid)
    if grid.shape.has_blocks and not grid.shape.is_cube and grid.is_whole:
        _draw_between(canvas, grid)
    if has_edges(grid.rules):
        _draw_edges(canvas, grid)
    line = game.outcome.line if game.outcome is not None and game.outcome.line else ()
    last = game.moves[-1] if game.moves else None
    ageing = {} if game.outcome else ages(grid.rules, game)
    for cell in grid.cells:
        _draw_cell(canvas, grid, game, cell, marking, ageing.get(cell))
        if marking.clickable:
            corner = grid.corner(cell)
            canvas.target(*corner, grid.cell_columns + 1, grid.step, f"cell:{cell}")
    if any(grid.around):
        _draw_around(canvas, grid, game, line)
    decided = game.boards if game.boards is not None and grid.is_whole else ""
    covered = {block for block, letter in enumerate(decided) if letter in {"X", "O"}}
    if last is not None and grid.shape.block(last) not in covered:
        _draw_last(canvas, grid, last)
    star = "!" if loses(grid.rules) else "*"
    for cell in filter(grid.sees, line):
        if grid.shape.block(cell) not in covered:
            _draw_winning(canvas, grid, cell, star)
    _draw_decided(canvas, grid, decided, line)
    if marking.cursor is not None:
        _draw_frame(canvas, grid, marking.cursor, "><", _HEAVY[canvas.ascii_only], "class:cursor")


def _draw_last(canvas: Canvas, grid: Grid, cell: int) -> None:
    """Frame the last move; in brackets without lines it is also reversed, to be found at once."""
    _draw_frame(canvas, grid, cell, "[]", _DOUBLE[canvas.ascii_only], "class:last")
    if grid.step == 1 and grid.sees(cell):
        x, y = grid.corner(cell)
        canvas.tint(x - 1, y, 3, 1, "class:newest")


def _draw_lines(canvas: Canvas, grid: Grid) -> None:
    """Draw the frames of the cells: those of a block together, and the blocks apart if they are."""
    lines, bottom = _BOX[canvas.ascii_only], grid.top + grid.height
    wide = grid.shape.block_columns if grid.gap[0] else grid.columns
    for start in range(0, grid.columns, wide):
        left, columns = grid.corner_at(start, 0)[0] - 1, min(wide, grid.columns - start)
        for y in range(grid.top, bottom, grid.step):
            joints = {grid.top: lines.upper, bottom - 1: lines.lower}.get(y, lines.inner)
            rule = joints[1].join([lines.level * grid.cell_columns] * columns)
            canvas.put(left, y, joints[0] + rule + joints[2], "class:grid")
            for inner in range(y + 1, min(y + grid.step, bottom)):
                for column in range(columns + 1):
                    canvas.put(left + 2 * grid.step * column, inner, lines.upright, "class:grid")


def _draw_between(canvas: Canvas, grid: Grid) -> None:
    """Draw the lines between small boards, where frames are heavier, and else the only lines."""
    shape, framed = grid.shape, grid.step > 1
    if not framed and grid.gap == (0, 0):
        return
    lines = (_HEAVY if framed else _BOX)[canvas.ascii_only]
    columns = range(shape.block_columns, shape.columns, shape.block_columns)
    rows = range(shape.block_rows, shape.rows, shape.block_rows)
    across = [grid.corner_at(column, 0)[0] - 1 - (not framed) for column in columns]
    for x in across:
        for y in range(grid.top, grid.top + grid.height):
            canvas.put(x, y, lines.upright, "class:between")
    for row in rows:
        y = grid.corner_at(0, row)[1] - 1
        canvas.put(grid.left, y, lines.level * grid.width, "class:between")
        for x in across:
            canvas.put(x, y, lines.inner[1], "class:between")


def _draw_edges(canvas: Canvas, grid: Grid) -> None:
    """Draw letters and numbers, and arrows where the board goes on."""
    shape, (beside, over) = grid.shape, grid.around
    left_edge, top_edge = grid.left - beside, grid.top - over
    for column in range(grid.columns):
        x = grid.corner_at(column, 0)[0] + grid.step - 1
        name = column_letter(shape.cell_column(grid.first_column + column))
        canvas.put(x, top_edge - 1, name, "class:edge")
        if shape.is_cube and (grid.first_column + column) % shape.block_columns == 0:
            layer = (grid.first_column + column) // shape.block_columns + 1
            words = f"layer {layer}" if 2 * grid.step * shape.block_columns > 7 else f"{layer}:"
            canvas.put(x - grid.step + 1, top_edge - 2, words, "class:edge")
    for row in range(grid.rows):
        y = grid.corner_at(0, row)[1] + (grid.cell_rows - 1) // 2
        canvas.put(left_edge - 3, y, f"{grid.first_row + row + 1:2}", "class:edge")
    left, right, up, down = "<>^v" if canvas.ascii_only else "◀▶▲▼"
    middle = grid.top + grid.step // 2
    if grid.first_column > 0:
        canvas.put(grid.left, top_edge - 1, left, "class:pointer")
    if grid.first_column + grid.columns < shape.columns:
        canvas.put(grid.left + grid.width - 1, top_edge - 1, right, "class:pointer")
    if grid.first_row > 0:
        canvas.put(grid.left - 1, middle, up, "class:pointer")
    if grid.first_row + grid.rows < shape.rows:
        canvas.put(grid.left - 1, middle + grid.step * (grid.rows - 1), down, "class:pointer")


def _draw_around(canvas: Canvas, grid: Grid, game: Game, line: Sequence[int]) -> None:
    """Draw at each edge what lies beyond it: the other side of the board, in small letters."""
    shape, (beside, over) = grid.shape, grid.around
    middle = grid.step - 1, (grid.cell_rows - 1) // 2
    last_column, last_row = shape.columns - 1, shape.rows - 1

    def put(x: int, y: int, cell: int) -> None:
        mark = game.board[cell].lower()
        style = "class:winning" if cell in line else "class:beyond"
        canvas.put(x, y, "~" if mark == "." else mark, style)

    for row in range(shape.rows):
        y = grid.corner_at(0, row)[1] + middle[1]
        put(grid.left - beside, y, shape.cell(last_column, row))
        put(grid.left + grid.width - 1 + beside, y, shape.cell(0, row))
    for column in range(shape.columns):
        x = grid.corner_at(column, 0)[0] + middle[0]
        put(x, grid.top - over, shape.cell(column, last_row))
        put(x, grid.top + grid.height - 1 + over, shape.cell(column, 0))


def _draw_decided(canvas: Canvas, grid: Grid, boards: str, line: Sequence[int]) -> None:
    """Draw a large mark over each small board that is won."""
    wide, tall = grid.shape.block_columns, grid.shape.block_rows
    blocks = {grid.shape.block(cell) for cell in line}
    columns, rows = 2 * grid.step * wide - 1, grid.step * tall - (grid.step > 1)
    for block, letter in enumerate(boards):
        if letter not in {"X", "O"}:
            continue
        down, right = divmod(block, grid.shape.columns // wide)
        x, y = grid.corner_at(right * wide, down * tall)
        mark = glyph(Mark(letter), columns, rows, ascii_only=canvas.ascii_only)
        for offset, row in enumerate(mark):
            canvas.put(x, y + offset, row, f"class:{letter.lower()}")
        if block in blocks:
            canvas.tint(x, y, columns, rows, "class:winning")


def _draw_cell(
    canvas: Canvas, grid: Grid, game: Game, cell: int, marking: Marking, age: int | None
) -> None:
    """Draw a mark, or what a free cell shows. `age`: the moves of its side until it vanishes."""
    x, y = grid.corner(cell)
    if game.board[cell] != ".":
        mark = Mark(game.board[cell])
        style = f"class:{mark.lower()}"
        shape = glyph(mark, grid.cell_columns, grid.cell_rows, ascii_only=canvas.ascii_only)
        if age == 1:
            # In small letters or thin blocks.
            style, pale = f"{style} class:leaving", str.maketrans("█▀▄XO", "░░░xo")
            shape = tuple(row.translate(pale) for row in shape)
        for offset, row in enumerate(shape):
            canvas.put(x, y + offset, row, style)
        if age is not None and grid.step > 2:
            canvas.put(x, y, str(age), "class:age")
        return
    if marking.pending is not None and marking.pending[0] == cell:
        # A small letter is no mark yet, in every colour.
        letter = marking.pending[1].lower()
        text, style = (letter if grid.step == 1 else f"({letter})"), "class:pending"
    else:
        text, style = _free(grid, game, cell, marking, ascii_only=canvas.ascii_only)
    canvas.put(x, y + (grid.cell_rows - 1) // 2, text.center(grid.cell_columns), style)


def _free(
    grid: Grid, game: Game, cell: int, marking: Marking, *, ascii_only: bool
) -> tuple[str, str]:
    """Return the text of a free cell, and its style."""
    if not may_play(game, cell):
        return "", ""
    hint = marking.hint
    best = () if hint is None else hint.best[:_MOST_BEST] if has_edges(grid.rules) else hint.best
    value = None if hint is None else hint.values.get(str(cell))
    if cell in best or value is not None:
        long, short = _WORTH[value]
        if cell not in best:
            return (short if grid.cell_columns < len(long) + 2 else long), "class:hint"
        starred = {1: "*", 3: f"*{short}*"}.get(grid.cell_columns, f"*{long}*")
        return starred, "class:hint class:best"
    if not has_edges(grid.rules):
        return str(cell + 1), "class:free"
    if grid.step == 1 or game.legal is not None:
        style = "class:free" if game.legal is None else "class:open"
        return ("." if ascii_only else "·"), style
    return "", ""


def _draw_winning(canvas: Canvas, grid: Grid, cell: int, star: str) -> None:
    """Tint a cell of the line, and put stars at its corners."""
    x, y = grid.corner(cell)
    canvas.tint(x, y, grid.cell_columns, grid.cell_rows, "class:winning")
    for row in {y, y + grid.cell_rows - 1} if grid.step == 1 else {y - 1, y + grid.cell_rows}:
        canvas.put(x - 1, row, star, "class:star")
        canvas.put(x + grid.cell_columns, row, star, "class:star")


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
