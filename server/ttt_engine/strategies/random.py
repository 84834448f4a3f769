"""Random moves."""

from ttt_engine.builtin import Builtin, told
from ttt_engine.position import Position
from ttt_engine.strategy import EVERY, Thought, require_playable
from ttt_engine.tracing.steps import Tell


class Random(Builtin):
    """Considers every legal cell equally good."""

    name = "random"
    about = "Plays any free cell."
    variants = EVERY

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        return told(Thought(position.legal_moves, "random"), tell)
