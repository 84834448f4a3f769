"""The search of ultimate: nine small boards, and a judgement of the large one.

The judgement adds up, for each line of the large board, the chance to win all three of its small
boards, less the same for the other side. A move changes the chances of one small board, so what
that is worth is known before the move is made, and most positions at the end of the depth are never
made at all.

It tries 400 000 cells a second (CPython 3.11).
"""

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.search.budget import SLICE, Budget
from ttt_engine.search.negamax import ENDLESS, LIMIT, MOST_KNOWN, WON, Deepening, Found, Negamax
from ttt_engine.variants.ultimate import ANY, IS_WON, PLACES, WHOLE, UltimatePosition

SURE: Final = 100
"""The chance of a side that has won the board."""

POWERS: Final = tuple(3**place for place in range(9))
"""What an own mark on a place adds to the number of a board's contents; another's adds twice."""

TERNARY: Final = tuple(sum(POWERS[place] for place in cells_of(places)) for places in range(1 << 9))
"""The numbers of boards with only own marks, by the set of them."""


@cache
def chances() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the chances of the own and the other side, 0 to `SURE`, by the contents of a board.

    Nobody knows who will move there next, nor whether they will choose the cell for this board or
    for the one that it sends to. So chance decides both, and each mark on each free cell is as
    likely.
    """
    mine, theirs = [0.0] * 3**9, [0.0] * 3**9
    complete = TIC_TAC_TOE.lines.complete
    # Later contents have a greater number than those they come from.
    for contents in range(3**9 - 1, -1, -1):
        digits = [contents // power % 3 for power in POWERS]
        own, other = (
            sum(1 << place for place, digit in enumerate(digits) if digit == side)
            for side in (1, 2)
        )
        if complete(own):
            mine[contents] = 1.0
        elif complete(other):
            theirs[contents] = 1.0
        elif 0 in digits:
            after = [
                contents + side * power
                for power, digit in zip(POWERS, digits, strict=True)
                if not digit
                for side in (1, 2)
            ]
            for side in (mine, theirs):
                side[contents] = sum(side[at] for at in after) / len(after)
    return tuple(round(SURE * each) for each in mine), tuple(round(SURE * each) for each in theirs)


FREE_CHOICE: Final = 120_000
"""The value of playing in any small board, where a sure large line is worth a million."""

_BY_HISTORY: Final = 500
"""How much earlier a cell is tried that was good enough elsewhere, by the square of the depth."""

_COST: Final = 3
"""What trying the cells of a position takes of a budget."""

_LINES: Final = TIC_TAC_TOE.lines.cells
_ENDS: Final = tuple(map(TIC_TAC_TOE.lines.ends, range(WHOLE + 1)))
_PAIRS: Final = tuple(
    tuple(tuple(other for other in line if other != small) for line in _LINES if small in line)
    for small in range(9)
)
"""By small board, the other two of each large line through it."""

_Option = tuple[int, int, int]
"""The judgement after a move, the bit of its cell, and then the contents of its small board."""

_Look = Callable[[int, int, int, int, int, int, int, int, int, int, int], int]


class NestedState(NamedTuple):
    """A position in which the game goes on, seen by the side to move."""

    own: int
    """The marks of the side to move, as the position of ultimate counts its bits."""
    other: int
    small: int
    """The small board to be played, or `ANY`."""
    won: int
    """The set of small boards that the side to move has won."""
    lost: int
    shut: int


class NestedBoard:
    """The large board, of which there is one."""

    def __init__(self, rules: Rules) -> None:
        self.rules: Final = rules

    @staticmethod
    def state(position: UltimatePosition) -> NestedState:
        """Return the state of a position in which the game goes on."""
        sides = [(position.xs, position.x_won), (position.os, position.o_won)]
        (own, won), (other, lost) = sides[::-1] if position.ply & 1 else sides
        return NestedState(own, other, position.forced, won, lost, position.shut)


class NestedTree(Negamax[NestedBoard, NestedState]):
    """A tree of ultimate, which one function searches."""

    def __init__(self, board: NestedBoard, budget: Budget) -> None:
        super().__init__(board, budget)
        self._marks = [[0] * 9, [0] * 9]
        """Of the side to move at the root and of the other, the set of places by small board."""
        self._chances = [[0] * 9, [0] * 9]
        self._search = self._make_look()

    def look(self, state: NestedState, depth: int, low: int, high: int) -> Found:
        if state.shut == WHOLE:
            return Found(0, proven=True)
        judged, key = self.judge(state), state.own | state.other << 81
        left = self._board.rules.cells - key.bit_count()
        place = 0, state.small, state.won, state.lost, state.shut
        value = self._search(*place, key, judged, left, depth, low, high)
        return Found(value, proven=abs(value) >= WON or depth >= left)

    def judge(self, state: NestedState) -> int:
        """Return the judgement of a state, for the side to move. It is the one to search then."""
        for marks, side in zip(self._marks, state[:2], strict=True):
            marks[:] = [side >> 9 * small & WHOLE for small in range(9)]
        boards = zip(*self._marks, strict=True)
        contents = [TERNARY[own] + 2 * TERNARY[other] for own, other in boards]
        for each, table in zip(self._chances, chances(), strict=True):
            each[:] = map(table.__getitem__, contents)
        mine, theirs = self._chances
        return sum(
            mine[one] * mine[two] * mine[three] - theirs[one] * theirs[two] * theirs[three]
            for one, two, three in _LINES
        )

    def _make_look(self) -> _Look:  # noqa: PLR0915 - calls would take most of the time
        both, both_chances, history = self._marks, self._chances, ([0] * 81, [0] * 81)
        my_chance, their_chance = chances()
        nothing_tried = [0] * 81
        known: list[dict[int, tuple[int, int, int, int]]] = [{} for _ in range(10)]
        """Each position as in `Known`, by the small board to be played. The cell is a bit."""
        spent = remembered = 0

        def look(  # noqa: PLR0913, PLR0915, PLR0917 - as above
            side: int,
            small: int,
            won: int,
            lost: int,
            shut: int,
            key: int,
            score: int,
            left: int,
            depth: int,
            low: int,
            high: int,
        ) -> int:
            """Return the value for the side to move, 0 being that of the state, or a bound of it.

            `score` is its judgement, and `key` all marks: those of side 1 above those of side 0.
            """
            nonlocal spent, remembered
            own, other = both[side], both[1 - side]
            mine, theirs = both_chances[side], both_chances[1 - side]
            boards = PLACES[WHOLE ^ shut] if small == ANY else (small,)
            left -= 1
            asked, last = depth, _ENDS[won]
            if last:
                for at in boards:
                    if last >> at & 1 and _ENDS[own[at]] & ~other[at]:
                        return WON + left
            table, best_at = known[small], -1
            entry = table.get(key) if depth > 1 else None
            if entry is not None:
                known_depth, least, most, best_at = entry
                if known_depth >= depth and (least >= high or most <= low or least == most):
                    return least if least >= high else most

            order = []
            for at in boards:
                marks, against = own[at], other[at]
                contents = TERNARY[marks] + 2 * TERNARY[against]
                gain = loss = 0
                for one, two in _PAIRS[at]:
                    gain += mine[one] * mine[two]
                    loss += theirs[one] * theirs[two]
                rest = score - mine[at] * gain + theirs[at] * loss
                for place in PLACES[WHOLE ^ (marks | against)]:
                    after = contents + POWERS[place]
                    value = rest + my_chance[after] * gain - their_chance[after] * loss
                    if shut >> place & 1:
                        value -= FREE_CHOICE
                    order.append((value, 9 * at + place, after))
            spent += _COST
            if spent >= SLICE:
                self.budget.spend(spent)
                spent = 0
            order.sort(reverse=True)
            if len(order) > 1:  # a single move does not count as depth
                if depth <= 1:
                    return settle(side, lost, shut, left, order, high)
                depth -= 1
                order = sorted(order, key=tried_first(side, best_at, depth), reverse=True)

            best, above, top = -LIMIT, low, high
            for value, bit, after in order:
                at, place = divmod(bit, 9)
                marks, my_part, their_part = own[at], mine[at], theirs[at]
                marked = marks | 1 << place
                now_won, now_shut = won, shut
                if IS_WON[marked]:
                    now_won, now_shut = won | 1 << at, shut | 1 << at
                elif marked | other[at] == WHOLE:
                    now_shut = shut | 1 << at
                if now_shut == WHOLE:
                    found = 0
                else:
                    judged = -value - FREE_CHOICE if shut >> place & 1 else -value
                    own[at], mine[at], theirs[at] = marked, my_chance[after], their_chance[after]
                    then = ANY if now_shut >> place & 1 else place
                    child = 1 - side, then, lost, now_won, now_shut, key | 1 << bit + 81 * side
                    found = -look(*child, judged, left, depth, -top, -above)
                    if above < found < high and top < high:
                        found = -look(*child, judged, left, depth, -high, -above)
                    own[at], mine[at], theirs[at] = marks, my_part, their_part
                if found > best:
                    best, best_at = found, bit
                    if found >= high:
                        history[side][bit] += depth * depth * _BY_HISTORY
                        break
                    above = max(above, found)
                top = above + 1
            remembered += 1
            if remembered >= MOST_KNOWN:
                remembered = 0
                for each in known:
                    each.clear()
            table[key] = (
                ENDLESS if abs(best) >= WON else asked,
                best if best > low else -LIMIT,
                best if best < high else LIMIT,
                best_at,
            )
            return best

        def tried_first(side: int, best_at: int, depth: int) -> Callable[[_Option], int]:
            """Return the order of trying: a cell that was good here, then by worth and history."""
            tried = history[side] if depth > 1 else nothing_tried

            def rank(option: _Option) -> int:
                return LIMIT if option[1] == best_at else option[0] + tried[option[1]]

            return rank

        def settle(
            side: int, lost: int, shut: int, left: int, order: list[_Option], high: int
        ) -> int:
            """Return the best judgement after a move, if the other side does not win at once."""
            own, other, best, last = both[side], both[1 - side], -LIMIT, _ENDS[lost] & ~shut
            for value, bit, _ in order:
                if value <= best:
                    break
                at, place = divmod(bit, 9)
                marked, now_shut, worth = own[at] | 1 << place, shut, value
                if IS_WON[marked] or marked | other[at] == WHOLE:
                    now_shut = shut | 1 << at
                    if now_shut == WHOLE:
                        worth = 0
                if last:
                    boards = last & ~now_shut if now_shut >> place & 1 else last & 1 << place
                    for board in PLACES[boards]:
                        taken = marked if board == at else own[board]
                        if _ENDS[other[board]] & ~taken:
                            worth = 1 - WON - left
                            break
                best = max(best, worth)
                if best >= high:
                    break
            return best

        return look


class NestedRounds(Deepening[NestedState]):
    """Finds the best cell of ultimate, where none wins at once."""

    def __init__(self, position: UltimatePosition, tree: NestedTree) -> None:
        state = NestedBoard.state
        order = [(cell, state(position.play(cell))) for cell in position.legal_moves]
        order.sort(key=lambda choice: tree.judge(choice[1]))
        super().__init__(position, tree, order, complete=True)
