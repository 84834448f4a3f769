"""Tasks with an owner, which end with it, and what they wait for: callbacks, limits of time."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

Done = Callable[[BaseException | None], None]
"""Takes the outcome of a task: `None`, its exception, or `CancelledError`."""


class TaskOwner:
    """Starts tasks, logs their failures, and cancels the rest in the end."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T], then: Done | None = None) -> asyncio.Task[T]:
        """Run `work` in a task with a log context of its own.

        Args:
            work: what to run.
            then: called once with the outcome. It handles a failure, which is not logged here.
        """
        task = asyncio.create_task(work, context=Context())
        self._running.add(task)
        task.add_done_callback(self._ended if then is None else partial(self._hand_on, then))
        return task

    async def ended(self) -> None:
        """Wait until no task runs."""
        while self._running:
            await asyncio.wait(self._running)

    async def close(self) -> None:
        """Cancel all tasks, and any that these start as they end, and wait for them."""
        while self._running:
            for task in self._running:
                task.cancel()
            await asyncio.wait(self._running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("a task failed", exc_info=error)

    def _hand_on(self, then: Done, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        then(asyncio.CancelledError() if task.cancelled() else task.exception())


class CallbackFuture:
    """A future for an outcome: `None`, or an error. `settle` is the callback."""

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle(self, error: BaseException | None) -> None:
        """Settle the future, unless the task that waited was cancelled."""
        if self.future.done():
            return
        if error is None:
            self.future.set_result(None)
        elif isinstance(error, asyncio.CancelledError):
            self.future.cancel()
        else:
            self.future.set_exception(error)


class TimeLimit:
    """A time limit on the loop's clock. It runs from the first question."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._began: float | None = None

    def by(self, share: float) -> float:
        """Return the time at which this share of the limit is over."""
        if self._began is None:
            self._began = asyncio.get_running_loop().time()
        return self._began + self._limit_s * share


async def ends_by(deadline: float, work: Coroutine[Any, Any, object]) -> bool:
    """Run `work` until it ends: True; or until `deadline` on the loop's clock: False."""
    try:
        async with asyncio.timeout_at(deadline):
            await work
    except TimeoutError:
        return False
    return True
