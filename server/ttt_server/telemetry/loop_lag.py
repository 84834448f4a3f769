"""How late the event loop runs: every answer waits for it."""

import asyncio
from collections.abc import Callable

from ttt_server.telemetry.histogram import Histogram

INTERVAL_S = 0.5

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class LoopLag:
    """Sets a timer again and again, and measures how late it runs."""

    def __init__(self, on_look: Callable[[], None] = lambda: None) -> None:
        """`on_look` is called at the start, and each time."""
        self._on_look = on_look
        self.observed = Histogram(BOUNDS_S)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start measuring."""
        self._on_look()
        loop = asyncio.get_running_loop()
        due = loop.time() + INTERVAL_S
        self._timer = loop.call_at(due, self._observe, loop, due)

    def close(self) -> None:
        """Stop measuring."""
        if self._timer is not None:
            self._timer.cancel()

    def _observe(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self.observed.observe(max(0.0, loop.time() - due))
        self.start()
