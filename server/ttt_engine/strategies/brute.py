"""Brute force: add up the outcomes of all continuations."""

from functools import lru_cache
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.builtin import Solver
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.strategy import Thought, require_playable
from ttt_engine.tracing.steps import NodeEntered, NodeLeft, TableHit, Tell

MOST_CELLS: Final = 12
"""Larger boards have too many positions."""


class BruteForce(Solver):
    """Takes the first cell with the most wins minus losses, likely or not.

    The values of a thought are the balances; see `Balances`.
    """

    name = "brute"
    about = "Plays out every game in its mind, and goes where the most are won and the fewest lost."
    boards = f"boards of up to {MOST_CELLS} cells"

    def plays(self, rules: Rules) -> bool:
        return rules.cells <= MOST_CELLS

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        rules = position.rules
        balances = _balances(rules) if tell is None else _ToldBalances(rules, tell)
        own, other = position.sides
        values = {cell: balances.of_move(own, other, 1 << cell) for cell in position.legal_moves}
        best = max(values, key=values.__getitem__)  # the first of equals
        return Thought((best,), f"wins minus losses: {values[best]:+}", values)


class Balances:
    """Wins minus losses over every continuation, for the positions of one board.

    A game ends at its first line. Each position is computed once: from an empty board of twelve
    cells there are tens of millions of games, but only hundreds of thousands of positions.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[tuple[int, int], int] = {}

    def of_move(self, own: int, other: int, bit: int) -> int:
        """Return the balance of taking the cell `bit`, for the side that holds `own`."""
        own |= bit
        if self._rules.lines.complete(own):
            return 1
        return -self.of_position(other, own)

    def of_position(self, own: int, other: int) -> int:
        """Return the balance for the side to move, which holds `own`; 0 on a full board."""
        key = own, other
        balance = self._known.get(key)
        if balance is None:
            free = cells_of(self._rules.playable(own | other))
            balance = sum(self.of_move(own, other, 1 << cell) for cell in free)
            self._known[key] = balance
        return balance


class _ToldBalances(Balances):
    """Reports how it computes them, starting from an empty table."""

    def __init__(self, rules: Rules, tell: Tell) -> None:
        super().__init__(rules)
        self._tell = tell

    def of_move(self, own: int, other: int, bit: int) -> int:
        self._tell(NodeEntered(bit.bit_length() - 1))
        balance = super().of_move(own, other, bit)
        self._tell(NodeLeft(balance))
        return balance

    def of_position(self, own: int, other: int) -> int:
        if (own, other) in self._known:
            self._tell(TableHit())
        return super().of_position(own, other)


_balances = lru_cache(maxsize=2)(Balances)  # twelve cells take up to 20 MB
"""The balances of a board. The first thought on the empty board fills them."""
