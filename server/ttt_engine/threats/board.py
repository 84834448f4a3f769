"""The threats of both sides on a board, and how a move changes them."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from ttt_engine.bitboard import cells_of
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.threats.patterns import Patterns
from ttt_engine.threats.track import KINDS, Place, Track

_CHANGES: Final = 1 << 17
"""The most changes by a mark that are remembered of a board."""


class Threats(NamedTuple):
    """The cells that matter to one side. Each is a set of free cells; see `Pattern`."""

    ends: int
    fours: int
    doubles: int
    """Among them the cells that make fours in two directions."""
    threes: int


class State(NamedTuple):
    """A position in which the game goes on, seen by the side to move."""

    own: int
    """The cells of the side to move."""

    other: int
    """The cells of the other side."""

    second: bool
    """Whether O moves."""

    kinds: tuple[int, ...]
    """By direction the kinds of cells of X, then those of O, side by side in one int."""


class ThreatBoard:
    """What is known of the threats on a board without gravity. Get one from `threat_board_of`."""

    def __init__(self, rules: Rules) -> None:
        self._cells = cells = rules.cells
        self._full = rules.full
        self._places: list[list[tuple[int, Place]]] = [[] for _ in range(cells)]
        patterns = Patterns(rules.in_a_row, exact=rules.exact)
        self._tracks: list[tuple[int, Track]] = []
        most = _CHANGES // cells // 8
        for direction, track_cells in _tracks(rules):
            track = Track(track_cells, cells, patterns)
            self._tracks.append((direction, track))
            for cell in track_cells:
                self._places[cell].append((direction, Place(track, cell, cells, most)))

    def state(self, position: Position) -> State:
        """Return the state of a position in which the game goes on."""
        kinds = [0] * 4
        for direction, track in self._tracks:
            kinds[direction] |= track.kinds(track.take(position.x), track.take(position.o))
        return State(*position.sides, second=position.ply % 2 == 1, kinds=tuple(kinds))

    def place(self, state: State, cell: int) -> State:
        """Return the state for the other side, after a mark on `cell` that completes no line."""
        own, other, second, kinds = state
        both = other << self._cells | own if second else own << self._cells | other
        changed = list(kinds)
        for direction, place in self._places[cell]:
            marks = both & place.mask
            change = place.changes[second].get(marks)
            if change is None:
                change = place.work_out(marks, second)
            changed[direction] ^= change
        return _filled(State, (other, own | 1 << cell, not second, tuple(changed)))

    def threats(self, state: State) -> tuple[Threats, Threats]:
        """Return the threats of the side to move, and those of the other side."""
        cells, full = self._cells, self._full
        first, second, third, fourth = state.kinds
        one = first | second
        more = one | third
        every = more | fourth
        twice = (first & second | one & third | more & fourth) >> cells
        sides = []
        for _ in range(2):
            sides.append(
                Threats(
                    every & full,
                    every >> cells & full,
                    (every >> 2 * cells | twice) & full,
                    every >> 3 * cells & full,
                )
            )
            every >>= KINDS * cells
            twice >>= KINDS * cells
        return (sides[1], sides[0]) if state.second else (sides[0], sides[1])

    def passed(self, state: State) -> State:
        """Return the state with the other side to move, as if this side had passed."""
        return State(state.other, state.own, not state.second, state.kinds)

    def breakers(self, state: State, theirs: Threats) -> int:
        """Return each cell that stops all wins in two that the other side threatens.

        The side to move has no end, nor has the other side. Any other cell loses, unless it makes
        a four.
        """
        passed, cells = self.passed(state), self._full
        for cell in cells_of(theirs.doubles):
            ends = self.threats(self.place(passed, cell))[1].ends
            cells &= 1 << cell | (ends if ends.bit_count() == 2 else 0)
            if not cells:
                break
        return cells


_filled: Final[Callable[..., State]] = tuple.__new__
"""Make a state of its fields, in a third of the time that the class itself takes."""


def _tracks(rules: Rules) -> list[tuple[int, tuple[int, ...]]]:
    """Return the tracks on which a line fits, each with the number of its direction."""
    found = []
    ways = ((0, 1), (1, 0), (1, 1), (1, -1))
    for direction, (down, right) in enumerate(ways):
        for start in range(rules.cells):
            row, column = divmod(start, rules.columns)
            if row - down >= 0 and 0 <= column - right < rules.columns:
                continue  # not the first of its track
            cells = []
            while row < rules.rows and 0 <= column < rules.columns:
                cells.append(row * rules.columns + column)
                row, column = row + down, column + right
            if len(cells) >= rules.in_a_row:
                found.append((direction, tuple(cells)))
    return found


@lru_cache(maxsize=4)  # they grow as they are searched
def threat_board_of(rules: Rules) -> ThreatBoard:
    """Return the board of these rules, made once."""
    return ThreatBoard(rules)
