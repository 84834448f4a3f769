"""The search of a wide board, where threats leave few cells to try, and prove wins."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import LIMIT, MOST_KNOWN, WON, Children, Deepening, Found, Negamax
from ttt_engine.search.proof import KeptProofs, Proof
from ttt_engine.threats.board import ThreatBoard, ThreatState, threat_board_of

_WIDTH: Final = 12
"""The cells that are tried where nothing is forced: those that look best."""

_LAST_WIDTH: Final = 8
"""The same for the last ply of the depth, where most of the time goes."""

_PLIES_OF_FOURS: Final = 12
"""The most plies of a win by fours only that is looked for where the depth ends."""

_USEFUL_FOURS: Final = 2
"""Up to this depth, useful fours answer a three that can be stopped, and others only avert a loss.

Beyond the depth they do not even that. Against trying all fours everywhere, this wins 63 % of the
games with as many positions.
"""

_BEYOND: Final = 3
"""So many plies beyond the depth, only what stops a three answers it, and no four."""

_CLEAR: Final = 5
"""The depth of a round that is believed if it finds an unproven win, as it left out few fours."""

_MARGIN: Final = 100
"""The most that the last ply takes from an estimate in four of five positions without a threat."""

_LATE: Final = 2
"""The cells that are tried first. The others are looked at a ply less deep, unless that is good."""

_ROOT_LATE: Final = 4
"""The same for the cells of the position itself."""

_LATER: Final = 5
"""The cells after which the others are looked at two plies less deep, far from the end."""


class WideTree(Negamax[ThreatBoard, ThreatState]):
    """The search of a board with too many cells to try them all.

    A side wins at once where it has an end, in three plies where it has a double, and later by
    fours alone. Where the other side has a double, only the cells that stop it and own fours are
    tried; a loss is proven if no four is left out. Elsewhere the cells that look best are tried.
    """

    def __init__(self, board: ThreatBoard, budget: Budget) -> None:
        super().__init__(board, budget)
        self._fours_known: dict[tuple[int, int], int] = {}

    def look(self, state: ThreatState, depth: int, low: int, high: int) -> Found:
        board = self._board
        ends, their_ends, doubles, their_doubles, fours = board.urgent(state)
        if ends:
            return Found(self._won_in(1, state), proven=True)
        if their_ends:
            if their_ends & their_ends - 1:
                return Found(-self._won_in(2, state), proven=True)
            self.budget.spend(1)
            child = board.place(state, their_ends.bit_length() - 1)
            return self.weigh(child, depth, low, high, scout=False)
        if doubles:
            return Found(self._won_in(3, state), proven=True)
        if not board.is_open(state):
            return Found(0, proven=True)
        if their_doubles:
            # A three does not count as depth, but far beyond it fours are no answer any more.
            depth -= depth <= 0
        elif depth <= 0:
            return self._settle(state, fours)
        else:
            depth -= 1
            if not depth:
                # Far above the window, without a threat: one ply would not change that.
                least = board.estimate(state) - _MARGIN
                if least >= high:
                    return Found(least, proven=False)
        key, cell = self._key(state), -1
        known = self._known.get(key)
        if known is not None:
            found = self._recall(known, depth, low, high)
            if found is not None:
                return found
            cell = known.cell
        elif fours and not their_doubles and (plies := self._by_fours(state, fours)):
            return Found(self._won_in(plies, state), proven=True)
        self.budget.spend(2)
        if their_doubles:
            found, cell = self._answer(state, their_doubles, fours, depth, low, high)
        else:
            state = board.summed(state)
            width = _WIDTH if depth else _LAST_WIDTH
            complete = width >= self._left(state)
            children = self.children(state, self.ranked(state, width), cell)
            found, cell = self._best(children, depth, low, high, complete=complete)
        return self._keep(key, depth, low, high, found, cell)

    def _answer(
        self, state: ThreatState, doubles: int, useful: int, depth: int, low: int, high: int
    ) -> tuple[Found, int]:
        """Return the result and the best cell where the other side threatens to win by `doubles`.

        Fours only put that off, unless they gain something, as the `useful` ones do: they are tried
        after what stops it, and less deep.
        """
        state = self._board.summed(state)
        stops = self._board.breakers(state, doubles)
        left = self._board.fours(state) & ~stops
        if not (stops or left):
            return Found(-self._won_in(4, state), proven=True), -1
        parts = [left]
        if stops and depth <= -_BEYOND:
            parts = []
        elif stops and depth <= 0:
            parts = [left & useful]
        elif stops and depth <= _USEFUL_FOURS:
            parts = [left & useful, left & ~useful]
        children = self.children(state, self._sorted(state, stops))
        found, cell = self._best(children, depth, low, high, complete=True)
        enough = high
        for fours in parts:
            if found.value >= enough:
                break
            children = self.children(state, self._sorted(state, fours))
            above = max(low, found.value)
            four, four_cell = self._best(children, depth - 1, above, high, complete=True)
            proven = found.proven and four.proven
            if four.value > found.value:
                found, cell = four, four_cell
            if found.value < min(high, WON):
                found = Found(found.value, proven)
            left ^= fours
            enough = min(high, 1 - WON)  # the other fours are tried only against a loss
        if left and found.value < min(high, WON):
            found = Found(found.value, proven=False)
        return found, cell

    def _try(self, index: int, child: ThreatState, depth: int, low: int, high: int) -> Found:
        if index >= _LATE and depth >= 2:
            less = 2 if index >= _LATER and depth >= 3 else 1
            value, proven = self.look(child, depth - less, -low - 1, -low)
            if -value <= low:
                return Found(-value, proven)
        return self.weigh(child, depth, low, high, scout=index > 0)

    def try_at_root(self, index: int, child: ThreatState, depth: int, low: int, high: int) -> Found:
        if index >= _ROOT_LATE and depth >= 2:
            found = self.weigh(child, depth - 1, low, low + 1, scout=False)
            if found.value <= low:
                return found
        return self.weigh(child, depth, low, high, scout=index > 0)

    def children(
        self, state: ThreatState, cells: Iterable[int], first: int = -1
    ) -> Children[ThreatState]:
        """Yield these cells and the states after them, but the cell `first` before all others."""
        place = self._board.place
        if first >= 0:
            yield first, place(state, first)
        for cell in cells:
            if cell != first:
                yield cell, place(state, cell)

    def ranked(self, state: ThreatState, most: int) -> Iterator[int]:
        """Yield so many free cells, the most promising first."""
        points, left = self._board.points(state), self._left(state)
        point, found = max(points), 0
        least = point >> 2 if most < left else 0
        while point > least:
            cell = points.rfind(point)
            while cell >= 0:
                yield cell
                found += 1
                if found == most:
                    return
                cell = points.rfind(point, 0, cell)
            point -= 1
        if not found or most >= left:
            free = self._board.rules.full & ~(state.own | state.other)
            others = [cell for cell in cells_of(free) if not points[cell]]
            yield from sorted(others, key=self._board.remote.__getitem__)[: most - found]

    def _sorted(self, state: ThreatState, cells: int) -> list[int]:
        """Return these cells, the most promising first."""
        if not cells & cells - 1:
            return [cells.bit_length() - 1] if cells else []
        points = self._board.points(state)
        return sorted(cells_of(cells), key=points.__getitem__, reverse=True)

    def _settle(self, state: ThreatState, fours: int) -> Found:
        """Return the value where the depth ends and nothing is forced."""
        self.budget.spend(1)
        if fours and (plies := self._by_fours(state, fours)):
            return Found(self._won_in(plies, state), proven=True)
        return Found(self._board.estimate(state), proven=False)

    def _by_fours(self, state: ThreatState, fours: int, most: int = _PLIES_OF_FOURS) -> int:
        """Return the plies of a win by fours only, or 0 if none is found.

        Args:
            state: where neither side has an end, or this side a double.
            fours: the cells to begin with.
            most: the plies of the longest win to look for.
        """
        key = state.own, state.other
        known = self._fours_known.get(key)
        if known is not None:
            return known
        board, won = self._board, 0
        for cell in cells_of(fours):
            self.budget.spend(1)
            child = board.place(state, cell)
            block = board.ends_made(child)
            after = board.place(child, block.bit_length() - 1)
            _, their_ends, doubles, _, tries = board.urgent(after)
            if their_ends:
                if their_ends & their_ends - 1:
                    continue
                doubles &= their_ends
                tries &= their_ends
            if doubles:
                won = 5
            elif tries and most > 5 and (plies := self._by_fours(after, tries, most - 2)):
                won = plies + 2
            if won:
                break
        if len(self._fours_known) >= MOST_KNOWN:
            self._fours_known.clear()
        self._fours_known[key] = won
        return won

    def _won_in(self, plies: int, state: ThreatState) -> int:
        """Return the value of a win in so many plies."""
        return WON + self._left(state) - plies

    def _left(self, state: ThreatState) -> int:
        """Return the number of free cells."""
        return self._board.rules.cells - (state.own | state.other).bit_count()


MakeWideTree = Callable[[ThreatBoard, Budget], WideTree]
"""Makes a tree: the class itself, or what makes one that tells its steps."""

_ROOT_WIDTH: Final = 24
"""The cells of the position itself that are tried at first, where none is forced."""

_ATTACK: Final = 0.2
"""The part of the budget in which to look for a win by threats."""

_PASS: Final = 0.05
"""The part of the rest in which to look for a win of the other side, if this side passed."""

_DOUBT: Final = 0.03
"""The part of the rest in which to look for one after a cell that looks best."""

_GLANCE: Final = 0.003
"""The part of the rest for each cell, where the other side threatens to win. There are many."""


class WideRounds(Deepening[ThreatState]):
    """Finds the best cell where threats decide, going on with the proofs that are kept."""

    def __init__(
        self,
        position: Position,
        budget: Budget,
        make_tree: MakeWideTree = WideTree,
        kept: KeptProofs | None = None,
    ) -> None:
        self._board = board = threat_board_of(position.rules)
        self._state = board.state(position)
        tree = make_tree(board, budget)
        forced = self._forced()
        cells = list(tree.ranked(self._state, len(position.legal_moves)))
        if forced:
            cells = [cell for cell in cells if forced >> cell & 1]
        self._rest = cells[_ROOT_WIDTH:]
        """The cells that are tried only if all others seem to lose."""
        order = self._placed(cells[:_ROOT_WIDTH])
        super().__init__(position, tree, order, complete=not self._rest)
        own, other = (kept or KeptProofs()).tables(position)
        self._for = Proof(board, budget, own)
        self._against = Proof(board, budget, other)
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
            elif abs(self.estimate) >= WON and depth >= _CLEAR:
                return  # clear without being proven, as cells are left out

    def _attack(self) -> None:
        """Look for a win by threats."""
        self._for.budget = self._tree.budget.share(_ATTACK)
        with suppress(Exhausted):
            win = self._for.prove(self._state)
            if not win.proof:
                self.best = self._for.first(win)
                self.depth, self.estimate = win.plies, WON
                self.value, self.values = 1, {self.best: 1}

    def _defend(self) -> None:
        """The other side threatens to win: try only the cells after which it is not known to."""
        kept = self._not_lost(self._order)
        if not kept:
            kept, self._rest = self._not_lost(self._placed(self._rest)), []
        if kept:
            self._order = kept
            self._complete = self._complete and len(kept) == len(self._legal)
            self.best = self._order[0][0]

    def _not_lost(self, choices: list[tuple[int, ThreatState]]) -> list[tuple[int, ThreatState]]:
        """Return those after which the other side is not known to win by threats."""
        kept = []
        for cell, child in choices:
            if self._loses(child, _GLANCE):
                self.values[cell] = -1
            else:
                kept.append((cell, child))
        return kept

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
        self._against.budget = self._tree.budget.share(part)
        with suppress(Exhausted):
            return not self._against.prove(state).proof
        return None
