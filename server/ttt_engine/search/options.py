"""The cells to try in a position, or its value if a look is enough."""

from typing import NamedTuple

from ttt_engine.rules import Rules
from ttt_engine.search.state import BoardState
from ttt_engine.search.value import WON


class Options(NamedTuple):
    """Either the value of a position, or the cells to try."""

    value: int | None
    """The value, if a look at the position is enough."""

    cells: int
    """The cells to try. No other is better."""

    forced: bool
    """Whether the side to move must answer a threat, and this is the only cell to do so."""


_SETTLED = (0, False)


def options_of(rules: Rules, state: BoardState) -> Options:
    """Return the options in a state, or its value if a line is certain or impossible."""
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
        # Not these: on top of them the other side would complete a line.
        cells &= ~(state.other_ends << rules.columns)
    if not cells or threats & threats - 1:
        return Options(2 - WON - rules.cells + taken.bit_count(), *_SETTLED)
    if threats:
        return Options(None, cells, forced=True)
    if not (rules.gravity or rules.exact):
        # A mark where no line can be completed has no effect. Elsewhere a mark never does harm,
        # unless it makes a row too long: then a mark without effect may be the best.
        completed = rules.lines.completed
        cells &= completed(rules.full ^ other) | completed(rules.full ^ own)
    return Options(None, cells, forced=False)
