"""The exact scores of cells in the small variants, from the first move on.

Each score is for the side to move: above 0 wins, more the earlier, below 0 loses, 0 draws.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from ttt_engine.bitboard import bitboard
from ttt_engine.mark import Mark
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.minimax import PlayedScores
from ttt_engine.variants.vanishing import MOST_PLIES, VanishingPosition

Solver = Callable[[Position], Mapping[int, int]]
"""Returns the score of each legal cell of a position, ascending by cell."""

_MOST_CELLS: Final = 16
"""Of a board on which notakto is solved: 65 536 positions."""


def solver_of(rules: Rules) -> Solver | None:
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


@cache  # bounded: two boards
def _scores(rules: Rules) -> PlayedScores:
    return PlayedScores(rules)


def _of_one_mark(position: Position) -> dict[int, int]:
    """Score notakto: all marks are alike, so the set of them is the position."""
    taken, table = position.x | position.o, _one_mark(position.rules)
    return {cell: -table.score(taken | 1 << cell) for cell in position.legal_moves}


@cache  # bounded: boards of at most 16 cells
def _one_mark(rules: Rules) -> "_OneMark":
    return _OneMark(rules)


class _OneMark:
    """The scores of sets of equal marks, of which a line loses."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[int, int] = {}

    def score(self, taken: int) -> int:
        """Return the score for the side to move; one without a mark to place has won."""
        known = self._known.get(taken)
        if known is None:
            known = self._known[taken] = self._work_out(taken)
        return known

    def _work_out(self, taken: int) -> int:
        free = self._rules.full & ~taken
        closeness = 1 + free.bit_count()
        if self._rules.lines.complete(taken):
            return closeness
        best = -closeness
        cells = free
        while cells:
            bit = cells & -cells
            cells ^= bit
            best = max(best, -self.score(taken | bit))
        return best


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
