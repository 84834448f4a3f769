"""Rounds on a wide board: proofs by threats before them, and after each cell that looks best."""

from contextlib import suppress
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.proof import Proof
from ttt_engine.search.rounds import Rounds
from ttt_engine.search.tree import MakeTree, Tree
from ttt_engine.search.value import WON
from ttt_engine.threats.board import State, threat_board_of

_ATTACK: Final = 0.2
"""The part of the budget in which to look for a win by threats."""

_PASS: Final = 0.05
"""The part of the rest in which to look for a win of the other side, if this side passed."""

_DOUBT: Final = 0.03
"""The part of the rest in which to look for one after a cell that looks best."""

_GLANCE: Final = 0.003
"""The part of the rest for each cell, where the other side threatens to win. There are many."""


class WideRounds(Rounds):
    """Finds the best cell where threats decide."""

    def __init__(self, position: Position, budget: Budget, make_tree: MakeTree = Tree) -> None:
        super().__init__(position, budget, make_tree)
        self._threats = threat_board_of(position.rules)
        self._seen = self._threats.state(position)
        self._against = Proof(self._threats, budget)
        self._trusted: set[int] = set()

    def _deepen(self) -> None:
        self._attack()
        if self.value is not None:
            return
        if self._loses(self._threats.passed(self._seen), _PASS):
            self._defend()
        super()._deepen()

    def _attack(self) -> None:
        """Look for a win by threats."""
        proof = Proof(self._threats, self._budget.share(_ATTACK))
        with suppress(Exhausted):
            win = proof.prove(self._seen)
            if not win.proof:
                self.best = proof.first(win)
                self.depth, self.estimate = win.plies, WON
                self.value, self.values = 1, {self.best: 1}

    def _defend(self) -> None:
        """The other side threatens to win: try only the cells after which it is not known to."""
        near = self._state.near & ~(self._state.own | self._state.other)
        kept = 0
        for cell in cells_of(near):
            if self._loses(self._threats.place(self._seen, cell), _GLANCE):
                self.values[cell] = -1
            else:
                kept |= 1 << cell
        if kept:
            self._order = list(self._tree.children(self._state, kept))
            self._complete = False
            self.best = self._order[0][0]

    def _holds(self, cell: int) -> bool:
        """Return whether the other side is not known to win by threats after this cell."""
        if cell in self._trusted:
            return True
        if self._loses(self._threats.place(self._seen, cell), _DOUBT):
            self.values[cell] = -1
            return False
        self._trusted.add(cell)
        return True

    def _loses(self, state: State, part: float) -> bool:
        """Return whether the other side, to move in this state, is known to win by threats."""
        self._against.spend_from(self._budget.share(part))
        with suppress(Exhausted):
            return not self._against.prove(state).proof
        return False

    def _is_clear(self) -> bool:
        # A win or loss may be clear without being proven, as cells are left out.
        kept = [choice for choice in self._order if self.values.get(choice[0]) != -1]
        self._order = kept or self._order
        return abs(self.estimate) >= WON
