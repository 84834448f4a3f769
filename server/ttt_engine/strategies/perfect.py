"""Perfect play that also makes the opponent's mistakes likely.

In small variants it knows the exact score of each cell, from the first move on.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.builtin import Builtin, told
from ttt_engine.outcome import Mark
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.solvers import PlayedScores
from ttt_engine.strategy import Cost, Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell
from ttt_engine.variants.vanishing import MOST_PLIES, VanishingPosition

Solve = Callable[[Position], Mapping[int, int]]
"""Returns the score of each legal cell of a position, ascending by cell."""

_MOST_CELLS: Final = 16
"""Of a board on which notakto is solved: 65 536 positions."""


def solver_of(rules: Rules) -> Solve | None:
    """Return what solves the positions of a variant; None for one that is too large."""
    is_smallest = rules.cells == SMALLEST and not rules.gravity
    match rules.variant:
        case "misere" | "torus" if is_smallest:
            return _by_play
        case "notakto" if rules.cells <= _MOST_CELLS:
            return _of_one_mark
        case "vanishing" if is_smallest:
            return _of_vanishing
        case _:
            return None


def _by_play(position: Position) -> dict[int, int]:
    return _scores(position.rules).of_cells(position)


_scores = cache(PlayedScores)  # bounded: two boards


def _of_one_mark(position: Position) -> dict[int, int]:
    """Score notakto: all marks are alike, so the set of them is the position."""
    taken, score = position.x | position.o, _score_of_one_mark(position.rules)
    return {cell: -score(taken | 1 << cell) for cell in position.legal_moves}


@cache  # bounded: boards of at most 16 cells
def _score_of_one_mark(rules: Rules) -> Callable[[int], int]:
    """Return what scores a set of equal marks, of which a line loses, for the side to move."""
    full, complete = rules.full, rules.lines.complete

    @cache
    def score(taken: int) -> int:
        free = full & ~taken
        if complete(taken):  # it has no mark to place, and has won
            return 1 + free.bit_count()
        return -min([score(taken | 1 << cell) for cell in cells_of(free)])

    return score


_Order = tuple[int, ...]
"""The cells of a side's marks, the oldest first."""


def _of_vanishing(position: Position) -> dict[int, int]:
    return {cell: -_of_vanished(position.play(cell)) for cell in position.legal_moves}


def _of_vanished(position: Position) -> int:
    """Return the score for the side to move."""
    outcome = position.outcome()
    if outcome is not None:  # a line, or a draw as a position repeats
        return -MOST_PLIES if outcome.winner else 0
    if not isinstance(position, VanishingPosition):  # pragma: no cover - vanishing has no other
        raise TypeError(position)
    orders = position.xs, position.os
    own, other = orders if position.turn is Mark.X else orders[::-1]
    plies = vanishing_table()[own, other]
    if not plies:
        return 0
    return MOST_PLIES - plies if plies % 2 else plies - MOST_PLIES


@cache
def vanishing_table() -> dict[tuple[_Order, _Order], int]:
    """Return the plies to the end of each position that can be reached, by retrograde analysis.

    A position is the marks of the side to move in their order, and those of the other side. It is
    won if the plies are odd, lost if they are even, and drawn at 0: nobody can force a line, so
    positions repeat.
    """
    start: tuple[_Order, _Order] = ((), ())
    numbers, states = {start: 0}, [start]
    before: list[list[int]] = [[]]
    untried: list[int] = []
    """The moves of each position that are not known to lose."""
    plies: list[int] = []
    complete, in_a_row = TIC_TAC_TOE.lines.complete, TIC_TAC_TOE.in_a_row
    for number, (own, other) in enumerate(states):  # it grows on the way
        count, wins = 0, False
        for cell in range(SMALLEST):
            if cell in own or cell in other:
                continue
            placed = (*own, cell)[-in_a_row:]
            if complete(bitboard(placed)):
                wins = True
                continue
            after = other, placed
            at = numbers.setdefault(after, len(states))
            if at == len(states):
                states.append(after)
                before.append([])
            before[at].append(number)
            count += 1
        untried.append(count)
        plies.append(int(wins))
    solved = [number for number, count in enumerate(plies) if count]
    for number in solved:  # it grows on the way, in the order of the plies
        wins = plies[number] % 2 == 0
        for earlier in before[number]:
            if plies[earlier]:
                continue
            untried[earlier] -= 1
            if wins or not untried[earlier]:
                plies[earlier] = plies[number] + 1
                solved.append(earlier)
    return dict(zip(states, plies, strict=True))


CASES: Final = (1, 1, 2, 3, 8, 15, 48, 105, 384)
"""The number of equally likely ways in which a random opponent can move to the end.

The index is the number of empty cells at its turn: 8 = 4 * 2, for it has four cells to choose from,
and two at its next turn.
"""


class Prospect(NamedTuple):
    """The promise of a move. Prospects of one position compare as `Perfect` prefers them."""

    value: int
    """1, 0 or -1: the result with best play."""

    wins: int
    """How many of the `CASES` it wins, playing on like this against random moves."""

    draws: int
    """How many of the `CASES` end in a draw."""


_DRAWN: Final = Prospect(0, 0, 1)
"""A full board."""

_FULL: Final = TIC_TAC_TOE.full
_complete, _ends = TIC_TAC_TOE.lines.complete, TIC_TAC_TOE.lines.ends


class Perfect(Builtin):
    """Keeps the value of the position, then maximises the chance of a mistake.

    The values of a thought are the value of a cell, 1, 0 or -1, plus the chance of beating an
    opponent that plays at random.
    """

    name = "perfect"
    about = "Never errs, and of the moves that do not takes those that are hardest to answer."
    boards = "3x3 without gravity: plain, misere, torus, vanishing; notakto up to 4x4"
    variants = frozenset({"misere", "notakto", "torus", "vanishing"})

    def plays(self, rules: Rules) -> bool:
        if rules is TIC_TAC_TOE:  # nearly always, and ten times as quick as to compare
            return True
        return rules == TIC_TAC_TOE or solver_of(rules) is not None

    @staticmethod
    def cost(rules: Rules) -> Cost:
        return Cost.INSTANT if rules == TIC_TAC_TOE else Cost.LONG

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        rules = position.rules
        solver = None if rules.variant is None else solver_of(rules)
        return told(_thought(position) if solver is None else _solved(solver(position)), tell)


def _solved(scores: Mapping[int, int]) -> Thought:
    return Thought(best_of(scores), "book", scores)


@cache  # bounded: 3x3 has 4 520 positions in which the game goes on
def _thought(position: Position) -> Thought:
    own, other = position.sides
    prospects = {cell: after_move(own | 1 << cell, other) for cell in position.legal_moves}
    cases = CASES[len(prospects) - 1]
    return Thought(
        best_of(prospects),
        "book",
        {cell: (value * cases + wins) / cases for cell, (value, wins, _) in prospects.items()},
    )


@cache  # the table: each position is worked out once, most of them by the first thoughts
def after_move(own: int, other: int) -> Prospect:
    """Return the prospect of the side that holds `own` and has just moved."""
    free = _FULL ^ own ^ other
    if _complete(own):
        return Prospect(1, CASES[free.bit_count()], 0)
    if not free:
        return _DRAWN
    lost = free & _ends(other)
    value, wins, draws = -1 if lost else 1, 0, 0
    free ^= lost
    while free:
        bit = free & -free
        free ^= bit
        answered, then_wins, then_draws = of_position(own, other | bit)
        value = min(value, answered)
        wins += then_wins
        draws += then_draws
    return Prospect(value, wins, draws)


@cache
def of_position(own: int, other: int) -> Prospect:
    """Return the best prospect of the side to move, which holds `own`."""
    free = _FULL ^ own ^ other
    if _ends(own) & free:
        return Prospect(1, CASES[free.bit_count() - 1], 0)
    if not free:
        return _DRAWN
    blocks = free & _ends(other)
    best = _best(own, other, blocks)
    if best.value >= 0:
        return best  # every other cell loses
    return max(best, _best(own, other, free ^ blocks))


def _best(own: int, other: int, cells: int) -> Prospect:
    best = Prospect(-1, 0, 0)
    while cells:
        bit = cells & -cells
        cells ^= bit
        best = max(best, after_move(own | bit, other))
    return best
