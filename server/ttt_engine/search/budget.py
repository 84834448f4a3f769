"""How far a search may go: so many positions, or so long on a clock that it is given."""

from collections.abc import Callable
from typing import Final

SLICE: Final = 64
"""How many positions go by between two looks at the clock: about half a millisecond."""


class Exhausted(Exception):
    """The budget is spent. It ends a search from within, and never leaves `search`."""


class Budget:
    """So many positions that may still be looked at."""

    def __init__(self, positions: int) -> None:
        self._left = positions

    def spend(self, positions: int) -> None:
        """Take so many off.

        Raises:
            Exhausted: there are not so many left.
        """
        self._left -= positions
        if self._left < 0:
            raise Exhausted

    def share(self) -> "Budget":
        """Three quarters of what is left, set apart."""
        share = self._left * 3 // 4
        self._left -= share
        return Budget(share)


class TimeBudget(Budget):
    """As many positions as can be looked at before `clock` says `deadline`."""

    def __init__(self, deadline: float, clock: Callable[[], float]) -> None:
        super().__init__(SLICE)
        self._deadline = deadline
        self._clock = clock

    def spend(self, positions: int) -> None:
        self._left -= positions
        if self._left < 0:
            if self._clock() >= self._deadline:
                raise Exhausted
            self._left = SLICE

    def share(self) -> "Budget":
        """Until three quarters of the time that is left have gone by."""
        return TimeBudget((self._clock() + 3 * self._deadline) / 4, self._clock)
