"""How rooms end: left unfinished, left for good, out of memory."""

import asyncio

import pytest

from tests.server.examples import NAME, NOW, REMATCH, X
from tests.server.fakes import FragileStore, Silent, Time
from tests.server.hubs import (
    AI_IN_O,
    TWO_AIS,
    Hubs,
    TestMember,
    changed,
    join_room,
    public_rooms,
    refused,
    settle,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Accept, Leave, Offer
from ttt_protocol.state import ClockSetting, GivenSettings, Human, Mark, SessionId, Settings, Status
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.seating import create
from ttt_server.rooms import eviction
from ttt_server.rooms.hub import Hub
from ttt_server.storage.base import StorageFailed

DAY = 86_400_000
ABANDONED = {"winner": None, "reason": "abandonment", "line": None}


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


@pytest.fixture
def time() -> Time:
    return Time(NOW)


async def all_go(*people: TestMember) -> None:
    for person in people:
        person.exits()


async def kinds(store: FragileStore) -> list[str]:
    return [event.type for event in await load(store, NAME)]


async def quiet(hub: Hub) -> None:
    """Waits until no room does anything by itself."""
    while hub._tasks._running:
        await asyncio.wait(hub._tasks._running, timeout=10)


async def two_rooms_are_left(hub: Hub) -> TestMember:
    """The "first", by whom is returned, and then the "second"."""
    first, second = await join_room(hub, room="first"), await join_room(hub, room="second")
    await all_go(first, second)
    return first


async def one_leaves(hub: Hub) -> TestMember:
    """Whoever made the room: nobody sits there any more, and nothing was played."""
    ada = await join_room(hub)
    await ada.says(Leave())
    ada.exits()
    return ada


async def crowd_out(hub: Hub, time: Time) -> tuple[TestMember, TestMember]:
    """A left game is to be ended, and the server is full; one of its players, and who is there."""
    ada, bob = await two_players(hub, 4)
    await all_go(ada, bob)
    hub.eviction._forget(ada.member.live)
    other = await join_room(hub, room="lair")
    time.passes(DAY)
    hub.eviction._abandon(NAME)
    return ada, other


class TestAbandoned:
    async def test_after_a_while_a_left_game_is_ended(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, room_abandon_s=0.001)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        await changed(hub, lambda: ada.member.live.room.status is Status.FINISHED)
        assert (await kinds(store))[-1] == "ended"
        again = await join_room(hub, token=ada.token)
        state = again.ear.of("welcome")[0]["room"]
        assert state["game"]["outcome"] == ABANDONED
        assert state["score"] == {"X": 0, "O": 0, "draws": 0}, "nobody's, and no draw"

    async def test_a_long_time_later_it_is_ended_when_someone_comes(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, _ = await two_players(hub, 4)
        await hub.close()
        later = hubs.open(store, time=time.again(), room_abandon_s=86_400)
        time.passes(DAY)
        again = await join_room(later, token=ada.token)
        assert again.ear.of("welcome")[0]["room"]["game"]["outcome"] == ABANDONED
        assert not again.ear.kinds, "the welcome has it all"
        await again.says(Offer(kind=REMATCH))

    async def test_nobody_has_left_while_there_was_no_server(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        await two_players(hub, 4)
        time.passes(DAY * 2)  # they think
        await hub.close()
        time.passes(DAY * 3)
        later = hubs.open(store, time=time.again(), room_abandon_s=86_400)
        time.jumps(DAY * 4)  # it was set, or has slept
        time.passes(DAY - 1)
        visitor = await spectate(later)
        visitor.exits()
        assert visitor.ear.of("welcome")[0]["room"]["status"] == "playing"
        time.passes(DAY)
        back = await spectate(later)
        assert back.ear.of("welcome")[0]["room"]["game"]["outcome"] == ABANDONED

    async def test_the_clock_may_be_set_while_the_server_starts(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time)
        await two_players(hub, 4)
        await hub.close()
        time.again().jumps(DAY * 4)
        later = hubs.open(store, time=time, room_abandon_s=86_400)
        time.passes(DAY)
        eve = await spectate(later)
        assert eve.ear.of("welcome")[0]["room"]["game"]["outcome"] == ABANDONED

    @pytest.mark.parametrize("is_loaded", [True, False])
    async def test_before_that_it_waits(
        self, hubs: Hubs, store: FragileStore, time: Time, is_loaded: bool
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        time.passes(DAY - 1)
        if is_loaded:
            await hub.close()
            hub = hubs.open(store, time=time.again(), room_abandon_s=86_400)
        again = await join_room(hub, token=bob.token)
        assert again.ear.of("welcome")[0]["room"]["status"] == "playing"

    async def test_it_counts_from_when_the_last_one_went(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        time.passes(DAY * 3)
        await all_go(ada, bob)
        time.passes(DAY - 1)
        again = await join_room(hub, token=bob.token)
        assert again.ear.of("welcome")[0]["room"]["status"] == "playing"

    async def test_while_one_is_here_it_is_not_left(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, _ = await two_players(hub, 4)
        ada.exits()
        assert not hub.eviction._left
        time.passes(DAY * 9)
        await settle(hub, ada.member.live)
        assert ada.member.live.room.status is Status.PLAYING

    async def test_whoever_comes_puts_it_off(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        assert set(hub.eviction._left) == {NAME}
        await join_room(hub, token=ada.token)
        assert not hub.eviction._left

    async def test_out_of_memory_it_is_still_known_when_it_was_left(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_idle_s=0, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        time.passes(DAY * 3)
        await all_go(ada, bob)
        await changed(hub, lambda: not hub.registry.all)
        time.passes(DAY - 1)
        again = await join_room(hub, token=bob.token)
        assert again.ear.of("welcome")[0]["room"]["status"] == "playing"

    async def test_players_who_have_never_come_are_away_since_the_room_was_made(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        """A tournament seats players before they come, on a server that has run for long."""
        hub = hubs.open(store, time=time)
        time.passes(DAY)
        players = {mark: Human(id=SessionId(mark.lower()), name=mark) for mark in Mark}
        await hub.upkeep.change(
            NAME, lambda room, now: create(room.name, Settings(), now, host=NO_HOST, humans=players)
        )
        made = time.now
        time.passes(1000)
        visitor = await spectate(hub)
        seats = visitor.ear.of("welcome")[0]["room"]["seats"]
        assert [seats[mark]["away_since"] for mark in Mark] == [made, made]

    async def test_out_of_memory_it_is_ended_all_the_same(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_idle_s=0, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        await changed(hub, lambda: not hub.registry.all)
        time.passes(DAY)
        hub.eviction._abandon(NAME)  # as the timer will
        await quiet(hub)
        assert (await kinds(store))[-1] == "ended"
        await changed(hub, lambda: not hub.registry.all)

    async def test_a_timer_that_goes_off_early_is_not_the_last(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        time.passes(DAY - 1)
        hub.eviction._ends.cancel(NAME)  # it has gone off
        hub.eviction._abandon(NAME)
        await quiet(hub)
        assert ada.member.live.room.status is Status.PLAYING
        assert NAME in hub.eviction._ends
        time.passes(1)
        await changed(hub, lambda: ada.member.live.room.status is Status.FINISHED)

    async def test_a_server_that_has_closed_ends_none(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        await hub.close()
        assert NAME not in hub.eviction._ends

    async def test_a_room_with_an_ai_to_move_is_not_abandoned(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, runner=Silent(), time=time)
        ada = await join_room(hub, settings=AI_IN_O)
        await ada.plays(4)
        ada.exits()
        time.passes(DAY * 9)
        await settle(hub, ada.member.live)
        assert ada.member.live.room.status is Status.PLAYING

    async def test_it_is_tried_again_when_the_store_fails(
        self, hubs: Hubs, store: FragileStore, time: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(eviction, "AGAIN_S", 0.001)
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        time.passes(DAY)
        store.failures = 1
        hub.eviction._abandon(NAME)
        await changed(hub, lambda: ada.member.live.room.status is Status.FINISHED)
        assert not hub.eviction._left

    async def test_it_is_once_the_ai_has_moved(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        runner = Silent()
        hub = hubs.open(store, runner=runner, time=time, room_abandon_s=0.001)
        ada = await join_room(hub, settings=AI_IN_O)
        await ada.plays(4)
        ada.exits()
        assert not hub.eviction._left
        runner.may_speak.set()
        await changed(hub, lambda: ada.member.live.room.ai_to_move is None)
        time.passes(1)
        await changed(hub, lambda: ada.member.live.room.status is Status.FINISHED)

    async def test_a_game_that_begins_when_both_have_gone_is(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, room_abandon_s=0.001)
        ada, bob = await two_players(hub, 0, 3, 1, 4, 2)
        await ada.says(Offer(kind=REMATCH))
        ada.exits()
        store.hold()
        accepting = asyncio.ensure_future(bob.says(Accept(kind=REMATCH)))
        await store.next_write()
        bob.exits()
        store.gate.set()
        await accepting
        live = ada.member.live
        await changed(hub, lambda: live.room.game is not None and live.room.game.number == 2)
        await changed(hub, lambda: live.room.status is Status.FINISHED)
        assert live.room.game is not None
        assert live.room.game.number == 2

    async def test_an_ai_that_waits_for_its_human_is(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time)
        ada = await join_room(hub, settings=AI_IN_O)
        ada.exits()
        time.passes(DAY * 9)
        await settle(hub, ada.member.live)
        assert ada.member.live.room.status is Status.FINISHED

    async def test_a_room_that_waits_or_is_finished_has_no_game_to_end(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time)
        ada = await join_room(hub)
        eve, joe = await two_players(hub, 0, 3, 1, 4, 2, room="lair")
        await all_go(ada, eve, joe)
        time.passes(DAY * 9)
        for person in (ada, eve):
            room = person.member.live.room
            await settle(hub, person.member.live)
            assert person.member.live.room is room

    async def test_a_clock_does_not_win_a_game_that_all_have_left_long_ago(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        week = GivenSettings(clock=ClockSetting(initial_s=7 * 86_400))
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4, settings=week)
        await all_go(ada, bob)
        time.passes(DAY)
        await settle(hub, ada.member.live)
        assert ada.member.live.room.game is not None
        assert ada.member.live.room.game.outcome is not None
        assert ada.member.live.room.game.outcome.winner is None
        assert "flag" not in ada.member.live.timers

    async def test_it_is_tried_again_when_the_server_was_full(
        self, hubs: Hubs, store: FragileStore, time: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(eviction, "AGAIN_S", 0.001)
        hub = hubs.open(store, time=time, max_rooms=1, room_abandon_s=86_400)
        _, other = await crowd_out(hub, time)
        other.exits()
        hub.eviction._forget(other.member.live)
        await changed(hub, lambda: not hub.eviction._left)
        assert (await kinds(store))[-1] == "ended"

    async def test_a_full_server_leaves_it_to_the_next_who_comes(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, max_rooms=1, room_abandon_s=86_400)
        ada, other = await crowd_out(hub, time)
        await quiet(hub)
        assert (await kinds(store))[-1] == "played"
        assert set(hub.eviction._left) == {NAME}, "or to the next time"
        other.exits()
        hub.eviction._forget(other.member.live)
        again = await join_room(hub, token=ada.token)
        assert again.ear.of("welcome")[0]["room"]["game"]["outcome"] == ABANDONED
        assert not hub.eviction._left


class TestVanished:
    async def test_a_room_that_all_left_before_any_game_is_gone(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, max_rooms_per_address=1)
        ada = await join_room(hub, settings=GivenSettings(hints=True))
        await ada.says(Leave())
        assert await kinds(store) == ["created", "seated", "left"]
        ada.exits()
        await changed(hub, lambda: not hub.registry.all)
        assert await kinds(store) == []
        assert await hub.reader.read(NAME) is None
        assert public_rooms(hub) == ()
        bob = await join_room(hub, "bob", settings=GivenSettings(hints=False), seat=X)
        assert bob.ear.of("welcome")[0]["room"]["seq"] == 2, "the name is free again"
        assert await refused(join_room(hub, token=ada.token)) is RefusalCode.BAD_TOKEN

    async def test_the_last_to_go_may_be_a_spectator(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        ada, eve = await join_room(hub), await spectate(hub)
        await ada.says(Leave())
        ada.exits()
        await quiet(hub)
        assert await kinds(store) == ["created", "seated", "left"]
        eve.exits()
        await changed(hub, lambda: not hub.registry.all)
        assert await kinds(store) == []

    async def test_who_only_went_keeps_the_room(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        ada = await join_room(hub)
        ada.exits()
        await quiet(hub)
        assert (await join_room(hub, token=ada.token)).you == ada.you

    async def test_after_a_game_the_log_is_kept(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store, room_idle_s=0.001)
        ada, bob = await two_players(hub)
        for person in (ada, bob):
            await person.says(Leave())
            person.exits()
        await changed(hub, lambda: not hub.registry.all)
        assert (await kinds(store))[-1] == "left"

    async def test_whoever_comes_meanwhile_keeps_it(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        await one_leaves(hub)
        bob = await join_room(hub, "bob")
        await quiet(hub)
        assert bob.ear.of("welcome")[0]["room"]["seq"] == 4
        assert (await join_room(hub, "eve")).you["seat"] == "O"
        assert bob.ear.kinds == ["seated", "started"]

    async def test_whoever_is_at_the_door_keeps_it(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        ada = await one_leaves(hub)
        hub.eviction.begin_join(ada.member.live, "here")
        await quiet(hub)
        assert await kinds(store) == ["created", "seated", "left"]
        hub.eviction.end_join(ada.member.live)
        await quiet(hub)
        assert await kinds(store) == []

    async def test_whoever_comes_when_it_was_forgotten_first_keeps_it(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store)
        ada = await one_leaves(hub)
        hub.eviction._forget(ada.member.live)
        bob = await join_room(hub, "bob")
        await quiet(hub)
        assert [*hub.registry.all] == [bob.member.live]
        assert await kinds(store) == ["created", "seated", "left", "seated"]

    async def test_whoever_comes_while_it_is_deleted_makes_it_anew(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store)
        ada = await join_room(hub)
        await ada.says(Leave())
        store.gate.clear()
        ada.exits()
        await store.deleted.wait()
        coming = asyncio.create_task(join_room(hub, "bob"))
        await asyncio.sleep(0)
        store.gate.set()
        bob = await coming
        assert bob.ear.of("welcome")[0]["room"]["seq"] == 2
        await quiet(hub)
        assert await kinds(store) == ["created", "seated"]
        assert [*hub.registry.all] == [bob.member.live]

    async def test_a_delete_that_fails_is_not_tried_again_and_again(
        self, hubs: Hubs, store: FragileStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        store.fails_to_delete = True
        hub = hubs.open(store)
        ada = await one_leaves(hub)
        await quiet(hub)
        assert store.deletes == 1
        assert [record.name for record in caplog.records].count("ttt_server.rooms.eviction") == 1
        assert ada.member.live in hub.eviction._idle, "it goes like other rooms"
        bob = await join_room(hub, "bob")
        assert bob.ear.of("welcome")[0]["room"]["seq"] == 4
        await bob.says(Leave())
        store.fails_to_delete = False
        bob.exits()
        await changed(hub, lambda: not hub.registry.all)
        assert await kinds(store) == []


class TestForgotten:
    async def test_not_before_the_flag_has_fallen(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_idle_s=60)
        minute = GivenSettings(clock=ClockSetting(initial_s=60))
        ada, bob = await two_players(hub, settings=minute)
        live = ada.member.live
        await all_go(ada, bob)
        hub.eviction._forget(live)
        assert [*hub.registry.all] == [live]
        assert live in hub.eviction._idle
        assert "flag" in live.timers
        live.timers.cancel("flag")  # it has gone off, and what follows from it is still to come
        hub.eviction._forget(live)
        assert [*hub.registry.all] == [live]
        time.passes(60_000)
        await settle(hub, live)
        assert live.room.status is Status.FINISHED
        hub.eviction._forget(live)
        assert not hub.registry.all
        assert not live.timers._handles

    async def test_not_while_something_is_written(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store)
        ada = await join_room(hub)
        ada.exits()
        live = ada.member.live
        async with live.lock:
            hub.eviction._forget(live)
        assert [*hub.registry.all] == [live]
        hub.eviction._forget(live)
        assert not hub.registry.all

    @pytest.mark.parametrize("settings", [AI_IN_O, TWO_AIS])
    async def test_not_while_an_ai_answers_a_human(
        self, hubs: Hubs, store: FragileStore, settings: GivenSettings
    ) -> None:
        hub = hubs.open(store, runner=Silent())
        if settings is AI_IN_O:
            ada = await join_room(hub, settings=settings)
            await ada.plays(4)
        else:
            ada = await spectate(hub, settings=settings)
        ada.exits()
        hub.eviction._forget(ada.member.live)
        assert bool(hub.registry.all) is (settings is AI_IN_O)

    async def test_not_while_somebody_is_there_or_comes(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store)
        ada = await join_room(hub)
        live = ada.member.live
        hub.eviction._forget(live)
        assert [*hub.registry.all] == [live]
        ada.exits()
        hub.eviction.begin_join(live, "here")
        hub.eviction._forget(live)
        assert [*hub.registry.all] == [live]

    async def test_not_when_someone_came_while_it_could_not_be_deleted(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, room_idle_s=0.001)
        ada = await join_room(hub)
        await ada.says(Leave())
        store.fails_to_delete = True
        store.gate.clear()
        ada.exits()
        await asyncio.sleep(0)
        coming = asyncio.create_task(spectate(hub))
        await asyncio.sleep(0)
        assert ada.member.live.joining
        store.gate.set()
        eve = await coming
        await quiet(hub)
        await asyncio.sleep(0.01)
        assert [*hub.registry.all] == [eve.member.live]
        assert not [*hub.eviction._idle]

    async def test_for_a_full_server_the_one_that_was_left_longest_ago(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, max_rooms=3)
        first, second = await join_room(hub, room="first"), await join_room(hub, room="second")
        stays = await join_room(hub, room="third")
        second.exits()
        first.exits()
        await join_room(hub, room="fourth")
        assert {live.room.name for live in hub.registry.all} == {"first", "third", "fourth"}
        again = await join_room(hub, room="second", token=second.token)
        assert again.you["seat"] == "X"
        assert await refused(join_room(hub, room="fifth")) is RefusalCode.SERVER_FULL
        stays.exits()
        await join_room(hub, room="fifth")

    async def test_for_a_full_server_one_that_is_not_written(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, max_rooms=2)
        first = await two_rooms_are_left(hub)
        async with first.member.live.lock:
            await join_room(hub, room="third")
        assert {live.room.name for live in hub.registry.all} == {"first", "third"}

    async def test_not_one_to_which_somebody_came_back(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, max_rooms=2)
        first = await two_rooms_are_left(hub)
        await join_room(hub, room="first", token=first.token)
        await join_room(hub, room="third")
        assert {live.room.name for live in hub.registry.all} == {"first", "third"}

    async def test_not_where_a_clock_runs_or_an_ai_thinks_also_for_a_full_server(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, runner=Silent(), max_rooms=2)
        ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
        eve = await spectate(hub, room="arena", settings=TWO_AIS)
        await all_go(ada, bob, eve)
        assert await refused(join_room(hub, room="lair")) is RefusalCode.SERVER_FULL

    async def test_not_while_it_is_written_also_for_a_full_server(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, max_rooms=1)
        ada, bob = await two_players(hub)
        await all_go(ada, bob)
        async with ada.member.live.lock:
            assert await refused(join_room(hub, room="lair")) is RefusalCode.SERVER_FULL
        await join_room(hub, room="lair")
        assert [live.room.name for live in hub.registry.all] == ["lair"]

    async def test_its_timers_go_with_it(self, hubs: Hubs, store: FragileStore) -> None:
        hub = hubs.open(store, runner=Silent(), room_idle_s=0.001)
        eve = await spectate(hub, settings=TWO_AIS)
        eve.exits()
        await changed(hub, lambda: not hub.registry.all)
        assert not eve.member.live.timers._handles
        await quiet(hub)
        assert not hub._ai_player._at_work

    async def test_two_ais_that_play_on_do_not_put_it_off(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store, runner=Silent())
        eve = await spectate(hub, settings=TWO_AIS)
        eve.exits()
        live = eve.member.live
        due = hub.eviction._idle._due[live]
        hub._changed(live)  # as with each of their moves
        assert hub.eviction._idle._due[live] == due

    async def test_a_connection_that_goes_when_it_is_forgotten_leaves_no_timers(
        self, hubs: Hubs, store: FragileStore
    ) -> None:
        hub = hubs.open(store)
        ada, bob = await two_players(hub, 4)
        again = await join_room(hub, token=ada.token)
        await all_go(again, bob)
        live = ada.member.live
        hub.eviction._forget(live)
        assert not hub.registry.all
        left = dict(hub.eviction._left)
        ada.exits()  # their seat was taken over long ago
        assert not live.timers._handles
        assert not [*hub.eviction._idle]
        assert hub.eviction._left == left

    async def test_what_is_overdue_when_it_is_forgotten_and_fails_leaves_no_timers(
        self, hubs: Hubs, store: FragileStore, time: Time
    ) -> None:
        hub = hubs.open(store, time=time, room_abandon_s=86_400)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        live = ada.member.live
        hub.eviction._forget(live)
        assert not hub.registry.all
        time.passes(DAY)
        store.failures = 1
        await settle(hub, live)
        assert not store.failures
        assert not live.timers._handles


class TestForgottenForGood:
    """A room in a store is deleted if nobody needs it."""

    @pytest.fixture
    async def hub(self, hubs: Hubs, store: FragileStore) -> Hub:
        """Has the room in its store, and not in memory."""
        hub = hubs.open(store)
        ada, bob = await two_players(hub, 4)
        await all_go(ada, bob)
        hub.eviction._forget(ada.member.live)
        return hub

    async def test_an_old_room_is_deleted(self, hub: Hub, store: FragileStore) -> None:
        assert await hub.eviction.forget_for_good(NAME, 1 << 60)
        assert not await load(store, NAME)

    async def test_a_room_that_has_changed_since_stays(self, hub: Hub, store: FragileStore) -> None:
        assert not await hub.eviction.forget_for_good(NAME, 0)
        assert await load(store, NAME)

    async def test_a_room_of_a_tournament_stays(self, hub: Hub, store: FragileStore) -> None:
        hub.observers.observe(NAME, lambda _: None)
        assert not await hub.eviction.forget_for_good(NAME, 1 << 60)
        assert await load(store, NAME)

    async def test_nothing_is_deleted_once_the_server_stops(
        self, hub: Hub, store: FragileStore
    ) -> None:
        hub.eviction.close()
        assert not await hub.eviction.forget_for_good(NAME, 1 << 60)
        assert await load(store, NAME)


async def test_rooms_given_up_say_goodbye_to_all_and_are_gone(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store)
    ada, bob = await two_players(hub, 4)
    entered: list[str] = []
    hub.observers.call_on_presence(lambda live: entered.append(live.room.name))
    hub.eviction.give_up()
    assert [ada.ear.dismissed, bob.ear.dismissed] == [CloseCode.RESTARTING] * 2
    assert not hub.registry.all
    assert not hub.eviction.needs(NAME)
    assert entered == [NAME]
    await join_room(hub, token=ada.token)
    assert hub.eviction.needs(NAME), "another server did not take it after all"


async def test_a_room_that_another_server_asks_for_is_let_go(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store)
    ada, bob = await two_players(hub, 4)
    other = await join_room(hub, room="other")
    live = ada.member.live
    given: list[bool] = []

    async def give() -> None:
        given.append(live.lock.locked() and ada.ear.dismissed is None)

    await hub.eviction.let_go(NAME, give)
    assert given == [True], "no write is under way, and members are not sent off before"
    assert [ada.ear.dismissed, bob.ear.dismissed] == [CloseCode.RESTARTING] * 2
    assert other.ear.dismissed is None
    assert not hub.eviction.needs(NAME)
    await hub.eviction.let_go(NAME, give)
    assert given == [True, False], "what is not in memory is given, too"


async def test_a_room_that_may_have_been_given_away_is_unloaded(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store)
    await two_players(hub, 4)

    async def give() -> None:
        raise StorageFailed("the database: there is no answer")

    with pytest.raises(StorageFailed):
        await hub.eviction.let_go(NAME, give)
    assert not hub.eviction.needs(NAME)
