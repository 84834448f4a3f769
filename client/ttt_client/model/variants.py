"""How the board of each game is laid out, named and explained to people. Pure.

A game that is not known here is a plain board of its columns and rows.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ttt_protocol.notation import cell_name, name_in_cube
from ttt_protocol.state import Game, Mark, Rules

_BLOCKS: Final = (
    "top left",
    "top",
    "top right",
    "left",
    "centre",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
)
"""The small boards of the ultimate game, in order."""


_ANY_FREE_CELL: Final = {None, "connect6", "cube", "misere", "notakto", "torus", "vanishing"}

_WORDS: Final = {
    None: "{size}, {length} in a row{exactly}{falls}",
    "misere": "misère {size}, {length} in a row lose{falls}",
    "notakto": "notakto {size}, all play X, {length} in a row lose",
    "torus": "torus {size}, {length} in a row, over the edges too",
    "vanishing": "vanishing {size}, {length} in a row, only {length} marks stay",
    "cube": "cube {side}x{side}x{side}, {length} in a row",
    "ultimate": "ultimate, three boards in a row",
    "connect6": "connect6 {size}, {length} in a row, two stones a turn",
}
"""Each game in a few words."""

_GOALS: Final[Mapping[str | None, str]] = {
    "misere": "do not make {}",
    "notakto": "all play X: do not make {}",
}

_NUMBERS: Final = {3: "three", 4: "four", 5: "five"}


class Shape(NamedTuple):
    """Where the cells of a board are drawn: in blocks, side by side and one below the other."""

    columns: int
    rows: int
    block_columns: int
    block_rows: int
    is_cube: bool = False

    @property
    def has_blocks(self) -> bool:
        return self.block_columns < self.columns

    @property
    def layers(self) -> int:
        return self.columns // self.block_columns if self.is_cube else 1

    def place(self, cell: int) -> tuple[int, int]:
        """Return the column and row in which a cell is drawn."""
        if not self.is_cube:
            return cell % self.columns, cell // self.columns
        size = self.block_columns
        layer, rest = divmod(cell, size * size)
        return layer * size + rest % size, rest // size

    def cell(self, column: int, row: int) -> int:
        """Return the cell that is drawn there."""
        if not self.is_cube:
            return row * self.columns + column
        size = self.block_columns
        return column // size * size * size + row * size + column % size

    def cell_column(self, column: int) -> int:
        """Return the column that the name of a cell there has."""
        return column % self.block_columns if self.is_cube else column

    def block(self, cell: int) -> int:
        """Return the number of the block with this cell."""
        column, row = self.place(cell)
        across = self.columns // self.block_columns
        return row // self.block_rows * across + column // self.block_columns

    def name(self, cell: int) -> str:
        """Return `b3`: column and row; in a cube `1b3`, with the layer before them."""
        if not self.is_cube:
            return cell_name(cell, self.columns)
        return name_in_cube(cell, self.block_columns)


@lru_cache(maxsize=64)
def shape_of(rules: Rules) -> Shape:
    """Return where the cells of a board are drawn."""
    columns, rows = rules.columns, rules.rows
    match rules.variant:
        case "cube" if rows == columns * columns:
            return Shape(rows, columns, columns, columns, is_cube=True)
        case "ultimate" if columns == rows == len(_BLOCKS):
            return Shape(columns, rows, 3, 3)
        case _:
            return Shape(columns, rows, columns, rows)


def cell_at(rules: Rules, layer: int | None, column: int, row: int) -> int | None:
    """Return the cell there; None if the board has none. Only a cube has layers."""
    shape = shape_of(rules)
    if (layer is not None) is not shape.is_cube:
        return None
    layer = layer or 0
    columns = shape.columns // shape.layers
    if column >= columns or not 0 <= row < shape.rows or layer >= shape.layers:
        return None
    return (layer * shape.rows + row) * columns + column


def is_round(rules: Rules) -> bool:
    """Return whether lines run over the edges."""
    return rules.variant == "torus"


def loses(rules: Rules) -> bool:
    """Return whether a line loses."""
    return rules.variant in {"misere", "notakto"}


def turn_at(rules: Rules, ply: int) -> Mark:
    """Return the side that makes this move, counted from 0."""
    turn = (ply + 1) // 2 if rules.variant == "connect6" else ply
    return Mark.O if turn % 2 else Mark.X


def mark_of(rules: Rules, side: Mark) -> Mark:
    """Return the mark that a side places."""
    return Mark.X if rules.variant == "notakto" else side


def plays_any_free_cell(rules: Rules) -> bool:
    """Return whether any free cell may be played, or with gravity the lowest."""
    return rules.variant in _ANY_FREE_CELL


def board_after(rules: Rules, moves: Sequence[int]) -> str:
    """Return the board after these moves. In a game that is not known, sides alternate."""
    board = ["."] * (rules.columns * rules.rows)
    placed = [(cell, turn_at(rules, ply)) for ply, cell in enumerate(moves)]
    if rules.variant == "vanishing":
        most = rules.in_a_row
        placed = [pair for side in Mark for pair in [it for it in placed if it[1] is side][-most:]]
    for cell, side in placed:
        board[cell] = mark_of(rules, side)
    return "".join(board)


def may_play(game: Game, cell: int) -> bool:
    """Return whether the cell is free, and not closed for this move."""
    return game.board[cell] == "." and (game.legal is None or cell in game.legal)


def ages(rules: Rules, game: Game) -> Mapping[int, int]:
    """Return the marks that will vanish, each with the moves of its side until then: 1 is next."""
    if rules.variant != "vanishing":
        return {}
    found: dict[int, int] = {}
    for mark in Mark:
        latest = [cell for cell in dict.fromkeys(reversed(game.moves)) if game.board[cell] == mark]
        found |= {cell: rules.in_a_row - place for place, cell in enumerate(latest)}
    return found


def goal(rules: Rules) -> str:
    """Return what a game is about, where it is not a line on a plain board."""
    length = _NUMBERS.get(rules.in_a_row, str(rules.in_a_row))
    return _GOALS.get(rules.variant, "").format(length)


def words(rules: Rules) -> str:
    """Return the game in a few words: `3x3, 3 in a row`."""
    return _WORDS.get(rules.variant, "{variant} {size}, {length} in a row").format(
        variant=rules.variant,
        size=f"{rules.columns}x{rules.rows}",
        side=rules.columns,
        length=rules.in_a_row,
        exactly=", exactly" if rules.exact else "",
        falls=", pieces fall" if rules.gravity else "",
    )


def open_boards(rules: Rules, game: Game) -> str:
    """Return where one may play, by the names of the small boards; empty where that is plain."""
    shape = shape_of(rules)
    if game.outcome is not None or game.legal is None or not shape.has_blocks or shape.is_cube:
        return ""
    blocks = sorted({shape.block(cell) for cell in game.legal})
    if len(blocks) == 1:
        return f"board {_BLOCKS[blocks[0]]}"
    return "any open board"


def board_names(game: Game) -> list[str]:
    """Return the small boards that are decided, in words: `board top left: X`."""
    return [
        f"board {_BLOCKS[block]}: {'drawn' if letter == '=' else letter}"
        for block, letter in enumerate(game.boards or "")
        if letter != "."
    ]
