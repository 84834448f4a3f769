"""Tasks with an owner: what runs in the background, and is ended with it."""

import asyncio
import logging
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

logger = logging.getLogger(__name__)


class TaskOwner:
    """Starts tasks, logs those that fail, and cancels the rest at its end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        # Whoever caused it is done with it: it is not about their connection any more.
        task = asyncio.create_task(work, context=Context())
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def ended(self) -> None:
        """Waits until nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)

    async def close(self) -> None:
        """Cancels what runs, and waits for its end."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("a task of the server's own failed", exc_info=error)
