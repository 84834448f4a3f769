"""Frames queued for a client that reads more slowly than its room moves."""

from typing import NamedTuple


class Waiting(NamedTuple):
    """A queued frame."""

    frame: bytes
    is_state: bool
    """Whether it holds the whole state, so that a later state replaces it."""


class SendQueue:
    """At most `limit` frames, first in, first out. A full queue skips to the newest state."""

    __slots__ = ("_limit", "_waiting")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: list[Waiting] = []  # short, and mostly empty: a deque then takes 700 bytes

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, frame: bytes, *, is_state: bool) -> None:
        """Add a frame. A full queue drops old states first, then the oldest of the rest.

        The newest state always stays, even in a queue of one.
        """
        waiting = Waiting(frame, is_state)
        if len(self._waiting) >= self._limit:
            self._skip_to(waiting)
        if len(self._waiting) < self._limit:
            self._waiting.append(waiting)

    def take(self) -> bytes:
        """Remove and return the oldest frame.

        Raises:
            IndexError: if the queue is empty.
        """
        return self._waiting.pop(0).frame

    def _skip_to(self, added: Waiting) -> None:
        """Make room for `added`, unless everything queued matters more."""
        states = [waiting for waiting in self._waiting if waiting.is_state]
        newest = None if added.is_state or not states else states[-1]
        rest = [waiting for waiting in self._waiting if not waiting.is_state]
        places = self._limit - 1 - (newest is not None)
        kept = {id(waiting) for waiting in (newest, *rest[max(0, len(rest) - places) :])}
        self._waiting = [waiting for waiting in self._waiting if id(waiting) in kept]
