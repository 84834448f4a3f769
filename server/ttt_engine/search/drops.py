"""The search where marks fall: to the very end of the game, or to a depth with a judgement.

All that a search needs is in local names of one function. So on 7x6 `Drops`, which knows neither
estimates nor plies, tries 500 000 cells a second, and `Judged` 290 000, where `Tree` tries 100 000
(CPython 3.11). `Judged` searches four in a row alone: a learnt judgement weighs what lies beyond
its depth, and two books have the values of all positions after eight and after ten marks.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from ttt_engine.gravity.ground import ground_of
from ttt_engine.gravity.learnt import MARKS, book, judgement
from ttt_engine.outcome import Value, sign
from ttt_engine.rules import FOUR_IN_A_ROW, Rules
from ttt_engine.search.budget import SLICE, Budget, Exhausted
from ttt_engine.search.negamax import ENDLESS, LIMIT, MOST_KNOWN, WON, Found
from ttt_engine.search.state import Board, BoardState, options_of
from ttt_engine.search.tree import Tree
from ttt_engine.tracing import steps
from ttt_engine.tracing.steps import Tell

_LATE: Final = 22
"""With more free cells than these, a side without an open line is too rare to look for."""

END: Final = 100
"""The value of one more end in the order of cells: above that of a column nearer to the middle."""

_BOUNDS: Final = tuple(tuple((least, most) for most in (0, 1, -1)) for least in (0, 1, -1))
"""The pair of the least and the most, -1 to 1, by either: made once, for a table of very many."""

_Look = Callable[[int, int, int, int, int, int], int]


class Falling(Tree):
    """A tree of a board with gravity and without `exact`, which one function searches."""

    def __init__(
        self, board: Board, budget: Budget, *, own: int = 0, tell: Tell | None = None
    ) -> None:
        """Make a tree whose steps `tell` takes, below a position with `own` to move."""
        super().__init__(board, budget, by_history=False)
        self._own, self._tell = own, tell
        self._search = self._make_look()

    def _seek(self, state: BoardState, child: tuple[int, ...], low: int, high: int) -> int:
        """Return the value of a state, described as a child is, and tell of it if asked to."""
        if self._tell is None:
            return self._search(*child, low, high)
        return -self._told(self._tell, state.other ^ self._own, child, -high, -low)

    def _told(self, tell: Tell, cell: int, child: tuple[int, ...], low: int, high: int) -> int:
        """Return what a child is worth to the side that moved into it by `cell`, and tell of it."""
        tell(steps.NodeEntered(cell.bit_length() - 1, low, high))
        try:
            value = -self._search(*child, -high, -low)
        except Exhausted:
            tell(steps.Abandon())
            raise
        tell(steps.NodeLeft(value, self._result(value, low, high)))
        return value

    @abstractmethod
    def _result(self, value: int, low: int, high: int) -> Value | None:
        """Return the result of a node, if its value between these bounds says it."""

    @abstractmethod
    def _make_look(self) -> Callable[..., int]:
        """Return the search: a function that has all it needs in names of its own.

        It takes what describes a child, and the bounds.
        """


def _cut(order: list[tuple[int, int, int]], low: int, high: int) -> steps.Cut:
    """Return the step that skips the cells which are still to be tried."""
    return steps.Cut(tuple([cell.bit_length() - 1 for _, cell, _ in order[::-1]]), low, high)


class Drops(Falling):
    """As `Tree` for boards with gravity and without `exact`, but always to the end.

    It knows who wins, and not when: a win is worth `WON`.
    """

    @staticmethod
    def knows(rules: Rules) -> bool:
        """Return whether it can search a board."""
        return rules.gravity and not rules.exact

    def look(self, state: BoardState, depth: int, low: int, high: int) -> Found:  # noqa: ARG002 - to the end
        low, high = max(low, -1), min(high, 1)
        value = options_of(self._board.rules, state).value
        value = self._seek(state, state[:4], low, high) if value is None else sign(value)
        return Found(WON * value, proven=True)

    def _result(self, value: int, low: int, high: int) -> Value | None:
        return sign(value) if value or low < 0 < high else None

    def _make_look(self) -> _Look:  # noqa: PLR0915 - calls would take a third of the time
        rules, ground, tell = self._board.rules, ground_of(self._board.rules), self._tell
        columns, size, full, floor = rules.columns, rules.cells, rules.full, rules.floor
        at, work_out, bounds_of = ground.at, ground.work_out, self._make_bounds()
        known: dict[int, tuple[int, int]] = {}
        spent = 0

        def look(  # noqa: PLR0915 - as above
            own: int, other: int, own_ends: int, other_ends: int, low: int, high: int
        ) -> int:
            """Return 1, 0 or -1, or a bound of it. The side to move cannot win at once."""
            nonlocal spent
            taken = own | other
            free = full ^ taken
            playable = free & (floor | taken >> columns)
            cells = playable & ~(other_ends << columns)
            threats = other_ends & playable
            if threats:
                if threats & threats - 1:
                    return -1
                cells &= threats
            if not cells:
                return -1 if playable else 0
            key = own << size | other
            bounds = known.get(key)
            least, most = bounds or bounds_of(own, other, free, playable)
            if least >= high or most <= low or least == most:
                if tell is not None and bounds is not None:
                    tell(steps.TableHit())
                return least if least >= high else most
            low, high = max(low, least), min(high, most)

            order = []
            after_any = other << size | own
            while cells:
                cell = cells & -cells
                cells ^= cell
                child = known.get(after_any | cell)
                if child is not None and -child[1] >= high:
                    return -child[1]
                lines, central, ends_by = at[cell]
                marks = own & lines
                ends = ends_by.get(marks)
                if ends is None:
                    ends = work_out(cell, marks)
                ends = (own_ends | ends) & free
                order.append((ends.bit_count() * END + central, cell, ends))
            order.sort()
            spent += len(order)
            if spent >= SLICE:
                self.budget.spend(spent)
                spent = 0

            best, above = -1, low
            while order:
                _, cell, ends = order.pop()
                after, blocked = own | cell, other_ends & ~cell
                if tell is None:
                    value = -look(other, after, blocked, ends, -high, -above)
                else:
                    value = self._told(tell, cell, (other, after, blocked, ends), above, high)
                if value > best:
                    best = value
                    if value >= high:
                        break
                    above = max(above, value)
            if tell is not None and order:
                tell(_cut(order, low, high))
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[key] = _BOUNDS[best if best > low else least][best if best < high else most]
            return best

        return look

    def _make_bounds(self) -> Callable[[int, int, int, int], tuple[int, int]]:
        """Return what bounds a position at a look: the least and the most that it may be worth."""
        full, complete = self._board.rules.full, self._board.rules.lines.complete
        holds = ground_of(self._board.rules).holds_by_following
        leaves_line: dict[int, bool] = {}
        """Whether the marks of a side leave the other one a line."""

        def leaves(marks: int) -> bool:
            found = leaves_line.get(marks)
            if found is None:
                if len(leaves_line) >= MOST_KNOWN:
                    leaves_line.clear()
                found = leaves_line[marks] = complete(full ^ marks)
            return found

        def bounds_of(own: int, other: int, free: int, playable: int) -> tuple[int, int]:
            left = free.bit_count()
            least, most = -1, 1
            if left <= _LATE:
                least, most = -leaves(own), +leaves(other)
            if most > 0 and not left & 1 and holds(own, free, playable):
                most = 0
            return least, most

        return bounds_of


_IN_BOOK: Final = WON // 2
"""The value of a win by the book, which does not know when: far above any judgement."""

_BEYOND: Final = _IN_BOOK // 2
"""Above any judgement, and below such a win."""

_JudgedLook = Callable[[int, int, int, int, int, int, int], int]


class Judged(Falling):
    """As `Tree` for the board of the judgement. A value from the book counts as proven."""

    @staticmethod
    def knows(rules: Rules) -> bool:
        """Return whether it can search a board."""
        return rules == FOUR_IN_A_ROW

    def look(self, state: BoardState, depth: int, low: int, high: int) -> Found:
        value = options_of(self._board.rules, state).value
        if value is not None:
            return Found(value, proven=True)
        value = self._seek(state, (*state[:4], depth), low, high)
        marks = (state.own | state.other).bit_count()
        known_after = next((each for each in MARKS if marks <= each), self._board.rules.cells)
        return Found(value, proven=abs(value) >= WON or marks + depth >= known_after)

    def _result(self, value: int, low: int, high: int) -> Value | None:  # noqa: ARG002 - of bounds, too
        return None if abs(value) < _BEYOND else sign(value)

    def _make_look(self) -> _JudgedLook:  # noqa: PLR0915 - calls would take a third of the time
        rules, ground, tell = self._board.rules, ground_of(self._board.rules), self._tell
        columns, size, full, floor = rules.columns, rules.cells, rules.full, rules.floor
        at, work_out, judge = ground.at, ground.work_out, judgement().judge
        book_values = {size - marks: book(marks).value for marks in MARKS}
        known: dict[int, tuple[int, int, int, int]] = {}
        """Each position as in `Known`, with the best cell as a set."""
        spent = 0

        def look(  # noqa: PLR0915, PLR0917 - as above
            own: int, other: int, own_ends: int, other_ends: int, depth: int, low: int, high: int
        ) -> int:
            """Return the value, or a bound of it. The side to move cannot win at once."""
            nonlocal spent
            taken = own | other
            free = full ^ taken
            playable = free & (floor | taken >> columns)
            cells = playable & ~(other_ends << columns)
            threats = other_ends & playable
            if threats:
                cells &= threats
                if not cells or threats & threats - 1:
                    return 2 - WON - free.bit_count()
            elif not cells:
                return 2 - WON - free.bit_count() if playable else 0
            book_value = book_values.get(free.bit_count())
            if book_value is not None:
                value = book_value(own, other)
                # Among wins, or losses, the judgement chooses.
                return _IN_BOOK * value + judge(own, other, own_ends, other_ends) if value else 0
            if threats:
                pass  # a forced answer does not count as depth
            elif depth <= 0:
                return judge(own, other, own_ends, other_ends)
            else:
                depth -= 1
            key, best_cell = own << size | other, 0
            entry = known.get(key)
            if entry is not None:
                known_depth, least, most, best_cell = entry
                if known_depth >= depth and (least >= high or most <= low or least == most):
                    if tell is not None:
                        tell(steps.TableHit())
                    return least if least >= high else most

            order = []
            while cells:
                cell = cells & -cells
                cells ^= cell
                lines, central, ends_by = at[cell]
                marks = own & lines
                ends = ends_by.get(marks)
                if ends is None:
                    ends = work_out(cell, marks)
                ends = (own_ends | ends) & free
                worth = LIMIT if cell == best_cell else ends.bit_count() * END + central
                order.append((worth, cell, ends & ~cell))
            order.sort()
            spent += len(order)
            if spent >= SLICE:
                self.budget.spend(spent)
                spent = 0

            best, above, top = -LIMIT, low, high
            while order:
                _, cell, ends = order.pop()
                child = other, own | cell, other_ends & ~cell, ends, depth
                if tell is None:
                    value = -look(*child, -top, -above)
                    if above < value < high and top < high:
                        value = -look(*child, -high, -above)
                else:
                    value = self._told(tell, cell, child, above, top)
                    if above < value < high and top < high:
                        value = self._told(tell, cell, child, above, high)
                if value > best:
                    best, best_cell = value, cell
                    if value >= high:
                        break
                    above = max(above, value)
                top = above + 1
            if tell is not None and order:
                tell(_cut(order, low, high))
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[key] = (
                ENDLESS if abs(best) >= WON else depth,
                best if best > low else -LIMIT,
                best if best < high else LIMIT,
                best_cell,
            )
            return best

        return look
