"""Random moves."""

from ttt_engine.builtin import Builtin
from ttt_engine.position import Position
from ttt_engine.strategy import EVERY, Thought, require_playable
from ttt_engine.tracing.steps import Rule, Tell


class Random(Builtin):
    """Considers every legal cell equally good."""

    name = "random"
    about = "Plays any free cell."
    variants = EVERY

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        if tell is not None:
            tell(Rule("random", position.legal_moves))
        return Thought(position.legal_moves, "random")
