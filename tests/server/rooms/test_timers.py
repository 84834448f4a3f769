"""Games with a clock: flags that fall by themselves, and time that nobody has to pay for."""

import asyncio
from typing import Any

import pytest

from tests.server.examples import DRAW, NOW, REMATCH, TAKEBACK, O
from tests.server.fakes import FragileStore, Silent, Time
from tests.server.hubs import (
    AI_IN_O,
    Hubs,
    TestMember,
    changed,
    join_room,
    refused,
    settle,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Accept, Claim, Fill, Offer, Play, Resign, Say
from ttt_protocol.state import ClockSetting, GivenSettings, RoomName
from ttt_server.rooms import timers
from ttt_server.rooms.hub import Hub
from ttt_server.storage.memory import MemoryStore

MINUTE = GivenSettings(clock=ClockSetting(initial_s=60, increment_s=2))
BLITZ = GivenSettings(clock=ClockSetting(initial_s=0.02))


@pytest.fixture
def time() -> Time:
    return Time(NOW)


@pytest.fixture
async def hub(hubs: Hubs, time: Time) -> Hub:
    return hubs.open(time=time)


def clock(person: TestMember) -> Any:
    """As the newest update or welcome told it."""
    told = [m for m in person.ear.messages if m["type"] in {"update", "welcome"}]
    return told[-1]["room"]["game"]["clock"]


def outcome(person: TestMember) -> Any:
    (ended,) = [event for event in person.ear.events if event["type"] == "ended"]
    return ended["outcome"]["winner"], ended["outcome"]["reason"]


async def test_the_clock_is_told_as_of_sending(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    assert clock(bob) == {"X": 60_000, "O": 60_000, "running": "X"}
    time.passes(1000)
    eve = await spectate(hub)
    assert clock(eve) == {"X": 59_000, "O": 60_000, "running": "X"}
    time.passes(500)
    await ada.plays(4)
    assert clock(bob) == {"X": 60_500, "O": 60_000, "running": "O"}
    assert bob.ear.events[-1]["clock"] == {"X": 60_500, "O": 60_000}


async def test_a_clock_of_an_ended_game_stands_still(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, 4, settings=MINUTE)
    time.passes(700)
    await ada.says(Resign(game=1))
    stopped = {"X": 62_000, "O": 59_300, "running": None}
    assert clock(ada) == stopped
    assert ada.ear.events[-1]["clock"] == {"X": 62_000, "O": 59_300}
    time.passes(10**9)
    assert clock(await spectate(hub)) == stopped


async def test_a_flag_falls_by_itself(hubs: Hubs) -> None:
    ada, bob = await two_players(hubs.open(), settings=BLITZ)
    for person in (ada, bob):
        await person.ear.learns("ended")
        assert outcome(person) == ("O", "timeout")
    assert bob.ear.events[-1]["clock"]["X"] == 0
    assert bob.ear.of("update")[-1]["room"]["score"] == {"X": 0, "O": 1, "draws": 0}


async def test_the_flag_of_the_other_side(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, 4, settings=BLITZ)
    time.passes(20)
    await ada.ear.learns("ended")
    assert outcome(ada) == ("X", "timeout")


async def test_a_move_puts_the_flag_off(hub: Hub) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    live = ada.member.live
    before = live.timers._handles["flag"].when()
    await ada.plays(4)
    assert live.timers._handles["flag"].when() != before
    await bob.says(Resign(game=1))
    assert "flag" not in live.timers


async def test_in_a_room_that_was_left_the_flag_falls_too(hubs: Hubs) -> None:
    store = MemoryStore()
    hub = hubs.open(store, room_idle_s=0.001)
    ada, bob = await two_players(hub, settings=BLITZ)
    ada.exits()
    bob.exits()
    await changed(hub, lambda: not hub.registry.all)
    assert [event.type for event in await load(store, ada.member.live.room.name)][-1] == "ended"


@pytest.mark.parametrize("late", [0, 1, 10**6])
async def test_a_move_after_the_flag_has_fallen_is_too_late(
    hub: Hub, time: Time, late: int
) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    time.passes(60_000 + late)
    assert await refused(ada.plays(4)) is RefusalCode.GAME_OVER
    assert ada.ear.kinds[-1] == bob.ear.kinds[-1] == "ended"
    assert outcome(bob) == ("O", "timeout")
    assert ada.member.live.state.game is not None, "which the refusal shows"
    assert ada.member.live.room.game is not None
    assert ada.member.live.room.game.outcome is not None


async def test_a_move_in_the_last_moment_is_not(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    time.passes(59_999)
    await ada.plays(4)
    assert clock(bob) == {"X": 2001, "O": 60_000, "running": "O"}


@pytest.mark.parametrize(
    "command", [Resign(game=1), Offer(kind=DRAW), Offer(kind=TAKEBACK), Claim(game=1)]
)
async def test_whatever_comes_after_the_flag_finds_the_game_over(
    hub: Hub, time: Time, command: Any
) -> None:
    ada, bob = await two_players(hub, 4, 0, settings=MINUTE)
    time.passes(62_000)
    assert await refused(ada.says(command)) is RefusalCode.GAME_OVER
    assert outcome(bob) == ("O", "timeout")


async def test_what_is_no_move_may_come_after_the_flag(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    time.passes(60_000)
    await ada.says(Offer(kind=REMATCH))
    assert bob.ear.kinds[-2:] == ["ended", "offered"]
    await bob.says(Accept(kind=REMATCH))
    assert clock(ada) == {"X": 60_000, "O": 60_000, "running": "X"}, "a fresh clock"


async def test_a_move_sent_again_after_the_flag_was_still_made(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4, settings=MINUTE)
    time.passes(60_000)
    await ada.says(Play(game=1, ply=0, cell=4))
    assert ada.ear.of("update")[-1]["events"] == []
    assert outcome(bob) == ("X", "timeout")


async def test_the_flag_falls_when_the_store_can_write_again(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(timers, "RETRY_S", 0)
    store = FragileStore()
    ada, _ = await two_players(hubs.open(store), settings=BLITZ)
    store.failures = 2
    await ada.ear.learns("ended")
    assert outcome(ada) == ("O", "timeout")
    assert {record.exc_info for record in caplog.records} == {None}
    assert [record.name for record in caplog.records].count("ttt_server.rooms.timers") == 2


async def test_a_timer_that_goes_off_early_is_set_again(hub: Hub) -> None:
    ada, _ = await two_players(hub, settings=MINUTE)
    live = ada.member.live
    live.timers.cancel("flag")
    await settle(hub, live)
    assert "flag" in live.timers
    assert "ended" not in ada.ear.kinds


async def test_time_while_the_server_was_down_is_charged_to_nobody(hubs: Hubs, time: Time) -> None:
    store = MemoryStore()
    ada, bob = await two_players(hubs.open(store, time=time), settings=MINUTE)
    time.passes(10_000)
    await ada.plays(4)
    time.passes(3000)
    await bob.says(Offer(kind=DRAW))
    time.passes(10**6)
    later = hubs.open(store, time=time.again())
    again = await join_room(later, token=bob.token)
    assert clock(again) == {"X": 52_000, "O": 57_000, "running": "O"}, "as of the last event"
    time.passes(1000)
    await again.plays(0)
    assert clock(again) == {"X": 52_000, "O": 58_000, "running": "X"}


async def test_the_flag_falls_after_a_restart(hubs: Hubs) -> None:
    store, time = MemoryStore(), Time(NOW)
    hub = hubs.open(store, time=time)
    await two_players(hub, settings=BLITZ)
    await hub.close()
    eve = await spectate(hubs.open(store, room_abandon_s=10**9))
    await eve.ear.learns("ended")
    assert outcome(eve) == ("O", "timeout")


@pytest.mark.parametrize("ms", [3_600_000, -3_600_000])
async def test_a_jump_of_the_machines_clock_is_given_back(hub: Hub, time: Time, ms: int) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    other = await join_room(hub, "eve", room="lair", settings=MINUTE)
    joe = await join_room(hub, "joe", room="lair")
    time.passes(1000)
    time.jumps(ms)
    await ada.plays(4)
    assert clock(bob) == {"X": 61_000, "O": 60_000, "running": "O"}
    assert bob.ear.events[-1]["at"] == NOW + 1000 + ms
    time.passes(500)
    await other.plays(4)
    assert clock(joe) == {"X": 60_500, "O": 60_000, "running": "O"}


async def test_a_takeback_gives_no_time_and_takes_the_increment(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    time.passes(10_000)
    await ada.plays(4)
    time.passes(5000)
    await ada.says(Offer(kind=TAKEBACK))
    await bob.says(Accept(kind=TAKEBACK))
    assert clock(bob) == {"X": 50_000, "O": 55_000, "running": "X"}


async def test_an_ai_knows_what_it_has_left_and_loses_by_its_flag(hubs: Hubs, time: Time) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner, time=time)
    ada = await join_room(hub, settings=MINUTE.model_copy(update={"seats": AI_IN_O.seats}))
    await ada.plays(4)
    await runner.asked.wait()
    assert runner.left_s == 60
    time.passes(60_000)
    await settle(hub, ada.member.live)
    runner.may_speak.set()
    await asyncio.gather(*hub._tasks._running)
    assert outcome(ada) == ("X", "timeout")
    assert ada.ear.kinds.count("played") == 1, "its move came too late"


async def test_without_a_clock_an_ai_has_no_time_to_think_of(hubs: Hubs) -> None:
    runner = Silent()
    ada = await join_room(hubs.open(runner=runner), settings=AI_IN_O)
    await ada.plays(4)
    await runner.asked.wait()
    assert runner.left_s is None


async def test_chat_and_a_seat_that_is_filled_do_not_touch_the_clock(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE.model_copy(update={"grace_s": 1}))
    bob.exits()
    time.passes(5000)
    await ada.says(Say(text="hello?"))
    await ada.says(Fill(seat=O, strategy="random"))
    assert clock(ada) == {"X": 55_000, "O": 60_000, "running": "X"}


@pytest.mark.parametrize("ms", [3_600_000, -3_600_000])
async def test_a_jump_makes_nobody_gone_for_longer_or_for_less(
    hub: Hub, time: Time, ms: int
) -> None:
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(59_000)
    time.jumps(ms)
    assert await refused(ada.says(Claim(game=1))) is RefusalCode.TOO_EARLY
    time.passes(2000)
    await ada.says(Claim(game=1))


@pytest.mark.parametrize("is_seen", [True, False])
@pytest.mark.parametrize("is_in_memory", [True, False])
async def test_a_jump_leaves_no_game_behind(
    hubs: Hubs, time: Time, *, is_seen: bool, is_in_memory: bool
) -> None:
    hub = hubs.open(time=time, room_abandon_s=86_400)
    ada, bob = await two_players(hub, 4)
    ada.exits()
    bob.exits()
    if not is_in_memory:
        hub.eviction._forget(ada.member.live)
        assert not hub.registry.all
    time.passes(1000)
    time.jumps(30 * 86_400_000)
    if is_seen:
        hub.registry.now()
    again = await join_room(hub, token=ada.token)
    assert again.ear.of("welcome")[0]["room"]["status"] == "playing"


async def test_a_flag_is_set_by_the_clock_after_its_jump(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, settings=MINUTE)
    time.jumps(-3_600_000)
    hub.timers.arm(ada.member.live)
    timer = ada.member.live.timers._handles["flag"]
    assert timer.when() - asyncio.get_running_loop().time() <= 60


async def test_time_that_is_given_back_is_told_and_may_be_taken_again(hub: Hub, time: Time) -> None:
    _, bob = await two_players(hub, settings=MINUTE)
    time.passes(5000)
    hub.timers.give(bob.member.live.room.name, 4000)
    assert clock(bob)["X"] == 59_000
    hub.timers.give(bob.member.live.room.name, -3000)
    assert clock(bob)["X"] == 56_000


async def test_time_is_given_to_no_room_that_is_not_in_memory(hub: Hub) -> None:
    hub.timers.give(RoomName("attic"), 4000)
    assert hub.registry.get(RoomName("attic")) is None


async def heard_of_sleep(person: TestMember) -> dict[str, Any]:
    await person.ear.learns("slept")
    (event,) = [each for each in person.ear.events if each["type"] == "slept"]
    return event


async def test_time_asleep_is_given_back_and_told(
    hubs: Hubs, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    store = MemoryStore()
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, settings=MINUTE)
    idle, _ = await two_players(hub, 4, room="idle")
    time.clock.look()
    time.passes(90_000)
    time.clock.look()
    event = await heard_of_sleep(bob)
    assert (event["game"], event["seat"], event["given_back_ms"]) == (1, "X", 88_000)
    assert event["clock"] == {"X": 58_000, "O": 60_000}
    assert clock(ada) == {"X": 58_000, "O": 60_000, "running": "X"}
    assert "slept" not in idle.ear.kinds, "no clock runs there"
    assert [each.getMessage() for each in caplog.records] == [
        "the server slept: 88000 ms were given back to each running clock"
    ]
    await ada.plays(4)
    assert clock(bob) == {"X": 60_000, "O": 60_000, "running": "O"}
    time.passes(1000)
    again = hubs.open(store, time=time.again())
    assert clock(await spectate(again)) == {"X": 60_000, "O": 60_000, "running": "O"}


async def test_what_was_given_back_counts_the_same_after_a_restart(hubs: Hubs, time: Time) -> None:
    store = MemoryStore()
    _, bob = await two_players(hubs.open(store, time=time), settings=MINUTE)
    time.clock.look()
    time.passes(90_000)
    time.clock.look()
    await heard_of_sleep(bob)
    again = hubs.open(store, time=time.again())
    assert clock(await spectate(again)) == {"X": 58_000, "O": 60_000, "running": "X"}


async def test_a_move_may_notice_the_sleep(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, settings=MINUTE)
    time.clock.look()
    time.passes(90_000)
    await ada.plays(4)
    assert clock(bob) == {"X": 60_000, "O": 60_000, "running": "O"}
    event = await heard_of_sleep(bob)
    assert (event["seat"], event["clock"]) == ("X", {"X": 60_000, "O": 60_000})


async def test_a_room_that_went_meanwhile_is_not_told(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, settings=MINUTE)
    time.clock.look()
    time.passes(90_000)
    time.clock.look()
    hub.eviction.give_up()  # the lease is over
    for _ in range(9):
        await asyncio.sleep(0)
    assert "slept" not in ada.ear.kinds


async def test_a_game_that_ended_meanwhile_is_not_told(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, settings=MINUTE)
    time.clock.look()
    time.passes(90_000)
    await ada.says(Resign(game=1))
    for _ in range(9):
        await asyncio.sleep(0)
    assert ada.ear.events[-1]["type"] == "ended"
    assert ada.ear.events[-1]["clock"] == {"X": 58_000, "O": 60_000}


async def test_a_flag_that_fell_in_the_2_s_has_fallen(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=2)))
    time.clock.look()
    time.passes(90_000)
    time.clock.look()
    await ada.ear.learns("ended")
    assert outcome(ada) == ("O", "timeout")
    assert "slept" not in ada.ear.kinds
