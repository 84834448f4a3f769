"""What waits for one connection that reads more slowly than its room moves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """A frame. `is_state`: it holds the whole room, so a later one replaces it."""

    frame: bytes
    is_state: bool


class SendQueue:
    """At most `limit` messages, first in, first out; a full one skips to the newest state."""

    __slots__ = ("_limit", "_waiting")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: list[Waiting] = []  # short, and mostly empty: a deque takes 700 bytes then

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, message: Waiting) -> None:
        """Adds a message. If there is no place, old states go, and then the oldest of the rest.

        The newest state always stays: where there is one place, nothing else takes it.
        """
        if len(self._waiting) >= self._limit:
            self._skip_to(message)
        if len(self._waiting) < self._limit:
            self._waiting.append(message)

    def take(self) -> bytes:
        """The frame that has waited longest.

        Raises:
            IndexError: if none waits.
        """
        return self._waiting.pop(0).frame

    def _skip_to(self, message: Waiting) -> None:
        states = [waiting for waiting in self._waiting if waiting.is_state]
        newest = None if message.is_state or not states else states[-1]
        rest = [waiting for waiting in self._waiting if not waiting.is_state]
        places = self._limit - 1 - (newest is not None)
        kept = {id(waiting) for waiting in (newest, *rest[max(0, len(rest) - places) :])}
        self._waiting = [waiting for waiting in self._waiting if id(waiting) in kept]
