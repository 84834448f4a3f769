"""Open lines: win, block, else the cell through which most lines can still be completed."""

from ttt_engine.bitboard import cells_of
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import Rules
from ttt_engine.strategies.base import Cost, Thought, require_playable

_MOST_SHORT = 64
"""The most cells on which a thought is short."""


class OpenLines:
    """One move ahead, and the answer it forces: some forks beat it.

    A thought's values are the scores of the third step, see `_scores`; a cell that wins or blocks
    needs none.
    """

    name = "lines"
    levels = False
    about = "Wins or blocks where it can, else takes the cell with the most open lines."
    boards = "every board without gravity"

    def plays(self, rules: Rules) -> bool:
        return not rules.gravity

    @staticmethod
    def cost(rules: Rules) -> Cost:
        if rules.cells == SMALLEST:
            return Cost.INSTANT
        return Cost.SHORT if rules.cells <= _MOST_SHORT else Cost.LONG

    def think(self, position: Position) -> Thought:
        require_playable(self, position)
        own, other = position.sides
        ends = position.rules.lines.ends
        wins = cells_of(ends(own) & ~other)
        if wins:
            return Thought(wins[:1], "win")
        blocks = cells_of(ends(other) & ~own)
        if blocks:
            return Thought(blocks, "block")
        values = _scores(position.rules, own, other)
        best = max(values.values())
        return Thought(tuple(cell for cell in values if values[cell] == best), "open lines", values)


def _scores(rules: Rules, own: int, other: int) -> dict[int, int]:
    """Every free cell's score.

    For every line through the cell that holds no opposing mark 1; and where the cell leaves that
    line one short of complete, 1 more, less the number of lines that the opponent, forced to
    answer on its last cell, leaves one short through that answer.
    """
    scores = dict.fromkeys(cells_of(rules.full & ~(own | other)), 0)
    two_short = rules.in_a_row - 2
    # The opponent's lines that one mark more leaves one short.
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
