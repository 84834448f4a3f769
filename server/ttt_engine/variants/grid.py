"""What the variants share that have the positions of the plain grid."""

from typing import Final

from ttt_engine.position import GridPosition
from ttt_engine.rules import Rules
from ttt_engine.variant import BoardSize, Variant

MOST: Final = 19
"""The most columns and rows."""


class GridVariant(Variant):
    """A variant that differs from the plain game in its lines, or in what they mean."""

    is_symmetric = True

    def why_not(self, size: BoardSize) -> str | None:
        if max(size.columns, size.rows) > MOST:
            return f"{self.name} has at most {MOST} columns and rows"
        return super().why_not(size)

    def start(self, rules: Rules) -> GridPosition:
        return GridPosition.begin(rules)

    def parse(self, board: str, rules: Rules) -> GridPosition:
        return GridPosition.read(board, rules)
