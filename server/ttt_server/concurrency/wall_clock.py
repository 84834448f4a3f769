"""Unix time that runs evenly, and notices a sleep or a change of the clock."""

import time
from collections.abc import Callable
from functools import partial

_STEP_NS = 1_000_000_000
"""The wall clock may drift this far from the steady one, as it is corrected all the time."""

_SLEEP_NS = 2_000_000_000
"""A program that does not look for longer has slept; nobody is charged for time beyond this."""

_NEVER_NS = 1 << 63


_steady_ns = partial(time.clock_gettime_ns, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
"""Return a time that nobody sets; if possible, one that runs on while the machine sleeps."""


class WallClock:
    """Unix time in ms, counted by a steady clock.

    Time lost by a stopped program or a sleeping machine is noticed at once. Where the steady clock
    stops with the machine, `look` notices a jump of the wall clock.
    """

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = _steady_ns,
    ) -> None:
        self._wall_ns = wall_ns
        self._steady_ns = steady_ns
        self._offset_ns = wall_ns() - steady_ns()
        self._looked_ns = _NEVER_NS
        """When `look` was called last, by the steady clock."""
        self._on_step: list[Callable[[int], None]] = []
        self._on_sleep: list[Callable[[int], None]] = []

    def call_on_step(self, call: Callable[[int], None]) -> None:
        """Call `call` with each jump of `now`, and each sleep beyond 2 s, in ms."""
        self._on_step.append(call)

    def call_on_sleep(self, call: Callable[[int], None]) -> None:
        """Call `call` after those of `call_on_step` when the program slept."""
        self._on_sleep.append(call)

    def look(self) -> None:
        """Note that the program runs. After the first call, call this every second."""
        self.now()
        self.follow_wall()
        self._looked_ns = self._steady_ns()

    def now(self) -> int:
        """Return the time. A sleep is noticed here."""
        steady_ns = self._steady_ns()
        if steady_ns - self._looked_ns > _SLEEP_NS:
            self._wake(steady_ns)
        return (steady_ns + self._offset_ns) // 1_000_000

    def follow_wall(self) -> None:
        """Follow the wall clock, if that was set."""
        step_ns = self._wall_ns() - self._steady_ns() - self._offset_ns
        if -_STEP_NS < step_ns < _STEP_NS:
            return
        self._offset_ns += step_ns
        for call in self._on_step:
            call(round(step_ns / 1_000_000))

    def _wake(self, steady_ns: int) -> None:
        lost_ms = (steady_ns - self._looked_ns - _SLEEP_NS) // 1_000_000
        self._looked_ns = steady_ns
        for call in (*self._on_step, *self._on_sleep):
            call(lost_ms)
