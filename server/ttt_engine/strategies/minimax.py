"""Minimax: search every continuation to its end."""

from functools import cache

from ttt_engine.bitboard import cells_of
from ttt_engine.builtin import Solver
from ttt_engine.outcome import sign
from ttt_engine.position import SMALLEST, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.search.negamax import depth_reason
from ttt_engine.strategies.random import Random
from ttt_engine.strategy import HIGHEST_LEVEL, Cost, Thought, require_level, require_playable
from ttt_engine.tracing.steps import Cut, NodeEntered, NodeLeft, Rule, TableHit, Tell


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
