"""A search of four in a row to a depth, where a learnt judgement weighs what lies beyond it.

Two books have the values of all positions after eight and after ten marks.

It tries 290 000 cells a second where `Tree` tries 100 000 (CPython 3.11, 7x6 with gravity).
"""

from collections.abc import Callable
from typing import Final

from ttt_engine.gravity.book import MARKS, book
from ttt_engine.gravity.ground import ground_of
from ttt_engine.gravity.judgement import JUDGED, judgement
from ttt_engine.outcome import Value, sign
from ttt_engine.rules import Rules
from ttt_engine.search.budget import SLICE
from ttt_engine.search.drops import END, Falling
from ttt_engine.search.negamax import ENDLESS, LIMIT, MOST_KNOWN, WON, Found
from ttt_engine.search.state import BoardState, options_of
from ttt_engine.tracing.steps import Cut, TableHit

_IN_BOOK: Final = WON // 2
"""The value of a win by the book, which does not know when: far above any judgement."""

_BEYOND: Final = _IN_BOOK // 2
"""Above any judgement, and below such a win."""

_Look = Callable[[int, int, int, int, int, int, int], int]


class Judged(Falling):
    """As `Tree` for the board of the judgement. A value from the book counts as proven."""

    @staticmethod
    def knows(rules: Rules) -> bool:
        """Return whether it can search a board."""
        return rules == JUDGED

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

    def _make_look(self) -> _Look:  # noqa: PLR0915 - calls would take a third of the time
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
                        tell(TableHit())
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
                tell(Cut(tuple([one.bit_length() - 1 for _, one, _ in order[::-1]]), low, high))
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
