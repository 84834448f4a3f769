import asyncio

import pytest
import uvloop

from ttt_server.concurrency import deadlines as module
from ttt_server.concurrency.deadlines import Alarms


async def rung(alarms: Alarms[str], heard: list[str], *expected: str) -> None:
    """Wait until they have rung, in this order, and nothing else."""
    await asyncio.sleep(0.15)
    assert heard == list(expected)
    assert alarms._timer is None


async def test_they_ring_in_the_order_of_their_times() -> None:
    heard: list[str] = []
    alarms = Alarms[str](heard.append)
    alarms.set("late", 0.06)
    alarms.set("soon", 0.01)
    alarms.set("between", 0.03)
    await rung(alarms, heard, "soon", "between", "late")


async def test_one_that_was_cancelled_or_set_anew() -> None:
    heard: list[str] = []
    alarms = Alarms[str](heard.append)
    alarms.set("cancelled", 0.01)
    alarms.set("anew", 0.01)
    alarms.cancel("cancelled")
    alarms.cancel("never set")
    alarms.set("anew", 0.05)
    alarms.set("other", 0.03)
    await rung(alarms, heard, "other", "anew")


async def test_one_that_is_set_as_it_rings() -> None:
    heard: list[str] = []

    def ring(item: str) -> None:
        heard.append(item)
        if len(heard) < 3:
            alarms.set(item, 0)

    alarms = Alarms[str](ring)
    alarms.set("again", 0)
    await rung(alarms, heard, "again", "again", "again")


def test_they_ring_in_a_loop_whose_handles_have_no_time() -> None:
    """uvloop, with which a server runs, gives such a handle for what is due at once."""
    uvloop.run(test_one_that_is_set_as_it_rings())


async def test_what_is_set_anew_without_end_takes_no_more_memory() -> None:
    alarms = Alarms[int](lambda _: None)
    for number in range(10_000):
        alarms.set(number % 3, 60)
    assert len(alarms._heap) < 100
    alarms.clear()
    assert alarms._timer is None
    assert not alarms._heap


async def test_a_far_one_takes_its_place_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AHEAD_S", 0.04)
    heard: list[str] = []
    alarms = Alarms[str](heard.append)
    for item, delay_s in {"last": 0.1, "far": 0.06, "near": 0, "dropped": 0.06}.items():
        alarms.set(item, delay_s)
    assert [item for _, item in alarms._heap] == ["near"]
    alarms.cancel("dropped")
    await rung(alarms, heard, "near", "far", "last")
    alarms.set("after a pause", 0.03)
    await rung(alarms, heard, "near", "far", "last", "after a pause")
