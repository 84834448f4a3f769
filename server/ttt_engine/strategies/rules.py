"""Rules of thumb: win, block, centre, corner, side."""

from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.builtin import Builtin
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategy import Thought, require_playable
from ttt_engine.tracing.steps import Rule, Tell

_PREFERENCES: Final = (
    ("centre", bitboard([4])),
    ("corner", bitboard([0, 2, 6, 8])),
    ("side", bitboard([1, 3, 5, 7])),
)


class RuleBased(Builtin):
    """Follows the first rule that applies, without looking ahead. A fork beats it."""

    name = "rules"
    about = "Wins or blocks where it can, else takes the centre, a corner, a side."
    boards = "3x3 without gravity"

    def plays(self, rules: Rules) -> bool:
        return rules == TIC_TAC_TOE

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        own, other = position.sides
        free = position.rules.full & ~(own | other)
        for reason, marks in (("win", own), ("block", other)):
            ends = [
                mask & free
                for mask in position.rules.lines.masks
                if (mask & marks).bit_count() == 2 and mask & free
            ]
            found = cells_of(ends[-1]) if ends else ()  # the last line decides
            if tell is not None:
                tell(Rule(reason, found))
            if found:
                return Thought(found, reason)
        for reason, cells in _PREFERENCES:  # pragma: no branch - a cell is free
            found = cells_of(cells & free)
            if tell is not None:
                tell(Rule(reason, found))
            if found:
                break
        return Thought(found, reason)
