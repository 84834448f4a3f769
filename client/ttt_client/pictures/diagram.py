"""A position as shapes on a plane, and as SVG. Pure."""

from collections.abc import Iterator
from typing import NamedTuple, assert_never
from xml.sax.saxutils import escape

from ttt_protocol.state import Game, Mark, Rules

CELL = 48
"""The side of a cell. All numbers of a diagram are in this unit, pixels of a plain screen."""
MARGIN, LINE = 28, 26
"""The space around the board, and the height of a line of text."""
SMALL = 12
"""The size of the letters and numbers along the edges, and in cells."""

PAPER, INK, GRID, FAINT = "#fdfcf7", "#23252b", "#b9b4a4", "#857f70"
WON, LAST = "#ffe08a", "#eceadf"
"""Behind a winning line, and behind the last move."""
COLOURS = {Mark.X: "#c8323c", Mark.O: "#2563b8"}


class Stroke(NamedTuple):
    """A straight line with round ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: float


class Ring(NamedTuple):
    """A circle that is not filled."""

    x: float
    y: float
    radius: float
    colour: str
    width: float


class Block(NamedTuple):
    """A filled square."""

    x: float
    y: float
    side: float
    colour: str


class Words(NamedTuple):
    """A line of text, centred at a point."""

    x: float
    y: float
    text: str
    size: float
    colour: str


Shape = Stroke | Ring | Block | Words


class Diagram(NamedTuple):
    """A picture: the shapes are drawn in order, later ones over earlier ones."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def diagram(rules: Rules, game: Game, title: str, caption: str, *, numbered: bool) -> Diagram:
    """Draw a position between two lines of text.

    Args:
        rules: the board.
        game: the position, with the moves so far and the outcome.
        title: stands above the board.
        caption: stands below it.
        numbered: write into each cell which move it was.
    """
    width = max(rules.columns * CELL, 6 * CELL) + 2 * MARGIN
    height = rules.rows * CELL + 2 * MARGIN + 2 * LINE
    left = (width - rules.columns * CELL) / 2
    top = float(MARGIN + LINE)
    shapes = [
        Words(width / 2, LINE / 2 + 6, title, _fitting(title, width), INK),
        *_board(rules, game, left, top, numbered=numbered),
        Words(width / 2, height - LINE / 2 - 4, caption, _fitting(caption, width), INK),
    ]
    return Diagram(width, height, tuple(shapes))


def _fitting(text: str, width: float) -> float:
    """Return the size at which the text is no wider than the picture, 16 at most."""
    return min(16.0, 1.6 * (width - MARGIN) / max(len(text), 1))


def _board(rules: Rules, game: Game, left: float, top: float, *, numbered: bool) -> Iterator[Shape]:
    line = set(game.outcome.line or ()) if game.outcome else set()
    last = game.moves[-1] if game.moves else None
    order = {cell: number for number, cell in enumerate(game.moves, 1)}
    corners = {
        cell: (left + cell % rules.columns * CELL, top + cell // rules.columns * CELL)
        for cell in range(rules.columns * rules.rows)
    }
    for cell, (x, y) in corners.items():
        if cell in line or cell == last:
            yield Block(x, y, CELL, WON if cell in line else LAST)
    yield from _grid(rules, left, top)
    for cell, (x, y) in corners.items():
        if game.board[cell] != ".":
            yield from _mark(Mark(game.board[cell]), x, y)
        if numbered and cell in order:
            yield Words(x + CELL - 7, y + 7, str(order[cell]), SMALL - 3, FAINT)


def _grid(rules: Rules, left: float, top: float) -> Iterator[Shape]:
    *columns, right = (left + column * CELL for column in range(rules.columns + 1))
    *rows, bottom = (top + row * CELL for row in range(rules.rows + 1))
    yield from (Stroke(x, top, x, bottom, GRID, 1.5) for x in (*columns, right))
    yield from (Stroke(left, y, right, y, GRID, 1.5) for y in (*rows, bottom))
    for column, x in enumerate(columns):
        yield Words(x + CELL / 2, bottom + SMALL, chr(ord("a") + column), SMALL, FAINT)
    for row, y in enumerate(rows, start=1):
        yield Words(left - SMALL, y + CELL / 2, str(row), SMALL, FAINT)


def _mark(mark: Mark, x: float, y: float) -> Iterator[Shape]:
    near, far, width = CELL * 0.27, CELL * 0.73, CELL * 0.1
    if mark is Mark.X:
        yield Stroke(x + near, y + near, x + far, y + far, COLOURS[mark], width)
        yield Stroke(x + near, y + far, x + far, y + near, COLOURS[mark], width)
    else:
        yield Ring(x + CELL / 2, y + CELL / 2, CELL * 0.25, COLOURS[mark], width)


_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"


def svg(diagram: Diagram, about: str) -> str:
    """Return the document. `about` describes the picture for screen readers."""
    size = f'width="{diagram.width}" height="{diagram.height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
        f' viewBox="0 0 {diagram.width} {diagram.height}" font-family="{_FONT}"'
        ' text-anchor="middle" stroke-linecap="round" fill="none">'
    )
    title = f"<title>{escape(about)}</title>"
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    return "\n".join([head, title, paper, *map(_element, diagram.shapes), "</svg>", ""])


def _element(shape: Shape) -> str:
    match shape:
        case Stroke(x1, y1, x2, y2, colour, width):
            ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
            return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>'
        case Ring(x, y, radius, colour, width):
            where = f'cx="{x:g}" cy="{y:g}" r="{radius:g}"'
            return f'<circle {where} stroke="{colour}" stroke-width="{width:g}"/>'
        case Block(x, y, side, colour):
            where = f'x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}"'
            return f'<rect {where} fill="{colour}"/>'
        case Words(x, y, text, size, colour):
            where = f'x="{x:g}" y="{y + size * 0.35:g}" font-size="{size:g}"'
            return f'<text {where} fill="{colour}">{escape(text)}</text>'
        case _:  # pragma: no cover - the union is closed
            assert_never(shape)
