"""The value of a position for the side to move, as the players of an opening ask."""

from collections.abc import Callable
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget
from ttt_engine.search.options import options_of
from ttt_engine.search.state import board_of
from ttt_engine.search.value import LIMIT, WON, sign
from ttt_engine.search.wide_tree import WideTree
from ttt_engine.strategies import Strategy
from ttt_engine.threats.board import is_wide, threat_board_of

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
