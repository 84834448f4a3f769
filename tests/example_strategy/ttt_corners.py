"""A strategy of one's own: a corner while there is one."""

from ttt_engine import Position, Rules
from ttt_engine.strategies import Thought


class Corners:
    name = "corners"
    about = "Takes a corner while there is one, then any cell."
    boards = "every board without gravity"

    def plays(self, rules: Rules) -> bool:
        return not rules.gravity

    def think(self, position: Position) -> Thought:
        columns, last = position.rules.columns, position.rules.cells - 1
        corners = {0, columns - 1, last - columns + 1, last}
        free = tuple(cell for cell in position.legal_moves if cell in corners)
        return Thought(free, "corner") if free else Thought(position.legal_moves, "any cell")
