"""Unix time that runs evenly: the machine's sleep and steps of its clock are noticed, not lived."""

import time
from collections.abc import Callable

_STEP_NS = 1_000_000_000
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
        self._offset_ns = wall_ns() - steady_ns()
        self.on_step: Callable[[int], None] = lambda _: None
        """Told by how many ms `now` jumps, as the wall clock was found elsewhere."""

    def now(self) -> int:
        now_ns = self._steady_ns() + self._offset_ns
        step_ns = self._wall_ns() - now_ns
        if not -_STEP_NS < step_ns < _STEP_NS:
            self._offset_ns += step_ns
            now_ns += step_ns
            self.on_step(round(step_ns / 1_000_000))
        return now_ns // 1_000_000
