"""Rules of thumb: win, block, centre, corner, side."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.builtin import Builtin, first_rule, told
from ttt_engine.position import GridPosition, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.foresight import cost_of_foresight, foresee
from ttt_engine.strategy import EVERY, Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell

_CENTRE, _CORNERS, _SIDES = bitboard([4]), bitboard([0, 2, 6, 8]), bitboard([1, 3, 5, 7])


_BASE: Final = 4
"""A line with a mark more is worth so many times as much."""


class RuleBased(Builtin):
    """Follows the first rule that applies, without looking ahead. A fork beats it.

    In a variant the rules are: win; leave only losing moves (force); block, or avoid to lose; and
    take a cell with the best lines.
    """

    name = "rules"
    about = "Wins or blocks where it can, else takes the centre, a corner, a side."
    boards = "3x3 without gravity, and every variant"
    variants = EVERY
    cost = staticmethod(cost_of_foresight)

    def plays(self, rules: Rules) -> bool:
        return rules == TIC_TAC_TOE or rules.variant is not None

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        if position.rules.variant is not None:
            return _in_a_variant(position, tell)
        own, other = position.sides
        free = position.rules.full & ~(own | other)
        thought = first_rule(_rules(own, other, free), tell)
        return thought or told(Thought(cells_of(_SIDES & free), "side"), tell)


def _rules(own: int, other: int, free: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for reason, marks in (("win", own), ("block", other)):
        ends = [
            mask & free
            for mask in TIC_TAC_TOE.lines.masks
            if (mask & marks).bit_count() == 2 and mask & free
        ]
        yield reason, cells_of(ends[-1]) if ends else ()  # the last line decides
    yield "centre", cells_of(_CENTRE & free)
    yield "corner", cells_of(_CORNERS & free)


def _in_a_variant(position: Position, tell: Tell | None) -> Thought:
    legal, seen = position.legal_moves, foresee(position)
    is_narrow = len(seen.safe) < len(legal)
    loses, best = position.rules.loses, legal
    has_lines = isinstance(position, GridPosition) or position.marks is not None
    if has_lines and not loses:
        best = _on_best_lines(position, legal)
    rules = (
        ("win", seen.wins),
        ("force", seen.forces),
        ("avoid" if loses else "block", seen.safe if is_narrow else ()),
    )
    reason = "free choice" if best == legal else "open lines"
    return first_rule(rules, tell) or told(Thought(best, reason), tell)


def _on_best_lines(position: Position, legal: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cells with the best lines: those of one side alone, the fuller the better."""
    own, other = position.sides
    scores: Counter[int] = Counter()
    lines = position.rules.lines
    for cells, line in zip(lines.cells, lines.masks, strict=True):
        mine, theirs = (line & own).bit_count(), (line & other).bit_count()
        if not (mine and theirs):
            for cell in cells:
                scores[cell] += _BASE ** (mine + theirs)
    return best_of({cell: scores[cell] for cell in legal})
