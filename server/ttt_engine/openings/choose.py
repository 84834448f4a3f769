"""How a player without its own plan opens: choose by value, place balanced stones.

A value is that of a position for the side to move, as the player's strategy sees it.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.openings.opening import Choice
from ttt_engine.outcome import Mark, sign
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.negamax import LIMIT, WON
from ttt_engine.search.state import board_of, options_of
from ttt_engine.search.wide_tree import WideTree
from ttt_engine.strategies import Strategy
from ttt_engine.symmetry import canonical
from ttt_engine.threats.board import is_wide, threat_board_of

_LEAST: Final = 13
"""The fewest columns and rows of a board on which the edges are far enough."""


class BookOpening(NamedTuple):
    """The stones as columns to the right and rows down from the middle of the board."""

    first: tuple[int, int]
    second: tuple[int, int]
    third: tuple[int, int]

    def __call__(self, rules: Rules) -> tuple[int, ...]:
        """Return the cells on a board, in order."""
        return tuple(
            (rules.rows // 2 + down) * rules.columns + rules.columns // 2 + right
            for right, down in self
        )


BOOK: Final = (
    BookOpening((-3, -5), (3, -5), (4, -2)),
    BookOpening((-1, 0), (0, 0), (-4, -1)),
    BookOpening((3, 4), (4, 4), (-4, -2)),
    BookOpening((3, 4), (5, -1), (5, -2)),
    BookOpening((5, -1), (5, -5), (1, 5)),
    BookOpening((-4, 1), (5, -1), (4, -1)),
    BookOpening((2, 2), (1, -3), (-2, -2)),
    BookOpening((-5, -5), (3, -5), (3, -3)),
    BookOpening((4, 3), (5, 3), (-5, 0)),
    BookOpening((4, -1), (-2, 4), (0, 0)),
    BookOpening((4, 3), (-4, -3), (-2, -2)),
    BookOpening((1, -1), (0, 1), (1, 4)),
    BookOpening((-5, -5), (-4, 4), (-3, 3)),
    BookOpening((3, 4), (5, 3), (-4, -2)),
    BookOpening((2, -1), (1, -3), (4, -3)),
    BookOpening((4, -4), (4, 0), (2, -1)),
)
"""Three stones (X, O, X) of five in a row that the search which chose them found balanced.

They were the first sixteen of `python -m tests.bench.openings`: a search saw neither side ahead,
and playing on against itself it won at least a third of the games with either side.
"""


def lies_on(rules: Rules) -> bool:
    """Whether the book's openings are for such a board."""
    return rules.in_a_row == 5 and not rules.gravity and min(rules.columns, rules.rows) >= _LEAST


Worth = Callable[[Position], int]
"""The value of a position in which the game goes on, for the side to move.

It is above 0 if that side is ahead, in the units of the search's estimates, and `DECIDED` or more
if its win is certain.
"""

DECIDED: Final = WON

_PLENTY: Final = 1 << 30
"""A budget that is never spent: a look of one ply takes some tens of positions."""


def worth_by(strategy: Strategy) -> Worth:
    """Return how a strategy evaluates positions: its method `worth`, or else open lines.

    A strategy need not have the method. It may return None where it has no opinion.
    """
    opinion: Callable[[Position], int | None] | None = getattr(strategy, "worth", None)
    if opinion is None:
        return plain_worth

    def worth(position: Position) -> int:
        found = opinion(position)
        return plain_worth(position) if found is None else found

    return worth


def plain_worth(position: Position) -> int:
    """Compare the open lines of both sides after the best-looking reply; 0 in a variant."""
    rules = position.rules
    if rules.variant is not None:
        return 0  # lines alone do not say who is ahead
    if is_wide(rules):
        threats = threat_board_of(rules)
        tree = WideTree(threats, Budget(_PLENTY))
        return tree.look(threats.state(position), 1, -LIMIT, LIMIT).value
    board = board_of(rules)
    state = board.state(position)
    value, cells, _ = options_of(rules, state)
    if value is not None:
        return sign(value) * DECIDED
    return max(-board.estimate(board.place(state, cell)) for cell in cells_of(cells))


CLOSE: Final = 50
"""The largest value of a position in which neither side is better, where more stones may
be placed: a line of two marks more."""

LOOKED_AT: Final = 8
"""How many positions are evaluated for one stone."""

_REACH: Final = 2
"""How far from the others a stone of an opening lies at most, in columns and rows."""


def choose(position: Position, choices: tuple[Choice, ...], seat: Mark, worth: Worth) -> Choice:
    """Choose in an opening: the side that is ahead, or more stones if neither is.

    Args:
        position: the stones so far.
        choices: what may be chosen.
        seat: that of the player who chooses.
        worth: how the player evaluates positions.
    """
    value = worth(position)
    if Choice.MORE in choices and 0 < abs(value) <= CLOSE:
        return Choice.MORE
    wanted = position.turn if value >= 0 else position.turn.other
    return Choice.STAY if wanted is seat else Choice.SWAP


def place(position: Position, stones: int, worth: Worth) -> tuple[int, ...]:
    """Return the cells for the next stone of an opening, each as good as the others, ascending.

    Args:
        position: the stones so far.
        stones: the number of stones when the other side is to choose.
        worth: how the player evaluates positions.
    """
    if stones == len(BOOK[0]) and (booked := _from_book(position)):
        return booked
    if position.ply + 1 < stones or position.rules.variant is not None:
        return _near(position)
    return _balanced(position, worth)


def _from_book(position: Position) -> tuple[int, ...]:
    """Return the next cells of the book's openings that begin like this position."""
    x, o = cells_of(position.x), cells_of(position.o)
    if len(x) > 1 or not lies_on(position.rules):
        return ()
    so_far = (*x, *o)
    booked = (opening(position.rules) for opening in BOOK)
    following = {cells[len(so_far)] for cells in booked if cells[: len(so_far)] == so_far}
    return tuple(sorted(following))


def _near(position: Position) -> tuple[int, ...]:
    """Return the cells near the stones, or near the middle of an empty board."""
    rules = position.rules
    middle = rules.rows // 2 * rules.columns + rules.columns // 2
    stones = cells_of(position.x | position.o) or (middle,)
    near = bitboard(
        row * rules.columns + column
        for stone in stones
        for row in _around(stone // rules.columns, rules.rows)
        for column in _around(stone % rules.columns, rules.columns)
    )
    legal = position.legal_moves
    return tuple(cell for cell in legal if near >> cell & 1) or legal


def _around(place: int, end: int) -> range:
    return range(max(0, place - _REACH), min(end, place + _REACH + 1))


def _balanced(position: Position, worth: Worth) -> tuple[int, ...]:
    """Return the cells after which neither side is ahead, as far as is seen.

    Plain sight picks some, which the player then weighs.
    """
    cells = position.legal_moves if position.ply == 0 else _near(position)
    after = {cell: position.play(cell) for cell in cells}
    seen: dict[Position, list[int]] = {}
    for cell in cells:
        seen.setdefault(canonical(after[cell]), []).append(cell)
    by_sight = sorted(seen, key=lambda image: (abs(plain_worth(image)), seen[image]))
    weighed = {image: abs(worth(image)) for image in islice(by_sight, LOOKED_AT)}
    least = min(weighed.values())
    return tuple(
        sorted(cell for image, found in weighed.items() if found == least for cell in seen[image])
    )
