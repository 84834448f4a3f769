"""Rules of thumb, what is plain a move or two ahead, open lines, and play at random.

`Guard` is an opponent who misses nothing obvious, and plans nothing.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.builtin import Builtin, first_rule, told
from ttt_engine.position import SMALLEST, GridPosition, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategy import EVERY, Cost, Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell


class Random(Builtin):
    """Considers every legal cell equally good."""

    name = "random"
    about = "Plays any free cell."
    variants = EVERY

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        return told(Thought(position.legal_moves, "random"), tell)


_IN_A_TURN: Final = 2
"""The most marks of a turn, in a game where a turn has several."""


class Foresight(NamedTuple):
    """Legal cells, ascending. Where one wins, the others are not looked at."""

    wins: tuple[int, ...]
    """Those that win at once, or begin to in a turn of several marks."""
    safe: tuple[int, ...]
    """Those that neither lose at once nor let the other side win at once."""
    forces: tuple[int, ...]
    """The safe ones after which each move of the other side loses at once."""


def cost_of_foresight(rules: Rules) -> Cost:
    """Return the cost of a look ahead: without a grid it plays each move and each answer to it."""
    if rules.variant is None:
        return Cost.INSTANT if rules.cells == SMALLEST else Cost.SHORT
    is_short = rules.cells == SMALLEST or isinstance(Position.start(rules), GridPosition)
    return Cost.SHORT if is_short else Cost.LONG


def foresee(position: Position) -> Foresight:
    """Look ahead in a position in which the game goes on."""
    if position.marks is not None:
        return _in_turns(position)
    if not isinstance(position, GridPosition):
        return _by_the_rules(position)
    return _where_lines_lose(position) if position.rules.loses else _where_lines_win(position)


def _where_lines_win(position: GridPosition) -> Foresight:
    own, other = position.sides
    legal, ends = bitboard(position.legal_moves), position.rules.lines.ends
    threats = ends(other) & legal
    return Foresight(cells_of(ends(own) & legal), cells_of(threats or legal), ())


def _where_lines_lose(position: GridPosition) -> Foresight:
    rules = position.rules
    own, other = position.sides
    safe = cells_of(bitboard(position.legal_moves) & ~rules.lines.ends(own))
    lost_to_other = rules.lines.ends(other)
    forces = []
    for cell in safe:
        answers = rules.playable(own | other | 1 << cell)
        if answers and not answers & ~lost_to_other:
            forces.append(cell)
    return Foresight((), safe, tuple(forces))


def _in_turns(position: Position) -> Foresight:
    """Look at the lines that lack no more marks than a turn has, in games without other rules."""
    own, other = position.sides
    marks = position.marks or 1
    wins = 0
    blocks: Counter[int] = Counter()
    for line in position.rules.lines.masks:
        if not line & other and (line & ~own).bit_count() <= marks:
            wins |= line & ~own
        if not line & own and (line & ~other).bit_count() <= _IN_A_TURN:
            blocks.update(cells_of(line & ~other))
    return Foresight(cells_of(wins), best_of(blocks) if blocks else position.legal_moves, ())


def _by_the_rules(position: Position) -> Foresight:
    turn = position.turn
    wins, safe, forces = [], [], []
    for cell in position.legal_moves:
        after = position.play(cell)
        outcome = after.outcome()
        if outcome is not None:
            if outcome.winner is turn:
                wins.append(cell)
            elif outcome.winner is None:
                safe.append(cell)
        elif not wins:
            ends = [after.play(answer).outcome() for answer in after.legal_moves]
            winners = {None if end is None else end.winner for end in ends}
            if turn.other not in winners:
                safe.append(cell)
                if winners == {turn}:
                    forces.append(cell)
    return Foresight(tuple(wins), tuple(safe), tuple(forces))


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


_MOST_SHORT = 64
"""The most cells for which a thought is quick."""


class OpenLines(Builtin):
    """Looks one move ahead, and at the reply that the move forces. Some forks beat it.

    The values of a thought are the scores of the third step; see `_line_scores`. A cell that wins
    or blocks has none.
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
        values = _line_scores(position.rules, own, other)
        return told(Thought(best_of(values), "open lines", values), tell)


def _line_scores(rules: Rules, own: int, other: int) -> dict[int, int]:
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
