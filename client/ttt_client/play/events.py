"""What is heard and what is typed, in one queue, so that one thing happens after another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ttt_client.net.session import Happening, Link
from ttt_client.terminal.stdin import Lines

WAITING = 64
"""Happenings that wait to be shown; then the socket waits, and the server skips what it may."""


@dataclass(frozen=True, slots=True)
class Typed:
    line: str


@dataclass(frozen=True, slots=True)
class EndOfInput:
    pass


class Inbox:
    """The next happening, of a link and of a keyboard. Lines come one at a time."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Happening | Typed | EndOfInput] = asyncio.Queue(WAITING)
        self._taken = asyncio.Semaphore(0)

    async def get(self) -> Happening | Typed | EndOfInput:
        return await self._queue.get()

    def taken(self) -> None:
        """The line that came last is done with: the next may come."""
        self._taken.release()

    async def listen(self, link: Link) -> None:
        await self._queue.put(await link.run(self._queue.put))

    async def type(self, keyboard: Lines) -> None:
        while (line := await keyboard.line()) is not None:
            await self._queue.put(Typed(line))
            await self._taken.acquire()
        await self._queue.put(EndOfInput())


@asynccontextmanager
async def open_inbox(link: Link, keyboard: Lines | None = None) -> AsyncIterator[Inbox]:
    """An inbox that is filled as long as it is open; the link is closed with it."""
    inbox = Inbox()
    async with asyncio.TaskGroup() as tasks:
        filling = [tasks.create_task(inbox.listen(link))]
        if keyboard is not None:
            filling.append(tasks.create_task(inbox.type(keyboard)))
        try:
            yield inbox
        finally:
            for task in filling:
                task.cancel()
