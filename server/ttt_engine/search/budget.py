"""The budget of a search: a number of positions, or time on a given clock."""

from collections.abc import Callable
from typing import Final

SLICE: Final = 64
"""The positions between two looks at the clock: about half a millisecond."""


class Exhausted(Exception):
    """The budget is spent. It ends a search from within, and never leaves `search`."""


class Budget:
    """A number of positions that may still be looked at."""

    def __init__(self, positions: int) -> None:
        self._left = positions

    def spend(self, positions: int) -> None:
        """Take these positions off the budget.

        Raises:
            Exhausted: fewer are left.
        """
        self._left -= positions
        if self._left < 0:
            raise Exhausted

    def share(self) -> "Budget":
        """Set three quarters of what is left apart, as a budget of its own."""
        share = self._left * 3 // 4
        self._left -= share
        return Budget(share)


class TimeBudget(Budget):
    """The positions that can be looked at before `clock` returns `deadline`."""

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
        """Return a budget that ends after three quarters of the time that is left."""
        return TimeBudget((self._clock() + 3 * self._deadline) / 4, self._clock)
