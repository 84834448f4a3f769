"""The list of public rooms, kept as JSON and refreshed at most once a second."""

import asyncio
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Final, NamedTuple, Protocol

from ttt_protocol.codec import encode_message
from ttt_protocol.state import RoomName, Summary

INTERVAL_S = 1.0
"""The least time between two refreshes."""

STEP = 32
"""Rooms the loop encodes at once, in about 0.5 ms."""

_MOST_MARKS: Final = 50_000
"""Rooms that may have changed before a list without readers is refreshed."""


class RoomSource(Protocol):
    """The rooms, as the list sees them."""

    def summary(self, name: RoomName) -> Summary | None:
        """Return a room's entry; `None` if it is not listed."""

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose summary may have changed."""


News = Mapping[RoomName, bytes | None]
"""The entries changed by a refresh, as JSON; `None` for rooms no longer listed."""


class Page(NamedTuple):
    """A part of the list."""

    rooms: list[bytes]
    """Each as JSON, by name."""
    after: RoomName | None
    """The name after which the next page begins; `None` on the last page."""


class PublicRooms:
    """The list, by name. A refresh encodes the rooms that may have changed since the last."""

    def __init__(self, source: RoomSource) -> None:
        self._source = source
        self._names: list[RoomName] = []
        """The names of the listed rooms, in order."""
        self._encoded: dict[RoomName, bytes] = {}
        self._marked: set[RoomName] = set()
        """Rooms that may have changed since the last refresh began."""
        self._pending: list[RoomName] = []
        """Rooms that the refresh under way has yet to encode."""
        self._news: dict[RoomName, bytes | None] = {}
        """The changes found by this refresh."""
        self._waiting: list[Callable[[], None]] = []
        self._subscribers: list[Callable[[News], None]] = []
        self._refreshed_at = -math.inf
        """When the last refresh began, on the loop's clock."""
        self._is_kept_fresh = False
        self._next: asyncio.Handle | None = None
        """The next refresh, or the next step of the one under way."""
        self._start = token_hex(8)
        self._version = 0
        source.subscribe(self._mark)

    @property
    def tag(self) -> str:
        """A strong `ETag` for any part of the list; each change gives another."""
        return f'"{self._start}-{self._version}"'

    def all(self) -> list[bytes]:
        """Return all rooms as JSON, by name."""
        return [self._encoded[name] for name in self._names]

    def page(self, after: RoomName | None, most: int) -> Page:
        """Return up to `most` rooms, from the first or after a name."""
        first = 0 if after is None else bisect_right(self._names, after)
        names = self._names[first : first + most]
        is_last = first + most >= len(self._names)
        return Page([self._encoded[name] for name in names], None if is_last else names[-1])

    def subscribe(self, call: Callable[[News], None]) -> None:
        """Call `call` after each refresh that changed something."""
        self._subscribers.append(call)

    def freshen(self, then: Callable[[], None]) -> None:
        """Call `then` once the list is less than a second old, at once if it is."""
        if not self._pending and not self._is_due:
            then()
            return
        self._waiting.append(then)
        if not self._pending:
            self._refresh()

    async def fresh(self) -> None:
        """Wait until the list is less than a second old."""
        is_fresh = asyncio.Event()
        self.freshen(is_fresh.set)
        await is_fresh.wait()

    def keep_fresh(self, *, is_wanted: bool) -> None:
        """Refresh the list by itself from now on, or only on request."""
        self._is_kept_fresh = is_wanted
        self._arm()

    def close(self) -> None:
        """Stop refreshing."""
        self._is_kept_fresh = False
        if self._next is not None:
            self._next.cancel()

    @property
    def _is_due(self) -> bool:
        return bool(self._marked) and _now() >= self._refreshed_at + INTERVAL_S

    def _mark(self, name: RoomName) -> None:
        if name in self._marked:
            return  # as nearly always during a game
        self._marked.add(name)
        if self._next is None:
            self._arm()

    def _arm(self) -> None:
        """Schedule a refresh, if one is wanted."""
        is_wanted = self._is_kept_fresh or len(self._marked) > _MOST_MARKS
        if self._next is None and self._marked and is_wanted:
            loop = asyncio.get_running_loop()
            self._next = loop.call_at(self._refreshed_at + INTERVAL_S, self._refresh)

    def _refresh(self) -> None:
        if self._next is not None:
            self._next.cancel()
        self._refreshed_at = _now()
        self._pending, self._marked = list(self._marked), set()
        self._step()

    def _step(self) -> None:
        """Encode some rooms, and the rest in later rounds of the loop."""
        names, self._pending = self._pending[:STEP], self._pending[STEP:]
        for name in names:
            summary = self._source.summary(name)
            self._put(name, None if summary is None else encode_message(summary))
        if self._pending:
            self._next = asyncio.get_running_loop().call_soon(self._step)
        else:
            self._next = None
            self._finish()

    def _put(self, name: RoomName, encoded: bytes | None) -> None:
        before = self._encoded.get(name)
        if encoded == before:
            return
        if encoded is None:
            del self._encoded[name]
            del self._names[bisect_left(self._names, name)]
        else:
            self._encoded[name] = encoded
            if before is None:
                self._names.insert(bisect_left(self._names, name), name)
        self._news[name] = encoded
        self._version += 1

    def _finish(self) -> None:
        news, self._news = self._news, {}
        waiting, self._waiting = self._waiting, []
        self._arm()
        if news:
            for tell in self._subscribers:
                tell(news)
        for then in waiting:
            then()


def _now() -> float:
    return asyncio.get_running_loop().time()
