"""Open lines: win, block, else take the cell on the most open lines."""

from ttt_engine.bitboard import cells_of
from ttt_engine.builtin import Builtin, first_rule, told
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import Rules
from ttt_engine.strategy import Cost, Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell

_MOST_SHORT = 64
"""The most cells for which a thought is quick."""


class OpenLines(Builtin):
    """Looks one move ahead, and at the reply that the move forces. Some forks beat it.

    The values of a thought are the scores of the third step; see `_scores`. A cell that wins or
    blocks has none.
    """

    name = "lines"
    about = "Wins or blocks where it can, else takes the cell with the most open lines."
    boards = "every board without gravity"

    def plays(self, rules: Rules) -> bool:
        return not rules.gravity

    @staticmethod
    def cost(rules: Rules) -> Cost:
        if rules.cells == SMALLEST:
            return Cost.INSTANT
        return Cost.SHORT if rules.cells <= _MOST_SHORT else Cost.LONG

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        own, other = position.sides
        ends = position.rules.lines.ends
        wins = cells_of(ends(own) & ~other)[:1]
        blocks = cells_of(ends(other) & ~own)
        if (thought := first_rule((("win", wins), ("block", blocks)), tell)) is not None:
            return thought
        values = _scores(position.rules, own, other)
        return told(Thought(best_of(values), "open lines", values), tell)


def _scores(rules: Rules, own: int, other: int) -> dict[int, int]:
    """Return the score of each free cell.

    Each line through the cell without an opposing mark counts 1. If the cell leaves that line one
    mark short, it counts 1 more, and the opponent must answer on its last cell. Then each line that
    the answer leaves one mark short for the opponent counts -1.
    """
    scores = dict.fromkeys(cells_of(rules.full & ~(own | other)), 0)
    two_short = rules.in_a_row - 2
    # The lines that one more mark of the opponent leaves one mark short.
    theirs = [
        mask
        for mask in rules.lines.masks
        if not mask & own and (mask & other).bit_count() == two_short
    ]
    for mask in rules.lines.masks:
        if mask & other:
            continue
        free = cells_of(mask & ~own)
        for cell in free:
            scores[cell] += 1
        if len(free) == 2:
            for cell, answer in (free, free[::-1]):
                answered = sum(mask >> answer & 1 and not mask >> cell & 1 for mask in theirs)
                scores[cell] += 1 - answered
    return scores
