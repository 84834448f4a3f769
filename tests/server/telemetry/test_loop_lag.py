import asyncio
import time

import pytest

from ttt_server.telemetry import counters as module
from ttt_server.telemetry.counters import LoopLag


async def seen(lag: LoopLag) -> int:
    """How often it has looked; waits until it has."""
    async with asyncio.timeout(60):
        while not (count := int(lag.observed.buckets[-1][1])):  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0)
    return count


async def test_a_loop_that_is_held_up_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0.01)
    lag = LoopLag()
    lag.start()
    time.sleep(0.06)  # noqa: ASYNC251 - that holds it up
    await seen(lag)
    assert lag.observed.sum >= 0.05
    lag.close()


async def test_it_goes_on_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    lag = LoopLag()
    lag.close()
    lag.start()
    assert await seen(lag)
    assert lag._timer is not None
    lag.close()
    assert lag._timer.cancelled()


async def test_it_tells_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INTERVAL_S", 0)
    looks: list[int] = []
    lag = LoopLag(lambda: looks.append(1))
    lag.start()
    assert looks, "at the start"
    assert await seen(lag) < len(looks)
    lag.close()
