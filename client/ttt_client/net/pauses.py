"""The pauses between tries to connect: how long they are, and how a user ends one early."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from ttt_client.net.tasks import first_of

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0

Sleep = Callable[[float], Awaitable[None]]
"""Waits for that many seconds."""


class Backoff:
    """A pause between two tries, which `end` cuts short.

    Args:
        sleep: waits for that many seconds.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self._sleep = sleep
        self._ended = asyncio.Event()

    async def take(self, pause_s: float) -> None:
        """Wait for this many seconds, until `end` at the longest."""
        self._ended.clear()
        await first_of(self._sleep(pause_s), self._ended.wait())

    def end(self) -> None:
        """End the pause, if there is one."""
        self._ended.set()


def growing_pauses(chance: Callable[[], float]) -> Iterator[float]:
    """Yield the pauses between tries in seconds: doubling, each varied by up to a quarter.

    Args:
        chance: a source of numbers from 0 to 1.
    """
    pause = FIRST_PAUSE_S
    while True:
        yield pause * (0.75 + chance() / 2)
        pause = min(pause * 2, LONGEST_PAUSE_S)
