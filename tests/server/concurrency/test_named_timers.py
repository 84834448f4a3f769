import asyncio

from ttt_server.concurrency.deadlines import NamedTimers


async def test_a_timer_takes_the_place_of_an_earlier_one() -> None:
    timers = NamedTimers()
    called: list[str] = []
    timers.set(0, "flag", called.append, "first")
    timers.set(0, "flag", called.append, "second")
    timers.set(0, "idle", called.append, "third")
    assert "flag" in timers
    await asyncio.sleep(0.001)
    assert called == ["second", "third"]
    assert "flag" not in timers
    timers.set(0, "flag", called.append, "fourth")
    timers.cancel("flag")
    timers.cancel("flag")
    await asyncio.sleep(0.001)
    assert len(called) == 2


async def test_closing_drops_all_timers() -> None:
    timers = NamedTimers()
    timers.set(60, "presence", lambda: None)
    handle = timers._handles["presence"]
    timers.close()
    assert handle.cancelled()
    assert "presence" not in timers
