"""Misère: a line loses."""

from ttt_engine.position import GridVariant
from ttt_engine.variant import BoardSize


class Misere(GridVariant):
    """The plain game, on any board, won by the side that does not complete a line."""

    name = "misere"
    loses = True

    def why_not(self, size: BoardSize) -> str | None:
        return super().why_not(size._replace(gravity=False))  # it has gravity, too
