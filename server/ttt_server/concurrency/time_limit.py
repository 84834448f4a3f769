"""A time limit shared by several steps in a row."""

import asyncio
from collections.abc import Coroutine
from typing import Any


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


async def ends_by(deadline: float, work: Coroutine[Any, Any, None]) -> bool:
    """Run `work` until it ends: True; or until `deadline` on the loop's clock: False."""
    try:
        async with asyncio.timeout_at(deadline):
            await work
    except TimeoutError:
        return False
    return True
