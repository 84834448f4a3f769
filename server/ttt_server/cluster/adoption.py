"""The rooms of servers that are gone: taken over all at once, and opened when something is due.

To own a room costs a row, to open it a log. So a survivor first takes all rooms that run, and from
then on their clocks count as if they were open. It opens a room when its flag falls, when an AI is
to move, and the others one after another, so that games that nobody plays on are ended in time.
"""

import asyncio
import heapq
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from ttt_protocol.state import RoomName
from ttt_server.cluster.lease import now
from ttt_server.cluster.ownership import Ownership
from ttt_server.core.errors import Refused
from ttt_server.storage.base import StorageFailed

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 32
"""Rooms that are opened at the same time."""

_AGAIN_S: Final = 1.0
"""The pause before another attempt to open a room."""

_LATER_S: Final = 5.0
"""When to open the first of the rooms in which nothing is due."""

_PAUSE_S: Final = 0.02
"""The time between two of them."""

OLD_SUMMARY: Final = '{"runs": true, "acts": true}'
"""For logs of which no summary says more."""


class Adoption:
    """Takes over the rooms of servers that are gone."""

    def __init__(
        self,
        ownership: Ownership,
        adopt: Callable[[RoomName], Awaitable[None]],
        take: Callable[[RoomName], None],
    ) -> None:
        """Do nothing until `run`.

        Args:
            ownership: claims the rooms.
            adopt: opens a room or event.
            take: called when a room becomes this server's: its clock runs from then on.
        """
        self._ownership = ownership
        self._adopt = adopt
        self._take = take
        self._heaps: tuple[list[tuple[float, RoomName]], ...] = ([], [], [])
        """When each room is to be opened: fallen flags, moves of AIs, the rest."""
        self.waiting: dict[RoomName, bool] = {}
        """The rooms that are still to be opened, and whether each is public."""
        self._changed = asyncio.Event()

    def give_up(self) -> None:
        """Forget all rooms: the lease is lost."""
        self.waiting.clear()
        for heap in self._heaps:
            heap.clear()

    async def take_over(self) -> None:
        """Take all running rooms that have no owner.

        Raises:
            StorageFailed: if the database fails; the next call makes up for it.
        """
        while found := await self._ownership.adopt():
            for name, text, is_public in found:
                self.waiting[name] = is_public
                self._plan(name, json.loads(text or OLD_SUMMARY))
            self._changed.set()

    async def run(self) -> None:
        """Open rooms in time, until cancelled."""
        while True:
            names = self._next()
            if names:
                await asyncio.gather(*map(self._open, names))
                continue
            self._changed.clear()
            first = min((heap[0][0] for heap in self._heaps if heap), default=None)
            try:
                async with asyncio.timeout(None if first is None else max(first - now(), 0.01)):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def _plan(self, name: RoomName, summary: dict[str, Any]) -> None:
        at = now()
        self._take(name)
        if summary.get("acts"):
            order, due = 1, at
        elif (left_ms := summary.get("left")) is not None:
            order, due = 0, at + left_ms / 1000
        else:
            order, due = 2, at + _LATER_S + _PAUSE_S * len(self._heaps[2])
        heapq.heappush(self._heaps[order], (due, name))

    def _next(self) -> list[RoomName]:
        """Take some rooms that are due."""
        names: list[RoomName] = []
        at = now()
        for heap in self._heaps:
            while heap and heap[0][0] <= at and len(names) < _AT_ONCE:
                names.append(heapq.heappop(heap)[1])
        return names

    async def _open(self, name: RoomName) -> None:
        if not self._ownership.has(name):  # given up, or handed on
            self.waiting.pop(name, None)
            return
        try:
            await self._adopt(name)
        except (StorageFailed, Refused) as error:
            logger.warning("room %s: could not be adopted: %s", name, error)
            heapq.heappush(self._heaps[1], (now() + _AGAIN_S, name))
        else:
            self.waiting.pop(name, None)
