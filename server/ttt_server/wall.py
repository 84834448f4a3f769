"""Unix time that runs evenly: the machine's sleep and steps of its clock are noticed, not lived."""

import time
from collections.abc import Callable

_STEP_MS = 1000
"""The wall clock may run apart from the steady one by so much, as it is set right all the time."""


class WallClock:
    """Unix time in ms on the steady clock, which stands still while the machine sleeps."""

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall_ns = wall_ns
        self._steady_ns = steady_ns
        self._offset_ms = self._apart()

    def now(self) -> int:
        return self._steady_ns() // 1_000_000 + self._offset_ms

    def step(self) -> int:
        """By how many ms `now` jumps with this call, as the wall clock is elsewhere; mostly 0."""
        step = self._apart() - self._offset_ms
        if abs(step) < _STEP_MS:
            return 0
        self._offset_ms += step
        return step

    def _apart(self) -> int:
        return (self._wall_ns() - self._steady_ns()) // 1_000_000
