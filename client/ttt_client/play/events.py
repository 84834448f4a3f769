"""What is heard and what is typed, in one queue, so that one thing happens after another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ttt_client.net.session import RoomSession, SessionEvent
from ttt_client.terminal.stdin import LineSource

WAITING = 64
"""Happenings that wait to be shown; then the socket waits, and the server skips what it may."""


@dataclass(frozen=True, slots=True)
class Typed:
    line: str


@dataclass(frozen=True, slots=True)
class EndOfInput:
    pass


class EventQueue:
    """The next event, of a session and of a source. LineSource come one at a time."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[SessionEvent | Typed | EndOfInput] = asyncio.Queue(WAITING)
        self._taken = asyncio.Semaphore(0)

    async def get(self) -> SessionEvent | Typed | EndOfInput:
        return await self._queue.get()

    def taken(self) -> None:
        """The line that came last is done with: the next may come."""
        self._taken.release()

    async def listen(self, session: RoomSession) -> None:
        await self._queue.put(await session.run(self._queue.put))

    async def type(self, source: LineSource) -> None:
        while (line := await source.line()) is not None:
            await self._queue.put(Typed(line))
            await self._taken.acquire()
        await self._queue.put(EndOfInput())


@asynccontextmanager
async def open_events(
    session: RoomSession, source: LineSource | None = None
) -> AsyncIterator[EventQueue]:
    """An events that is filled as long as it is open; the session is closed with it."""
    events = EventQueue()
    async with asyncio.TaskGroup() as tasks:
        filling = [tasks.create_task(events.listen(session))]
        if source is not None:
            filling.append(tasks.create_task(events.type(source)))
        try:
            yield events
        finally:
            for task in filling:
                task.cancel()
