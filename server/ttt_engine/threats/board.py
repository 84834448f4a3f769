"""The threats of both sides on a board, and how a move changes them."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from ttt_engine.bitboard import cells_of
from ttt_engine.order import in_turns
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.threats.patterns import FIELD, POINT, Change, Patterns, Place, Stretches, Track

WIDE: Final = 36
"""On boards with more cells and no gravity, threats guide the search."""

# These values were fitted to what searches of 2 500 to 5 000 nodes say about 13 000 positions.
_TO_MOVE: Final = 205
"""The value of having the move."""

_HOT: Final = 13
"""The value of each point over `_WARM` of a cell, if the points are those of the side to move."""

_THEIR_HOT: Final = 11
"""The same for the points of the other side."""

_FORK: Final = 378
"""The value of a fork for the side to move."""

_THEIR_FORK: Final = 40
"""The value of a fork for the other side."""

_WARM: Final = 10
"""A cell with so many points or fewer does not count."""

_COLD: Final = bytes(range(_WARM + 1))
"""The points of such cells."""

_ABOVE: Final = bytes(max(0, points - _WARM) for points in range(1 << POINT))
"""By points, how many they are over `_WARM`."""

_CHANGES: Final = 1 << 17
"""How many changes by a mark a board remembers."""


_FIELD: Final = (1 << FIELD) - 1


T = TypeVar("T")


class Threats(NamedTuple):
    """The cells that matter to one side. Each is a set of free cells; see `Pattern`."""

    ends: int
    doubles: int
    """Among them the cells that make fours in two directions."""
    fours: int
    threes: int


_Way = tuple[int, Callable[[int], Change | None], Callable[[int, bool], Change]]
"""The mask of a track, how to look up a change there, and how to work it out: see `Place`."""

_Four = tuple[T, T, T, T]
"""One thing for each direction."""


def _four(things: list[T]) -> _Four[T]:
    first, second, third, fourth = things
    return first, second, third, fourth


def _unchanged(marks: int, second: bool) -> Change:  # noqa: ARG001 - `Place` needs them
    return 0, 0, 0


_NOWHERE: Final[_Way] = 0, {0: _unchanged(0, second=False)}.get, _unchanged
"""The way in a direction in which no line fits."""

Urgent = tuple[int, int, int, int, int]
"""The ends of the side to move and of the other side, the doubles of both, and the useful fours of
the side to move: those on another line, too, of which it lacks three marks or fewer."""


class ThreatState(NamedTuple):
    """A position in which the game goes on, seen by the side to move."""

    own: int
    """The cells of the side to move."""

    other: int
    """The cells of the other side."""

    second: bool
    """Whether O moves."""

    kinds: _Four[int]
    """For each direction the kinds of cells of X, then those of O, side by side in one int."""

    totals: int
    """The value of the open lines of X and of O, and their numbers, side by side in one int."""

    points: int
    """For each cell how promising a move there is for X, then for O, side by side in one int."""

    gains: tuple[int, ...]
    """What must still be added to these points. They are large, and most states need none."""


class ThreatBoard:
    """Knowledge of the threats on a board without gravity. Get one from `threat_board_of`."""

    def __init__(self, rules: Rules) -> None:
        self.rules: Final = rules
        self._cells = cells = rules.cells
        self._full = rules.full
        self._hot = (1 << 4 * cells) - 1
        self._double = self._hot ^ (1 << 2 * cells) - 1
        self.remote: Final = tuple(_remoteness(rules, cell) for cell in range(cells))
        """For each cell its distance from the middle, in columns or rows."""
        self._all_points = (1 << POINT * cells) - 1
        patterns = Patterns(rules.in_a_row, exact=rules.exact)
        most = _CHANGES // cells // 8
        ways = [[[_NOWHERE] * 4 for _ in range(cells)] for _ in "XO"]
        kinds, totals, points = [0] * 4, 0, 0
        for number, (down, right) in enumerate(_DIRECTIONS):
            stretches = Stretches(down * rules.columns + right, rules, patterns)
            for track_cells in _tracks(rules, down, right):
                track = Track(track_cells, stretches, cells)
                for index, cell in enumerate(track_cells):
                    place = Place(track, index, most)
                    for second, changes in enumerate(place.changes):
                        ways[second][cell][number] = track.mask, changes.get, place.work_out
                empty = track.empty()
                kinds[number] |= empty.kinds
                totals += empty.totals
                points += empty.points
        self._ways: Final = [[_four(each) for each in side] for side in ways]
        self._start: Final = ThreatState(0, 0, False, _four(kinds), totals, points, ())

    def state(self, position: Position) -> ThreatState:
        """Return the state of a position in which the game goes on."""
        state = self._start
        # Any order of the marks in which the sides take turns leads to the same state.
        for cell in in_turns(position):
            state = self.place(state, cell)
        return self.summed(state)

    def place(self, state: ThreatState, cell: int) -> ThreatState:
        """Return the state for the other side, after a mark on `cell` that completes no line."""
        own, other, second, kinds, totals, points, gains = state
        both = other << self._cells | own if second else own << self._cells | other
        one, two, three, four = self._ways[second][cell]
        mask, known, work_out = one
        flips_1, more_1, gain_1 = known(both & mask) or work_out(both & mask, second)
        mask, known, work_out = two
        flips_2, more_2, gain_2 = known(both & mask) or work_out(both & mask, second)
        mask, known, work_out = three
        flips_3, more_3, gain_3 = known(both & mask) or work_out(both & mask, second)
        mask, known, work_out = four
        flips_4, more_4, gain_4 = known(both & mask) or work_out(both & mask, second)
        first, next_, third, fourth = kinds
        filled = (
            other,
            own | 1 << cell,
            not second,
            (first ^ flips_1, next_ ^ flips_2, third ^ flips_3, fourth ^ flips_4),
            totals + more_1 + more_2 + more_3 + more_4,
            points,
            (*gains, gain_1, gain_2, gain_3, gain_4),
        )
        return _filled(ThreatState, filled)

    def threats(self, state: ThreatState) -> tuple[Threats, Threats]:
        """Return the threats of the side to move, and those of the other side."""
        cells, full = self._cells, self._full
        every, twice = _joined(state.kinds)
        every |= twice >> 2 * cells & full << 2 * cells | twice >> 2 * cells & full << 3 * cells
        sides = [
            Threats(*[every >> side + kind * cells & full for kind in (0, 2, 4, 6)])
            for side in (0, cells)
        ]
        return (sides[1], sides[0]) if state.second else (sides[0], sides[1])

    def urgent(self, state: ThreatState) -> Urgent:
        """Return the cells that decide what may be done now, in a third of the time of all."""
        first, second, third, fourth = state.kinds
        one = first | second
        more = one | third
        every = more | fourth
        twice = first & second | one & third | more & fourth
        cells, full = self._cells, self._full
        hot = every & self._hot | twice >> 2 * cells & self._double
        mine, theirs = (cells, 0) if state.second else (0, cells)
        fours = every >> mine + 4 * cells & twice >> mine + 8 * cells & full
        if not hot:
            return 0, 0, 0, 0, fours
        return (
            hot >> mine & full,
            hot >> theirs & full,
            hot >> mine + 2 * cells & full,
            hot >> theirs + 2 * cells & full,
            fours,
        )

    def attack(self, state: ThreatState) -> tuple[int, int, int, int]:
        """Return the ends of both sides, and the cells of the side to move for an attack.

        They are its doubles, and the cells that make a four or a three.
        """
        every, twice = _joined(state.kinds)
        cells, full = self._cells, self._full
        mine, theirs = (cells, 0) if state.second else (0, cells)
        every_mine = every >> mine
        return (
            every_mine & full,
            every >> theirs & full,
            (every_mine | twice >> mine + 2 * cells) >> 2 * cells & full,
            (every_mine >> 4 * cells | every_mine >> 6 * cells) & full,
        )

    def ends_made(self, state: ThreatState) -> int:
        """Return the ends of the other side, which has just moved."""
        first, second, third, fourth = state.kinds
        ends = first | second | third | fourth
        return (ends if state.second else ends >> self._cells) & self._full

    def passed(self, state: ThreatState) -> ThreatState:
        """Return the state with the other side to move, as if this side had passed."""
        own, other, second, *rest = state
        return _filled(ThreatState, (other, own, not second, *rest))

    def summed(self, state: ThreatState) -> ThreatState:
        """Return the same state with its points summed up, as those of all states after it need."""
        if not state.gains:
            return state
        points = sum(state.gains, start=state.points)
        return _filled(ThreatState, (*state[:5], points, ()))

    def is_open(self, state: ThreatState) -> bool:
        """Return whether there is a line that a side can still complete."""
        return state.totals >> 2 * FIELD != 0

    def points(self, state: ThreatState) -> bytes:
        """Return by cell how promising it is for the side to move; 0 where there is a mark."""
        cells = self._cells
        points = sum(state.gains, start=state.points)
        points = points >> POINT * cells if state.second else points & self._all_points
        return points.to_bytes(cells, "little")

    def estimate(self, state: ThreatState) -> int:
        """Estimate the value for the side to move, if neither side has an end or a double.

        Cells through which several open lines pass, of either side, matter more than each line
        alone. It is good to have the move, and a fork of the side to move nearly always wins.
        """
        every, twice = _joined(state.kinds)
        cells, full, totals = self._cells, self._full, state.totals
        # A fork is two threes, or a four and a three.
        forks = twice >> 6 * cells | every >> 4 * cells & every >> 6 * cells
        mine, theirs = forks & full, forks >> cells & full
        ahead = (totals & _FIELD) - (totals >> FIELD & _FIELD)
        points = sum(state.gains, start=state.points).to_bytes(2 * cells, "little")
        hot = sum(points[:cells].translate(_ABOVE, _COLD))
        their_hot = sum(points[cells:].translate(_ABOVE, _COLD))
        if state.second:
            ahead, mine, theirs, hot, their_hot = -ahead, theirs, mine, their_hot, hot
        ahead += _TO_MOVE + _HOT * hot - _THEIR_HOT * their_hot
        return ahead + (_FORK if mine else 0) - (_THEIR_FORK if theirs else 0)

    def fours(self, state: ThreatState) -> int:
        """Return the cells that make a four for the side to move."""
        first, second, third, fourth = state.kinds
        place = (5 if state.second else 4) * self._cells
        return (first | second | third | fourth) >> place & self._full

    def breakers(self, state: ThreatState, doubles: int) -> int:
        """Return each cell that stops all wins in two that the other side threatens by `doubles`.

        The side to move has no end, nor has the other side. Any other cell loses, unless it makes
        a four.
        """
        cells = self._full
        for cell in cells_of(doubles):
            ends = self._ends_of_other(state, cell)
            cells &= 1 << cell | (ends if ends.bit_count() == 2 else 0)
            if not cells:
                break
        return cells

    def _ends_of_other(self, state: ThreatState, cell: int) -> int:
        """Return the ends of the other side, which has none yet, after its mark on `cell`."""
        own, other, second, kinds, _, _, _ = state
        cells, other_second = self._cells, not second
        both = other << cells | own if second else own << cells | other
        ends = 0
        ways = self._ways[other_second][cell]
        for held, (mask, known, work_out) in zip(kinds, ways, strict=True):
            flips, _, _ = known(both & mask) or work_out(both & mask, other_second)
            ends |= held ^ flips
        return (ends if second else ends >> cells) & self._full


_filled: Final[Callable[..., ThreatState]] = tuple.__new__
"""Make a state of its fields, in a third of the time that the class itself takes."""


def _remoteness(rules: Rules, cell: int) -> int:
    row, column = divmod(cell, rules.columns)
    return max(abs(row - rules.rows // 2), abs(column - rules.columns // 2))


def _joined(kinds: _Four[int]) -> tuple[int, int]:
    """Return the kinds in any direction, and those in two directions or more."""
    first, second, third, fourth = kinds
    one = first | second
    more = one | third
    return more | fourth, first & second | one & third | more & fourth


_DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The rows down and the columns to the right from a cell to the next."""


def _tracks(rules: Rules, down: int, right: int) -> Iterator[tuple[int, ...]]:
    """Yield the tracks of one direction on which a line fits."""
    for start in range(rules.cells):
        row, column = divmod(start, rules.columns)
        if row - down >= 0 and 0 <= column - right < rules.columns:
            continue  # not the first of its track
        cells = []
        while row < rules.rows and 0 <= column < rules.columns:
            cells.append(row * rules.columns + column)
            row, column = row + down, column + right
        if len(cells) >= rules.in_a_row:
            yield tuple(cells)


def is_wide(rules: Rules) -> bool:
    """Return whether a board has too many cells to try, so that threats guide the search."""
    return rules.cells > WIDE and not rules.gravity and rules.variant is None


@lru_cache(maxsize=4)  # they grow as they are searched
def threat_board_of(rules: Rules) -> ThreatBoard:
    """Return the board of these rules, made once."""
    return ThreatBoard(rules)
