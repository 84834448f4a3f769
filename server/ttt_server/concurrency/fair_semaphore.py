"""So many at once; who waits is served by turns: many of one keep nobody else waiting."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairSemaphore:
    """Up to `size` are taken at a time."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}
        """Who waits, by whose they are; the next to be served first."""

    def locked(self) -> bool:
        """Whether one would have to wait."""
        return not self._free

    @asynccontextmanager
    async def take(self, whose: str = "") -> AsyncIterator[None]:
        """Waits for a slot, and has it inside. `whose`: with whom it shares a turn."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(whose)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, whose: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(whose, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._leave(whose, turn)
            else:
                self._pass_on()  # its turn came, and it is no longer there
            raise

    def _leave(self, whose: str, turn: asyncio.Future[None]) -> None:
        """Out of the line, if it was not passed over meanwhile."""
        line = self._lines.get(whose)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._lines[whose]

    def _pass_on(self) -> None:
        """Gives a slot to the next who still waits."""
        while self._lines:
            whose = next(iter(self._lines))
            line = self._lines.pop(whose)
            while line and line[0].done():
                line.popleft()  # it went away, and has not run since
            if line:
                line.popleft().set_result(None)
                if line:
                    self._lines[whose] = line  # behind all others
                return
        self._free += 1
