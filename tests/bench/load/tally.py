"""What a load has seen, while somebody measures."""

import asyncio
import math
from dataclasses import dataclass, field
from typing import Any, Final

PATIENCE_S: Final = 20.0
"""So long may an answer take on a busy machine."""

_FAULTS_TOLD: Final = 5


@dataclass
class Tally:
    """Counts between two instants of `time.monotonic`, which all processes share."""

    begin: float = math.inf
    end: float = -math.inf
    moves: int = 0
    deliveries: int = 0
    """Updates with a move that reached somebody."""
    rooms: int = 0
    """Made and filled."""
    times: dict[str, list[int]] = field(default_factory=dict)
    """Microseconds, by what was waited for."""
    faults: list[str] = field(default_factory=list)
    _busy: int = 0
    _rested: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self, begin: float, end: float, busy: int) -> None:
        """Counts anew; so many will rest when it is over."""
        self.begin, self.end, self._busy = begin, end, busy
        self.moves = self.deliveries = self.rooms = 0
        self.times = {}
        self._rested.clear()

    def is_over(self, now: float) -> bool:
        return now >= self.end

    def counts(self, now: float) -> bool:
        return self.begin <= now < self.end

    def took(self, what: str, seconds: float) -> None:
        self.times.setdefault(what, []).append(round(seconds * 1e6))

    def fault(self, what: str) -> None:
        self.faults.append(what)

    def rest(self) -> None:
        """One of the busy ones has stopped."""
        self._busy -= 1
        if not self._busy:
            self._rested.set()

    async def all_rest(self) -> None:
        """Returns when they do; those that do not in time are a fault."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._rested.wait()
        except TimeoutError:
            self.fault(f"{self._busy} rooms had no answer in {PATIENCE_S:g} s")

    def told(self) -> dict[str, Any]:
        """All counts since `start`, and the faults since they were last told."""
        faults, self.faults = self.faults, []
        return {
            "moves": self.moves,
            "deliveries": self.deliveries,
            "rooms": self.rooms,
            "times": self.times,
            "faults": len(faults),
            "first_faults": [fault[:300] for fault in faults[:_FAULTS_TOLD]],
        }
