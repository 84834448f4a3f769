"""What all of a server is measured by: its commands, and how late the event loop runs."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cached_property

from ttt_protocol.codes import RefusalCode
from ttt_server.telemetry.histogram import Histogram

MOVE_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)

LAG_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)

INTERVAL_S = 0.5
"""Between two looks at the loop."""


class Counters:
    """Counts the commands of all connections since the start."""

    def __init__(self) -> None:
        self.refusals: Counter[RefusalCode] = Counter()
        self.moves = Histogram(MOVE_BOUNDS_S)
        """From a player's `play` until the `update` was handed to all connections."""
        self.false_relays = 0
        """Requests with relay headers that no server of this installation sent."""
        self.false_identities = 0
        """Requests with the header of an identity that no trusted proxy sent."""

    @cached_property
    def of_relayed(self) -> "Counters":
        """Count the moves of connections that another server passes on, apart from the others."""
        apart = Counters()
        apart.refusals = self.refusals
        return apart

    def note_false_identity(self) -> None:
        self.false_identities += 1

    def note_false_relay(self) -> None:
        self.false_relays += 1


class LoopLag:
    """Sets a timer again and again, and measures how late it runs: every answer waits for it."""

    def __init__(self, on_look: Callable[[], None] = lambda: None) -> None:
        """`on_look` is called at the start, and each time."""
        self._on_look = on_look
        self.observed = Histogram(LAG_BOUNDS_S)
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
