"""The budget of a search: a number of positions, or time on a given clock."""

from collections.abc import Callable
from typing import Final

SLICE: Final = 64
"""The positions between two looks at the clock: about half a millisecond."""


class Exhausted(Exception):
    """The budget is spent. It ends a search from within, and never leaves `search`."""


class Budget:
    """A number of positions that may still be looked at."""

    def __init__(self, positions: int, whole: "Budget | None" = None) -> None:
        self._left = positions
        self._whole = whole

    def spend(self, positions: int) -> None:
        """Take these positions off the budget, and off the whole of which it is a share.

        Raises:
            Exhausted: fewer are left.
        """
        self._left -= positions
        if self._left < 0:
            self._renew()
        if self._whole is not None:
            self._whole.spend(positions)

    def share(self, part: float) -> "Budget":
        """Return a budget of a part of what is left. The rest of it stays here."""
        return Budget(int(self._left * part), self)

    def _renew(self) -> None:
        raise Exhausted


class TimeBudget(Budget):
    """The positions that can be looked at before `clock` returns `deadline`."""

    def __init__(
        self, deadline: float, clock: Callable[[], float], whole: Budget | None = None
    ) -> None:
        super().__init__(SLICE, whole)
        self._deadline = deadline
        self._clock = clock

    def share(self, part: float) -> "Budget":
        """Return a budget that ends after a part of the time that is left."""
        now = self._clock()
        return TimeBudget(now + part * (self._deadline - now), self._clock, self)

    def _renew(self) -> None:
        if self._clock() >= self._deadline:
            raise Exhausted
        self._left = SLICE
