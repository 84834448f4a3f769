"""Win or block, else any cell: an opponent who misses nothing obvious, and plans nothing."""

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.builtin import Builtin
from ttt_engine.position import Position
from ttt_engine.strategy import Thought, require_playable
from ttt_engine.tracing.steps import Rule, Tell


class Guard(Builtin):
    """Completes a line of its own, else blocks one of the opponent's, else plays at random."""

    name = "guard"
    about = "Wins or blocks where it can, else plays any free cell."

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        legal = bitboard(position.legal_moves)
        own, other = position.sides
        found: tuple[int, ...] = ()
        reason = ""
        for reason, ends in (  # pragma: no branch - a cell is free
            ("win", position.rules.lines.ends(own)),
            ("block", position.rules.lines.ends(other)),
            ("free choice", legal),
        ):
            found = cells_of(ends & legal)
            if tell is not None:
                tell(Rule(reason, found))
            if found:
                break
        return Thought(found, reason)
