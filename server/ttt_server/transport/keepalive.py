"""Ping all connections, and end those that do not answer in time.

The library uses a task and a timer for each connection: a tenth of its memory.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from ttt_server.concurrency.deadlines import Deadlines

C = TypeVar("C")
"""A connection."""


class Keepalive(Generic[C]):
    """Pings each connection `interval_s` after its last answer, and gives it `timeout_s`."""

    def __init__(
        self,
        interval_s: float,
        timeout_s: float,
        *,
        ping: Callable[[C], bool],
        presume_dead: Callable[[C], None],
    ) -> None:
        """Start without connections.

        Args:
            interval_s: from an answer to the next ping.
            timeout_s: from a ping to its answer.
            ping: sends a ping; returns False if the connection is no longer open.
            presume_dead: called with a connection that did not answer.
        """
        self._send_ping = ping
        self._idle: Deadlines[C] = Deadlines(interval_s, self._ping)
        self._pinged: Deadlines[C] = Deadlines(timeout_s, presume_dead)

    def begin(self, connection: C) -> None:
        self._idle.add(connection)

    def end(self, connection: C) -> None:
        self._idle.discard(connection)
        self._pinged.discard(connection)

    def answered(self, connection: C) -> None:
        """Note a pong, which may come without a ping."""
        if connection in self._pinged:
            self._pinged.discard(connection)
            self._idle.add(connection)

    def _ping(self, connection: C) -> None:
        if self._send_ping(connection):
            self._pinged.add(connection)
