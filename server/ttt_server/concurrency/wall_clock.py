"""Unix time that runs evenly, and notices when the machine slept or its clock was set."""

import time
from collections.abc import Callable

_STEP_NS = 1_000_000_000
"""The wall clock may differ from the steady one by this much, as it is corrected all the time."""


class WallClock:
    """Unix time in ms, counted by the steady clock, which stands still while the machine sleeps."""

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall_ns = wall_ns
        self._steady_ns = steady_ns
        self._offset_ns = wall_ns() - steady_ns()
        self._on_step: list[Callable[[int], None]] = []

    def call_on_step(self, call: Callable[[int], None]) -> None:
        """Call `call` with the size of each jump of `now`, in ms."""
        self._on_step.append(call)

    def now(self) -> int:
        """Return the time. A step of the wall clock is noticed here, and jumps with it."""
        now_ns = self._steady_ns() + self._offset_ns
        step_ns = self._wall_ns() - now_ns
        if -_STEP_NS < step_ns < _STEP_NS:
            return now_ns // 1_000_000
        self._offset_ns += step_ns
        for call in self._on_step:
            call(round(step_ns / 1_000_000))
        return (now_ns + step_ns) // 1_000_000
