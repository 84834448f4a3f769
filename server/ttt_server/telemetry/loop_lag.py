"""How late the event loop is: what everyone waits for who waits for this process."""

import asyncio

from ttt_server.telemetry.histogram import Histogram

INTERVAL_S = 0.5

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class LoopLag:
    """Asks to be called every now and then, and looks how late that is."""

    def __init__(self) -> None:
        self.observed = Histogram(BOUNDS_S)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begins to look; ends with `close`."""
        loop = asyncio.get_running_loop()
        due = loop.time() + INTERVAL_S
        self._timer = loop.call_at(due, self._look, loop, due)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self.observed.observe(max(0.0, loop.time() - due))
        self.start()
