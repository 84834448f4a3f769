"""The events of a session and the lines of an input, in order, in one queue."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ttt_client.net.session import Session, SessionEvent
from ttt_client.terminal.stdin import LineSource

WAITING = 64
"""Most events in the queue; then the socket waits, and the server may skip states."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line of the input."""

    line: str


@dataclass(frozen=True, slots=True)
class EndOfInput:
    """The end of the input: no line follows."""


class EventQueue:
    """The next event of a session or of an input. Lines come one at a time."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[SessionEvent | Typed | EndOfInput] = asyncio.Queue(WAITING)
        self._taken = asyncio.Semaphore(0)

    async def get(self) -> SessionEvent | Typed | EndOfInput:
        return await self._queue.get()

    def taken(self) -> None:
        """Ask for the next line."""
        self._taken.release()

    async def listen(self, session: Session) -> None:
        """Queue the events of `session`, with its end as the last."""
        await self._queue.put(await session.run(self._queue.put))

    async def type(self, source: LineSource) -> None:
        """Queue the lines of `source`, each after the one before was taken."""
        while (line := await source.line()) is not None:
            await self._queue.put(Typed(line))
            await self._taken.acquire()
        await self._queue.put(EndOfInput())


@asynccontextmanager
async def open_events(
    session: Session, source: LineSource | None = None
) -> AsyncIterator[EventQueue]:
    """Open a queue that fills until the block ends; then the session is closed too."""
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


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do `work` while the block runs."""
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(work)
        try:
            yield
        finally:
            working.cancel()
