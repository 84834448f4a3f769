"""What the variants share that have the positions of the plain grid."""

from ttt_engine.position import GridPosition
from ttt_engine.rules import Rules
from ttt_engine.variant import Variant


class GridVariant(Variant):
    """A variant that differs from the plain game in its lines, or in what they mean."""

    is_symmetric = True
    _longest = 19

    def start(self, rules: Rules) -> GridPosition:
        return GridPosition.begin(rules)

    def parse(self, board: str, rules: Rules) -> GridPosition:
        return GridPosition.read(board, rules)
