"""Any legal cell."""

from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.strategies.base import Thought, require_playable


class Random:
    """Holds every legal cell equally good."""

    name = "random"
    levels = False
    about = "Plays any free cell."
    boards = "every board"

    def plays(self, rules: Rules) -> bool:  # noqa: ARG002 - the protocol's; the answer is yes
        return True

    def think(self, position: Position) -> Thought:
        require_playable(self, position)
        return Thought(position.legal_moves, "random")
