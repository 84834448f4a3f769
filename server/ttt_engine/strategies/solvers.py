"""The solvers, which look to the end of every game: brute force, minimax, and `exact`."""

from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from ttt_engine.bitboard import cells_of
from ttt_engine.builtin import Solver, told
from ttt_engine.exceptions import CannotPlay
from ttt_engine.outcome import sign
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import FOUR_IN_A_ROW, TIC_TAC_TOE, Rules
from ttt_engine.search.negamax import depth_reason
from ttt_engine.strategies.rules import Random
from ttt_engine.strategy import (
    HIGHEST_LEVEL,
    Cost,
    Thought,
    best_of,
    require_level,
    require_playable,
)
from ttt_engine.tracing.steps import Cut, NodeEntered, NodeLeft, Rule, TableHit, Tell

MOST_CELLS: Final = 12
"""Larger boards have too many positions."""


class BruteForce(Solver):
    """Takes the first cell with the most wins minus losses, likely or not.

    The values of a thought are the balances; see `Balances`.
    """

    name = "brute"
    about = "Plays out every game in its mind, and goes where the most are won and the fewest lost."
    boards = f"boards of up to {MOST_CELLS} cells"

    def plays(self, rules: Rules) -> bool:
        return rules.cells <= MOST_CELLS

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        require_playable(self, position)
        rules = position.rules
        balances = _balances(rules) if tell is None else _ToldBalances(rules, tell)
        own, other = position.sides
        values = {cell: balances.of_move(own, other, 1 << cell) for cell in position.legal_moves}
        best = max(values, key=values.__getitem__)  # the first of equals
        return Thought((best,), f"wins minus losses: {values[best]:+}", values)


class Balances:
    """Wins minus losses over every continuation, for the positions of one board.

    A game ends at its first line. Each position is computed once: from an empty board of twelve
    cells there are tens of millions of games, but only hundreds of thousands of positions.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known: dict[tuple[int, int], int] = {}

    def of_move(self, own: int, other: int, bit: int) -> int:
        """Return the balance of taking the cell `bit`, for the side that holds `own`."""
        own |= bit
        if self._rules.lines.complete(own):
            return 1
        return -self.of_position(other, own)

    def of_position(self, own: int, other: int) -> int:
        """Return the balance for the side to move, which holds `own`; 0 on a full board."""
        key = own, other
        balance = self._known.get(key)
        if balance is None:
            free = cells_of(self._rules.playable(own | other))
            balance = sum(self.of_move(own, other, 1 << cell) for cell in free)
            self._known[key] = balance
        return balance


class _ToldBalances(Balances):
    """Reports how it computes them, starting from an empty table."""

    def __init__(self, rules: Rules, tell: Tell) -> None:
        super().__init__(rules)
        self._tell = tell

    def of_move(self, own: int, other: int, bit: int) -> int:
        self._tell(NodeEntered(bit.bit_length() - 1))
        balance = super().of_move(own, other, bit)
        self._tell(NodeLeft(balance))
        return balance

    def of_position(self, own: int, other: int) -> int:
        if (own, other) in self._known:
            self._tell(TableHit())
        return super().of_position(own, other)


_balances = lru_cache(maxsize=2)(Balances)  # twelve cells take up to 20 MB
"""The balances of a board. The first thought on the empty board fills them."""


class Minimax(Solver):
    """Plays perfectly when at most `level` cells are empty, and at random before.

    The values of a thought are exact scores; see `Scores`.

    Raises:
        InvalidLevel: the level is not 0 to 9.
    """

    name = "minimax"
    levels = True
    about = "Plays perfectly once no more cells are empty than its level; at random before."
    boards = "every board and our variants but vanishing; on 3x3, level 9 never loses"
    variants = frozenset({"connect6", "cube", "misere", "notakto", "torus", "ultimate"})

    def __init__(self, level: int = HIGHEST_LEVEL) -> None:
        self.level = require_level(level)

    @staticmethod
    def cost(rules: Rules) -> Cost:
        # The plain smallest board is looked up.
        return Cost.INSTANT if rules.cells == SMALLEST and not rules.variant else Cost.LONG

    def think(self, position: Position) -> Thought:
        rules = position.rules
        # The first is nearly always so, and quicker than to count its cells.
        if rules is TIC_TAC_TOE or (rules.variant is None and rules.cells == SMALLEST):
            return _looked_up(self.level, position)
        scores = Scores(rules) if rules.variant is None else PlayedScores(rules)
        return _worked_out(self, position, scores)

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        if tell is None:
            return self.think(position)
        scores = _ToldScores if position.rules.variant is None else PlayedScores
        return _worked_out(self, position, scores(position.rules, tell), tell)


class PlayedScores:
    """The exact scores of positions under any rules, each computed once, on the scale of `Scores`.

    A game whose positions come again has no end here.
    """

    def __init__(self, rules: Rules, tell: Tell | None = None) -> None:
        self._cells = rules.cells
        self._tell = tell
        self._known: dict[Position, int] = {}

    def of_cells(self, position: Position) -> dict[int, int]:
        """Return the score of each legal cell, for the side to move."""
        return {cell: self._of_move(position, cell) for cell in position.legal_moves}

    def _of_move(self, position: Position, cell: int) -> int:
        if self._tell is not None:
            self._tell(NodeEntered(cell))
        after = position.play(cell)
        score = self._of_position(after)
        score = score if after.turn is position.turn else -score
        if self._tell is not None:
            self._tell(NodeLeft(score, sign(score)))
        return score

    def _of_position(self, position: Position) -> int:
        """Return the score for the side to move, or that would move."""
        outcome = position.outcome()
        if outcome is not None:
            closeness = 1 + self._cells - position.ply
            winner = outcome.winner
            return 0 if winner is None else closeness if winner is position.turn else -closeness
        score = self._known.get(position)
        if score is None:
            score = self._known[position] = max(self.of_cells(position).values())
        elif self._tell is not None:
            self._tell(TableHit())
        return score


class Scores:
    """The exact scores of the positions of one board, each computed once.

    A win of the side to move scores 1 plus the number of empty cells at its end, a loss the same
    below 0, and a draw 0. So on every board an early win is worth more than a late one, a late
    loss more than an early one, and any win more than a draw.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._ends = rules.lines.ends
        self._known: dict[tuple[int, int], int] = {}

    def of_cells(self, position: Position) -> dict[int, int]:
        """Return the score of each legal cell, for the side to move."""
        own, other = position.sides
        return {cell: self.of_move(own, other, 1 << cell) for cell in position.legal_moves}

    def of_move(self, own: int, other: int, bit: int) -> int:
        """Return the score of taking the cell `bit`, for the side that holds `own`."""
        own |= bit
        empty = (self._rules.full ^ own ^ other).bit_count()
        if self._rules.lines.complete(own):
            return 1 + empty
        return -self.of_position(other, own) if empty else 0

    def of_position(self, own: int, other: int) -> int:
        """Return the score of a game that goes on, for the side to move, which holds `own`."""
        known = self._known.get((own, other))
        if known is not None:
            return known
        playable = self._rules.playable(own | other)
        empty = (self._rules.full ^ own ^ other).bit_count()
        if self._ends(own) & playable:
            score = empty
        elif empty == 1:
            score = 0
        else:
            # With a threat to block, every other cell loses at once.
            cells = self._ends(other) & playable or playable
            score = -empty
            while cells and score < empty - 2:  # that is a win two plies later
                bit = cells & -cells
                cells ^= bit
                score = max(score, -self.of_position(other, own | bit))
            if cells:
                self._leave_out(cells)
        self._known[own, other] = score
        return score

    def _leave_out(self, cells: int) -> None:
        """Do nothing: the cells cannot be reordered for the better."""


class _ToldScores(Scores):
    """Reports how it computes them, starting from an empty table."""

    def __init__(self, rules: Rules, tell: Tell) -> None:
        super().__init__(rules)
        self._tell = tell
        self._movers: list[int] = []
        """The cells of the side to move at each node above, before its move."""

    def of_move(self, own: int, other: int, bit: int) -> int:
        self._movers.append(own)
        taken = own | other | bit
        is_end = self._rules.lines.complete(own | bit) or taken == self._rules.full
        if is_end:
            self._tell(NodeEntered(bit.bit_length() - 1))
        score = super().of_move(own, other, bit)
        if is_end:
            self._tell(NodeLeft(score, sign(score)))
        self._movers.pop()
        return score

    def of_position(self, own: int, other: int) -> int:
        self._tell(NodeEntered((other ^ self._movers[-1]).bit_length() - 1))
        if (own, other) in self._known:
            self._tell(TableHit())
        self._movers.append(own)
        score = super().of_position(own, other)
        self._movers.pop()
        self._tell(NodeLeft(-score, sign(-score)))
        return score

    def _leave_out(self, cells: int) -> None:
        self._tell(Cut(cells_of(cells)))


def _worked_out(
    strategy: Minimax, position: Position, scores: Scores | PlayedScores, tell: Tell | None = None
) -> Thought:
    require_playable(strategy, position)
    empty = position.rules.cells - position.ply
    if empty > strategy.level:
        if tell is not None:
            tell(Rule("look to the end", ()))
        return Random().think_aloud(position, tell)
    values = scores.of_cells(position)
    best = max(values.values())
    reason = "win" if best == empty else depth_reason(empty, sign(best))
    return Thought(tuple(cell for cell in values if values[cell] == best), reason, values)


_shared = cache(Scores)  # bounded: with and without gravity
"""The scores of a smallest board. The first thought on the empty board fills them."""


@cache  # bounded: 5 025 positions of a smallest board for each level, 2 MB
def _looked_up(level: int, position: Position) -> Thought:
    return _worked_out(Minimax(level), position, _shared(position.rules))


_LACKS: Final = (
    "exact needs the solver: pip install 'ttt-rooms[solver]'; without it search:9 plays strongest"
)


class Exact(Solver):
    """Plays four in a row perfectly: a win as soon, and a loss as late as possible.

    The values of a thought are exact, on the scale of `minimax`: a win scores 1 plus the number of
    empty cells at its end, a loss the same below 0, a draw 0.
    """

    name = "exact"
    about = "Plays four in a row on 7x6 perfectly, from the first move on."
    boards = "7x6x4g, with the extra package `solver`"

    def plays(self, rules: Rules) -> bool:
        return rules == FOUR_IN_A_ROW and _is_installed()

    @property
    def lacks(self) -> str | None:
        """The package that it needs before it plays any board; None if it has all."""
        return None if _is_installed() else _LACKS

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        if self.lacks is not None:
            raise CannotPlay(self.lacks)
        require_playable(self, position)
        values = _exact_scores(position)
        cells = best_of(values)
        best, empty = values[cells[0]], position.rules.cells - position.ply
        depth = empty + 1 - abs(best) if best else empty
        reason = "win" if best == empty else depth_reason(depth, sign(best))
        return told(Thought(cells, reason, values), tell)


@cache
def _is_installed() -> bool:
    return find_spec("bitbully") is not None


@cache
def _solver() -> tuple[Any, Any]:
    """Return the solver with its book of openings, which takes a second to read, and its boards."""
    bitbully = import_module("bitbully")
    return bitbully.BitBully(), bitbully.Board


def _exact_scores(position: Position) -> dict[int, int]:
    """Return the score of each legal cell, ascending by cell."""
    solver, make_board = _solver()
    columns, board = position.rules.columns, position.board
    numbers = [".XO".index(letter) for letter in board]
    rows = [numbers[start : start + columns] for start in range(0, len(numbers), columns)]
    found = solver.score_all_moves(make_board(rows))
    ply = position.ply
    return {cell: _exact_score(found[cell % columns], ply) for cell in position.legal_moves}


def _exact_score(found: int, ply: int) -> int:
    """Turn a score of the solver into one of `minimax`.

    The solver counts the marks that the winner has left at the end, the last one among them.
    """
    if not found:
        return 0
    moves_first = not ply % 2
    empty = 2 * abs(found) - 2 + ((found > 0) is moves_first)
    return 1 + empty if found > 0 else -1 - empty
