"""Rounds on a wide board: proofs by threats before them, and after each cell that looks best."""

from contextlib import suppress
from typing import Any, Final

from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.deepening import Deepening
from ttt_engine.search.negamax import Negamax
from ttt_engine.search.proof import Proof
from ttt_engine.search.value import LIMIT, WON, Found
from ttt_engine.search.wide_tree import MakeWideTree, WideTree
from ttt_engine.threats.board import ThreatState, threat_board_of

_WIDTH: Final = 24
"""The cells that are tried at first, where none is forced."""

_LATE: Final = 4
"""The cells that are tried first. The others are looked at a ply less deep, unless that is good."""

_ATTACK: Final = 0.2
"""The part of the budget in which to look for a win by threats."""

_PASS: Final = 0.05
"""The part of the rest in which to look for a win of the other side, if this side passed."""

_DOUBT: Final = 0.03
"""The part of the rest in which to look for one after a cell that looks best."""

_GLANCE: Final = 0.003
"""The part of the rest for each cell, where the other side threatens to win. There are many."""


class WideRounds(Deepening[ThreatState]):
    """Finds the best cell where threats decide."""

    def __init__(
        self, position: Position, budget: Budget, make_tree: MakeWideTree = WideTree
    ) -> None:
        self._board = board = threat_board_of(position.rules)
        self._state = board.state(position)
        self._tree = make_tree(board, budget, by_history=True)
        forced = self._forced()
        cells = list(self._tree.ranked(self._state, len(position.legal_moves)))
        if forced:
            cells = [cell for cell in cells if forced >> cell & 1]
        self._rest = cells[_WIDTH:]
        """The cells that are tried only if all others seem to lose."""
        order = self._placed(cells[:_WIDTH])
        super().__init__(position, budget, order, complete=not self._rest)
        self._against = Proof(board, budget)
        self._trusted: set[int] = set()

    def _forced(self) -> int:
        """Return the only cells that do not lose at once, where the other side threatens to win.

        Return 0 if all may be tried.
        """
        mine, theirs = self._board.threats(self._state)
        if theirs.ends:
            return theirs.ends
        if theirs.doubles and not mine.doubles:
            return mine.fours | self._board.breakers(self._state, theirs.doubles)
        return 0

    def _placed(self, cells: list[int]) -> list[tuple[int, ThreatState]]:
        return [(cell, self._board.place(self._state, cell)) for cell in cells]

    def _deepen(self) -> None:
        self._attack()
        if self.value is None and self._loses(self._board.passed(self._state), _PASS):
            self._defend()
        depth = 0
        while self.value is None and depth < self._left:
            depth += 1
            self.estimate = self._round(self._tree, depth, -LIMIT, LIMIT)
            kept = [choice for choice in self._order if self.values.get(choice[0]) != -1]
            self._order = kept or self._order
            if self.estimate <= -WON and self._rest:
                self._order += self._placed(self._rest)
                self._rest = []
            elif abs(self.estimate) >= WON:
                return  # clear without being proven, as cells are left out

    def _weigh(
        self,
        tree: Negamax[Any, ThreatState],
        index: int,
        child: ThreatState,
        depth: int,
        low: int,
        high: int,
    ) -> Found:
        if index >= _LATE and depth >= 2:
            found = tree.weigh(child, depth - 1, low, low + 1, scout=False)
            if found.value <= low:
                return found
        return tree.weigh(child, depth, low, high, scout=index > 0)

    def _attack(self) -> None:
        """Look for a win by threats."""
        proof = Proof(self._board, self._budget.share(_ATTACK))
        with suppress(Exhausted):
            win = proof.prove(self._state)
            if not win.proof:
                self.best = proof.first(win)
                self.depth, self.estimate = win.plies, WON
                self.value, self.values = 1, {self.best: 1}

    def _defend(self) -> None:
        """The other side threatens to win: try only the cells after which it is not known to."""
        kept = []
        for cell, child in self._order + self._placed(self._rest):
            if self._loses(child, _GLANCE):
                self.values[cell] = -1
            else:
                kept.append((cell, child))
        if kept:
            self._order, self._rest = kept, []
            self._complete = self._complete and len(kept) == len(self._legal)
            self.best = self._order[0][0]

    def _holds(self, cell: int) -> bool:
        """Return whether the other side is not known to win by threats after this cell.

        Where that remains open, the next round goes on with it.
        """
        if cell in self._trusted:
            return True
        lost = self._loses(self._board.place(self._state, cell), _DOUBT)
        if lost:
            self.values[cell] = -1
        elif lost is False:
            self._trusted.add(cell)
        return not lost

    def _loses(self, state: ThreatState, part: float) -> bool | None:
        """Return whether the other side, to move in this state, wins by threats; None: not known.

        The next proof of the same state begins where this one ends.
        """
        self._against.spend_from(self._budget.share(part))
        with suppress(Exhausted):
            return not self._against.prove(state).proof
        return None
