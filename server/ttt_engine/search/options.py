"""What is worth trying in a position, and what can be told of it without trying."""

from typing import NamedTuple

from ttt_engine.rules import Rules
from ttt_engine.search.state import State
from ttt_engine.search.value import WON


class Options(NamedTuple):
    """Either the value, or cells to try."""

    value: int | None
    """The value, where a look at the position is enough."""

    cells: int
    """The cells to try: no other is better, or on a wide board is likely to be."""

    forced: bool
    """Whether the side to move must answer a threat, and has this one cell to do so."""

    complete: bool
    """Whether surely none of the cells left out is better."""


_SETTLED = (0, False, True)


def options_of(rules: Rules, state: State) -> Options:
    """The options in a state; or its value, if a line is sure to come next, or none can come."""
    own, other = state.own, state.other
    taken = own | other
    playable = rules.playable(taken)
    if state.own_ends & playable:
        return Options(WON + rules.cells - taken.bit_count() - 1, *_SETTLED)
    if not (state.own_open or state.other_open):  # as on a full board
        return Options(0, *_SETTLED)
    threats = state.other_ends & playable
    cells = threats or playable
    if rules.gravity:
        # On top of these the other side would complete a line.
        cells &= ~(state.other_ends << rules.columns)
    if not cells or threats & threats - 1:
        return Options(2 - WON - rules.cells + taken.bit_count(), *_SETTLED)
    if threats:
        return Options(None, cells, forced=True, complete=True)
    if rules.gravity:
        return Options(None, cells, forced=False, complete=True)
    # A mark where no line can be completed does nothing, and elsewhere a mark never does harm.
    completed = rules.lines.completed
    cells &= completed(rules.full ^ other) | completed(rules.full ^ own)
    near = cells & state.near or cells
    return Options(None, near, forced=False, complete=near == cells)
