"""Search a position: the way in, the result, and the trees, which tell their steps if asked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_
from typing import Any

from ttt_engine.bitboard import cells_of
from ttt_engine.outcome import sign
from ttt_engine.position import Position
from ttt_engine.rules import MOST
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.drops import Drops, Judged
from ttt_engine.search.negamax import BoardT, Children, Found, Known, Negamax, StateT, depth_reason
from ttt_engine.search.nested import NestedBoard, NestedRounds, NestedState, NestedTree
from ttt_engine.search.proof import KeptProofs
from ttt_engine.search.state import Board, BoardState, board_of, options_of
from ttt_engine.search.tree import MakeTree, Rounds, Tree
from ttt_engine.search.turns import TurnRounds, turn_board_of
from ttt_engine.search.wide_tree import WideRounds, WideTree
from ttt_engine.strategy import best_of
from ttt_engine.threats.board import ThreatBoard, ThreatState, is_wide, threat_board_of
from ttt_engine.tracing import steps
from ttt_engine.tracing.steps import Tell
from ttt_engine.variants.ultimate import CELLS, UltimatePosition


def tree_of(position: Position, tell: Tell | None) -> MakeTree:
    """Return what makes trees below this position, which tell their steps if `tell` is given."""
    own = position.sides[0]

    def make_tree(board: Board, budget: Budget, *, by_history: bool) -> Tree:
        if Drops.knows(board.rules) and not by_history:
            return Drops(board, budget, own=own, tell=tell)
        if Judged.knows(board.rules):
            return Judged(board, budget, own=own, tell=tell)
        if tell is None:
            return Tree(board, budget, by_history=by_history)
        return _TellingTree(own, tell, board, budget, by_history=by_history)

    return make_tree


class _Telling(Negamax[BoardT, StateT]):
    """A tree that tells its steps, on any board."""

    _cells: Sequence[int] = range(MOST * MOST)
    """The cells by the bits of a state."""

    def __init__(self, own: int, tell: Tell, *tree: Any, **options: Any) -> None:
        """Make the tree of these arguments, below a position with `own` to move."""
        super().__init__(*tree, **options)
        self._movers = [own]
        """The cells of the side to move at each node above, before its move."""
        self._tell = self._report = tell

    def look(self, state: StateT, depth: int, low: int, high: int) -> Found:
        cell = self._cells[(state.other ^ self._movers[-1]).bit_length() - 1]
        self._report(steps.NodeEntered(cell, -high, -low))
        self._movers.append(state.own)
        try:
            found = super().look(state, depth, low, high)
        except Exhausted:
            self._report(steps.Abandon())
            raise
        finally:
            self._movers.pop()
        self._report(steps.NodeLeft(-found.value, sign(-found.value) if found.proven else None))
        return found

    def _recall(self, known: Known, depth: int, low: int, high: int) -> Found | None:
        found = super()._recall(known, depth, low, high)
        if found is not None:
            self._report(steps.TableHit())
        return found

    def _best(
        self, children: Children[StateT], depth: int, low: int, high: int, *, complete: bool
    ) -> tuple[Found, int]:
        best = super()._best(children, depth, low, high, complete=complete)
        left_out = tuple([cell for cell, _ in children])
        if left_out:
            self._report(steps.Cut(left_out, low, high))
        return best


class _TellingTree(_Telling[Board, BoardState], Tree):
    pass


class _TellingWideTree(_Telling[ThreatBoard, ThreatState], WideTree):
    pass


class _TellingNestedTree(_Telling[NestedBoard, NestedState], NestedTree):
    """It tells of the cells at its root."""

    _cells = CELLS


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best cells of a position, and what is proven about it."""

    value: int | None
    """1, 0 or -1: the side to move wins, draws or loses when both play best. None: not solved."""

    cells: tuple[int, ...]
    """The best cells found: ascending, never empty."""

    values: Mapping[int, int] = field(hash=False)
    """The proven value of each cell, 1, 0 or -1. Cells that are not solved are left out."""

    reason: str
    """As in a thought: "win", "block", "draw", "depth 7, +1" when solved, "depth 6" when not."""

    estimate: int = field(default=0, compare=False)
    """The opinion of the search where it is not solved: above 0 favours the side to move."""


def search(
    position: Position, budget: Budget, tell: Tell | None = None, kept: KeptProofs | None = None
) -> SearchResult:
    """Search a position in which the game goes on, as far as the budget goes.

    Args:
        position: where the game goes on.
        budget: of positions or of time.
        tell: takes each step, as it is made.
        kept: the proofs of the last thought, to go on with on a wide board.
    """
    plain = see_at_once(position)
    if plain is not None and plain.value is not None:
        return plain
    rounds: Rounds | WideRounds | NestedRounds | TurnRounds
    if position.marks is not None:
        rounds = TurnRounds(position, budget, tell)
    elif isinstance(position, UltimatePosition):
        board = NestedBoard(position.rules)
        tree = NestedTree(board, budget)
        if tell is not None:
            tree = _TellingNestedTree(board.state(position).own, tell, board, budget)
        rounds = NestedRounds(position, tree)
    elif is_wide(position.rules):
        own = position.sides[0]
        make_tree = WideTree if tell is None else partial(_TellingWideTree, own, tell)
        rounds = WideRounds(position, budget, make_tree, kept)
    else:
        rounds = Rounds(position, budget, tree_of(position, tell))
    rounds.run()
    value, values, legal = rounds.value, rounds.values, position.legal_moves
    cells: tuple[int, ...] = (rounds.best,)
    if isinstance(rounds, TurnRounds):  # the cells of the best turn
        cells = rounds.turns[rounds.best]
        values = {} if value is None else dict.fromkeys(cells, value)
    elif value == 0:
        cells = tuple(cell for cell in legal if values.get(cell) == 0)
    elif value == -1:
        values = dict.fromkeys(legal, -1)
    if plain is not None:  # one cell to block; all others lose
        told = {**plain.values, **values}
        return SearchResult(value, plain.cells, told, plain.reason, rounds.estimate)
    reason = depth_reason(rounds.depth, value)
    return SearchResult(value, cells, values, reason, rounds.estimate)


def see_at_once(position: Position) -> SearchResult | None:
    """Return what is plain without a search, in a position in which the game goes on.

    That is a win in one, a threat to block, and a game that neither side can still win. The
    value of a position with a threat to block may be None. Return None if a search is needed.
    """
    if isinstance(position, UltimatePosition):
        return _see_in_nested(position)
    if position.marks is not None:
        return _see_in_turns(position)
    rules = position.rules
    own, other = position.sides
    playable, ends = rules.playable(own | other), rules.lines.ends
    wins, threats = cells_of(ends(own) & playable), cells_of(ends(other) & playable)
    if wins:
        return SearchResult(1, wins, dict.fromkeys(wins, 1), "win")
    legal = position.legal_moves
    value = _value_at_once(position, threats)
    if value is not None:
        reason = "block" if threats else "depth 2, -1" if value else "draw"
        return SearchResult(value, threats or legal, dict.fromkeys(legal, value), reason)
    if threats:
        lost = {cell: -1 for cell in legal if cell not in threats}
        return SearchResult(None, threats, lost, "block")
    return None


def _see_in_nested(position: UltimatePosition) -> SearchResult | None:
    legal = position.legal_moves
    ends = {cell: position.play(cell).outcome() for cell in legal}
    wins = tuple(cell for cell, end in ends.items() if end is not None and end.winner is not None)
    if wins:
        return SearchResult(1, wins, dict.fromkeys(wins, 1), "win")
    if None not in ends.values():
        return SearchResult(0, legal, dict.fromkeys(legal, 0), "draw")
    return SearchResult(None, legal, {}, "free choice") if len(legal) == 1 else None


def _see_in_turns(position: Position) -> SearchResult | None:
    board = turn_board_of(position.rules)
    state, legal = board.state(position), position.legal_moves
    if state.own_hot:
        wins = cells_of(reduce(or_, state.own_hot) & ~state.own)
        return SearchResult(1, wins, dict.fromkeys(wins, 1), "win")
    if state.other_hot and not board.turns(state)[0]:
        blocks = Counter(cell for line in state.other_hot for cell in cells_of(line & ~state.other))
        return SearchResult(-1, best_of(blocks), dict.fromkeys(legal, -1), "block")
    return None


def _value_at_once(position: Position, threats: tuple[int, ...]) -> int | None:
    """Return the value of a position without a win in one, where it is plain."""
    rules = position.rules
    if is_wide(rules):
        board = threat_board_of(rules)
        if len(threats) > 1:
            return -1
        return None if board.is_open(board.state(position)) else 0
    value = options_of(rules, board_of(rules).state(position)).value
    return None if value is None else sign(value)
