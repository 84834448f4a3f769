"""Random moves."""

from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import Rules
from ttt_engine.strategy import Cost, Thought, require_playable
from ttt_engine.tracing.steps import Rule, Tell


class Random:
    """Considers every legal cell equally good."""

    name = "random"
    levels = False
    about = "Plays any free cell."
    boards = "every board"

    def plays(self, rules: Rules) -> bool:  # noqa: ARG002 - the protocol's; the answer is yes
        return True

    @staticmethod
    def cost(rules: Rules) -> Cost:
        return Cost.INSTANT if rules.cells == SMALLEST else Cost.SHORT

    def think(self, position: Position) -> Thought:
        return self.think_aloud(position, None)

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        if tell is not None:
            tell(Rule("random", position.legal_moves))
        return Thought(position.legal_moves, "random")
