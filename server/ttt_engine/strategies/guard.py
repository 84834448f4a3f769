"""Win or block, else any cell: an opponent who misses nothing obvious, and plans nothing."""

from ttt_engine.builtin import Builtin, first_rule, told
from ttt_engine.position import Position
from ttt_engine.strategies.foresight import cost_of_foresight, foresee
from ttt_engine.strategy import EVERY, Thought, require_playable
from ttt_engine.tracing.steps import Tell


class Guard(Builtin):
    """Completes a line of its own, else blocks one of the opponent's, else plays at random.

    Under other rules it wins where it can, else does not lose at once, nor let the other side win.
    """

    name = "guard"
    about = "Wins or blocks where it can, else plays any free cell."
    boards = "every board and variant"
    variants = EVERY
    cost = staticmethod(cost_of_foresight)

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        seen, legal = foresee(position), position.legal_moves
        block = "avoid" if position.rules.loses else "block"
        blocks = seen.safe if len(seen.safe) < len(legal) else ()
        thought = first_rule((("win", seen.wins), (block, blocks)), tell)
        return thought or told(Thought(legal, "free choice"), tell)
