"""Work that runs at the same time, of which the first to end counts."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

T = TypeVar("T")


async def first_of(*ways: Awaitable[T]) -> T:
    """Return what the first of these comes to, and cancel the others."""
    futures = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
        return next(one for one in futures if one in done).result()
    finally:
        await cancelled(*futures)


async def cancelled(*tasks: asyncio.Future[Any]) -> None:
    """Cancel tasks and wait for them; raise a fault of any."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
