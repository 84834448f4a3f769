"""What a round of the loop has to say to many peers, written when the round is over.

To write to a socket wakes whoever reads it, and to wake takes longer than to write. One who is
still awake need not be woken: so the frames of a round go out one right after the other, and not
each when it is made. With 500 rooms that is a tenth of what a move costs.
"""

import logging
from asyncio import get_running_loop
from collections.abc import Iterable
from typing import Any, Protocol

from ttt_server.transport.frames import text_frame

logger = logging.getLogger(__name__)


class Writer(Protocol):
    """Where frames go."""

    def post(self, frame: bytes, is_state: bool) -> None:
        """Called by position, as names would cost time."""


class Broadcaster:
    """States of rooms that wait for the end of the round; those for the same peer stay in order."""

    __slots__ = ("_loop", "waiting")

    def __init__(self) -> None:
        self._loop = get_running_loop()
        self.waiting: list[tuple[Iterable[Writer], bytes, bool]] = []

    def add(self, listeners: Iterable[Any], payload: bytes, *, is_state: bool = False) -> None:
        """Writes a message to all of `listeners` when the round is over, or if somebody flushes."""
        self.add_frame(listeners, text_frame(payload), is_state)

    def add_frame(self, listeners: Iterable[Any], frame: bytes, is_state: bool) -> None:
        """The same for a frame."""
        if not self.waiting:
            self._loop.call_soon(self.flush)
        self.waiting.append((listeners, frame, is_state))

    def flush(self) -> None:
        """Writes all that waits."""
        waiting, self.waiting = self.waiting, []
        for writers, frame, is_state in waiting:
            for writer in writers:
                try:
                    writer.post(frame, is_state)
                except Exception:  # a fault of ours: who else waits is told all the same
                    logger.exception("a frame could not be written")
