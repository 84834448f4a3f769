"""The search of a game in which a turn has two stones: connect6.

A line is hot if its side needs no more than a turn to complete it. A side with a hot line wins;
against those of the other side it must have a stone on each, which leaves few turns to try, or
none. Elsewhere it tries the pairs of the cells that look best by their lines.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, combinations
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.negamax import WON, Deepening, Found, Negamax
from ttt_engine.search.state import BoardState, board_of
from ttt_engine.tracing.steps import Tell

STONES: Final = 2
"""The stones of a turn."""

_WIDTH: Final = 9
"""The cells whose pairs are tried."""

_WIDTH_OF_ONE: Final = 24
"""The cells that are tried where one stone is left to place."""

_BEYOND: Final = 2
"""The answers to hot lines beyond the depth. Within it they do not count."""

_COST: Final = 8
"""What finding the turns of a position takes of a budget."""

Turn = tuple[int, ...]
"""The cells of a turn, ascending."""


class TurnState(NamedTuple):
    """A position in which the game goes on, seen by the side to move."""

    own: int
    other: int
    board: BoardState
    own_hot: tuple[int, ...]
    """The hot lines of the side to move: if there is one, it wins."""
    other_hot: tuple[int, ...]
    stones: int
    """How many stones the side to move places."""


class TurnBoard:
    """The lines of a board. Get one from `turn_board_of`."""

    def __init__(self, rules: Rules) -> None:
        self.rules: Final = rules
        self.lines: Final = board_of(rules)
        masks = rules.lines.masks
        self._through = tuple(
            tuple(mask for mask in masks if mask >> cell & 1) for cell in range(rules.cells)
        )

    def state(self, position: Position) -> TurnState:
        """Return the state of a position in which the game goes on."""
        own, other = position.sides
        board = self.lines.start
        for side in (own, other):
            for cell in cells_of(side):
                board = _turned(self.lines.place(board, cell))
            board = _turned(board)
        stones = position.marks or 1
        masks = self.rules.lines.masks
        own_hot, other_hot = _hot(masks, own, other, stones), _hot(masks, other, own, STONES)
        return TurnState(own, other, board, tuple(own_hot), tuple(other_hot), stones)

    def after(self, state: TurnState, turn: Turn) -> TurnState:
        """Return the state for the other side, after a turn that completes no line."""
        own, other, board, _, other_hot, _ = state
        placed = 0
        for cell in turn:
            board = _turned(self.lines.place(board, cell))
            placed |= 1 << cell
        own |= placed
        # Other lines of this side were not hot before, unless it made them so in the same turn.
        changed = chain.from_iterable(self._through[cell] for cell in turn)
        lines = changed if state.stones == STONES else self.rules.lines.masks
        hot = dict.fromkeys(_hot(lines, own, other, STONES))
        still = tuple(line for line in other_hot if not line & placed)
        return TurnState(other, own, _turned(board), still, tuple(hot), STONES)

    def blocks(self, state: TurnState) -> Iterator[Turn]:
        """Yield the stones on all hot lines of the other side, in each way that wastes none."""
        first, *others = state.other_hot
        for cell in cells_of(first & ~state.other):
            rest = [line for line in others if not line >> cell & 1]
            if not rest:
                yield (cell,)
            elif state.stones == STONES:
                common = rest[0] & ~state.other
                for line in rest[1:]:
                    common &= line
                for second in cells_of(common):
                    yield cell, second

    def best_cells(self, state: TurnState, most: int) -> list[int]:
        """Return so many free cells, the most promising first."""
        free = self.rules.full & ~(state.own | state.other)
        return self.lines.best_cells(state.board, free, most)

    def turns(self, state: TurnState) -> tuple[list[Turn], bool]:
        """Return the turns to try, and whether no other is better. Without any, all lose."""
        left = self.rules.cells - (state.own | state.other).bit_count()
        stones = min(state.stones, left)
        if not state.other_hot:
            width = _WIDTH if stones == STONES else _WIDTH_OF_ONE
            best = self.best_cells(state, width)
            return _turns_of(combinations(best, stones)), len(best) == left
        blocks = list(self.blocks(state))
        if all(len(turn) == stones for turn in blocks):
            return _turns_of(blocks), True
        best = self.best_cells(state, _WIDTH)
        filled = (
            (*turn, cell)
            for turn in blocks
            for cell in (best if len(turn) < stones else turn[-1:])
            if len(turn) == stones or cell not in turn
        )
        return _turns_of(turn[:stones] for turn in filled), len(best) == left

    def ordered(self, state: TurnState, turns: list[Turn]) -> list[tuple[Turn, TurnState]]:
        """Return the turns with the states after them, the most promising first."""
        children = [(turn, self.after(state, turn)) for turn in turns]
        return sorted(children, key=lambda child: self.lines.estimate(child[1].board))


@lru_cache(maxsize=2)
def turn_board_of(rules: Rules) -> TurnBoard:
    """Return the board of these rules, made once."""
    return TurnBoard(rules)


def _hot(lines: Iterable[int], own: int, other: int, stones: int) -> list[int]:
    """Return the lines that a side needs no more stones to complete."""
    return [line for line in lines if not line & other and (line & ~own).bit_count() <= stones]


def _turned(state: BoardState) -> BoardState:
    """Return the same for the other side."""
    own, other, own_ends, other_ends, own_worth, other_worth, own_open, other_open = state
    ends = other_ends, own_ends
    return BoardState(other, own, *ends, other_worth, own_worth, other_open, own_open)


class TurnTree(Negamax[TurnBoard, TurnState]):
    """A tree whose nodes are the positions between turns."""

    def __init__(
        self, board: TurnBoard, budget: Budget, turns: list[Turn], tell: Tell | None
    ) -> None:
        super().__init__(board, budget)
        self._turns, self._tell = turns, tell

    def finish(self, depth: int, cell: int, value: int) -> None:
        super().finish(depth, self._turns[cell][0], value)

    def look(self, state: TurnState, depth: int, low: int, high: int) -> Found:
        board = state.board
        left = self._board.rules.cells - (state.own | state.other).bit_count()
        if state.own_hot:
            return Found(WON + left - state.stones, proven=True)
        if not left or not (board.own_open or board.other_open):
            return Found(0, proven=True)
        if depth <= (-_BEYOND if state.other_hot else 0):
            self.budget.spend(1)
            return Found(self._board.lines.estimate(board), proven=False)
        if depth <= 0 or not state.other_hot:
            depth -= 1
        key = self._key(state)
        known = self._known.get(key)
        if known is not None:
            found = self._recall(known, depth, low, high)
            if found is not None:
                return found
        turns, complete = self._board.turns(state)
        self.budget.spend(_COST + len(turns))
        if not turns:
            return Found(STONES + STONES - WON - left, proven=True)
        children = ((turn[0], child) for turn, child in self._board.ordered(state, turns))
        found, cell = self._best(children, depth, low, high, complete=complete)
        return self._keep(key, depth, low, high, found, cell)


def _turns_of(found: Iterable[Turn]) -> list[Turn]:
    return list(dict.fromkeys(tuple(sorted(turn)) for turn in found))


class TurnRounds(Deepening[TurnState]):
    """Finds the best turn, where none wins or loses at once. It counts turns, not cells."""

    def __init__(self, position: Position, budget: Budget, tell: Tell | None = None) -> None:
        board = turn_board_of(position.rules)
        state = board.state(position)
        turns, complete = board.turns(state)
        choices = board.ordered(state, turns)
        self.turns: Final = [turn for turn, _ in choices]
        tree = TurnTree(board, budget, self.turns, tell)
        order = [(number, child) for number, (_, child) in enumerate(choices)]
        super().__init__(position, tree, order, complete=complete)
