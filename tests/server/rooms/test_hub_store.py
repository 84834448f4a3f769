"""Commit, then tell: what the hub does while the store is slow, fails, or has other writers."""

import asyncio

import pytest

from tests.server.examples import DRAW, NAME, NOW, O, X
from tests.server.fakes import FragileStore, Silent, TakenStore
from tests.server.hubs import (
    AI_IN_O,
    TWO_AIS,
    Hubs,
    TestMember,
    join_room,
    public_rooms,
    refused,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codec import encode_event
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Offer, Play
from ttt_protocol.events import Offered, Played, Started
from ttt_protocol.state import GivenSettings, Human, RoomName, SessionId
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.storage.base import StorageFailed


def move(person: TestMember, cell: int) -> "asyncio.Task[None]":
    return asyncio.create_task(person.plays(cell))


async def test_nobody_hears_of_what_is_not_on_disk(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    store.hold()
    before = [len(person.ear.states) for person in (ada, bob, eve)]
    moving = move(ada, 4)
    await store.next_write()
    assert [len(person.ear.states) for person in (ada, bob, eve)] == before
    assert ada.member.live.room.seq == 4
    store.gate.set()
    await moving
    assert ada.ear.kinds[-1] == bob.ear.kinds[-1] == eve.ear.kinds[-1] == "played"


async def test_whatever_anyone_hears_of_is_on_disk(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    for person in (ada, bob):
        person.ear.on_send = lambda: told.append(len(store._tables.lines(NAME)))
    told: list[int] = []
    for number, cell in enumerate((0, 3, 1, 4, 2)):
        await (bob if number % 2 else ada).plays(cell)
    seqs = [update["room"]["seq"] for update in bob.ear.of("update")]
    assert seqs == [5, 6, 7, 8, 10]
    updates = [kept for kept in told if kept in seqs]
    assert updates == sorted(updates)
    assert told[-1] == 10


async def test_the_welcome_waits_for_the_disk(hub: Hub, store: FragileStore) -> None:
    store.hold()
    coming = asyncio.create_task(join_room(hub))
    await store.next_write()
    assert public_rooms(hub) == ()
    store.gate.set()
    assert (await coming).you["seat"] == "X"


async def test_one_at_a_time(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.hold()
    first, second = move(ada, 4), move(ada, 0)
    await store.next_write()
    assert len(store.appends) == 3
    store.gate.set()
    await first
    assert await refused(second) is RefusalCode.STALE_PLY
    assert bob.ear.kinds == ["played"]


async def test_of_two_who_race_over_a_slow_disk_one_wins(hub: Hub, store: FragileStore) -> None:
    ada = await join_room(hub)
    store.hold()
    coming = asyncio.gather(
        *(join_room(hub, name) for name in ("bob", "eve")), return_exceptions=True
    )
    await store.next_write()
    store.gate.set()
    bob, eve = await coming
    assert isinstance(bob, TestMember)
    assert isinstance(eve, Refused)
    assert eve.code is RefusalCode.ROOM_FULL
    assert ada.ear.kinds == ["seated", "started"]


async def test_rooms_do_not_wait_for_each_other(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub)
    store.hold()
    moving = move(ada, 4)
    await store.next_write()
    store.gate.set()
    other = await join_room(hub, room="lair")
    assert other.you["seat"] == "X"
    await moving


async def test_a_failed_write_changes_nothing_and_may_be_tried_again(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub)
    heard, room = len(bob.ear.payloads), ada.member.live.room
    store.failures = 2
    for _ in range(2):
        with pytest.raises(StorageFailed):
            await ada.plays(4)
        assert not hub.log.is_healthy
        assert ada.member.live.room == room
        assert len(bob.ear.payloads) == heard
    await ada.plays(4)
    assert hub.log.is_healthy
    assert bob.ear.kinds == ["played"]
    assert [event.seq for event in await load(store, NAME)] == [1, 2, 3, 4, 5]


async def test_a_room_that_could_not_be_written_is_not_there(hub: Hub, store: FragileStore) -> None:
    store.failures = 1
    with pytest.raises(StorageFailed):
        await join_room(hub)
    assert public_rooms(hub) == ()
    assert (await join_room(hub)).you["seat"] == "X"
    assert hub.registry._made == {"here": 1}


async def test_a_room_counts_for_whoever_made_it_in_the_end(hub: Hub, store: FragileStore) -> None:
    store.failures = 1
    ada, bob = await asyncio.gather(
        join_room(hub, address="here"),
        join_room(hub, "bob", address="there"),
        return_exceptions=True,
    )
    assert isinstance(ada, StorageFailed)
    assert isinstance(bob, TestMember)
    assert hub.registry._made == {"there": 1}


async def test_a_log_that_cannot_be_read(hubs: Hubs, store: FragileStore) -> None:
    await two_players(hubs.open(store))
    hub = hubs.open(store)
    store.fails_to_load = True
    with pytest.raises(StorageFailed):
        await join_room(hub, "eve")
    with pytest.raises(StorageFailed):
        await hub.reader.read(NAME)
    store.fails_to_load = False
    assert await refused(join_room(hub, "eve")) == RefusalCode.ROOM_FULL


async def test_to_make_a_room_its_log_is_not_read(hub: Hub, store: FragileStore) -> None:
    await two_players(hub)
    assert store.loads == 0
    assert store.appends == [("created", "seated"), ("seated", "started")]


async def test_whoever_has_wishes_waits_for_the_log(hub: Hub, store: FragileStore) -> None:
    await join_room(hub, settings=GivenSettings(games=2))
    assert store.loads == 1


async def test_a_room_that_is_there_is_not_made_again(hubs: Hubs, store: FragileStore) -> None:
    await join_room(hubs.open(store))
    hub = hubs.open(store, max_rooms_per_address=1)
    bob = await join_room(hub, "bob", address="there")
    assert (bob.you["seat"], store.loads) == ("O", 1)
    assert bob.ear.of("welcome")[0]["room"]["seq"] == 4
    assert not hub.registry._made, "it was made by another"
    assert (await join_room(hub, room="lair", address="there")).you["seat"] == "X"


async def test_one_who_may_make_no_more_rooms_may_come_into_those_that_are_there(
    hubs: Hubs, store: FragileStore
) -> None:
    await join_room(hubs.open(store))
    hub = hubs.open(store, max_rooms_per_address=1)
    await join_room(hub, room="lair")
    assert (await join_room(hub, "bob")).you["seat"] == "O"
    assert await refused(join_room(hub, room="cave")) == RefusalCode.SERVER_FULL
    assert hub.registry._made == {"here": 1}


@pytest.mark.parametrize(
    "event",
    [
        Started(seq=7, at=NOW, game=9),
        Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=99),
    ],
)
async def test_a_log_that_makes_no_sense(
    hubs: Hubs, hub: Hub, store: FragileStore, event: Started | Played
) -> None:
    await two_players(hub)
    store.tamper(NAME, encode_event(event))
    with pytest.raises(StorageFailed, match="is inconsistent"):
        await hubs.open(store).reader.read(NAME)


async def test_after_a_conflict_it_tells_what_it_missed_and_decides_again(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub)
    store.rivals = [(Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=4),)]
    assert await refused(ada.plays(0)) is RefusalCode.STALE_PLY
    for person in (ada, bob):
        assert person.ear.events[-1]["cell"] == 4
        assert person.ear.of("update")[-1]["room"]["game"]["moves"] == [4]


async def test_after_a_conflict_what_is_still_good_is_kept(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.rivals = [(Offered(seq=5, at=NOW, kind=DRAW, seat=O),)]
    await ada.plays(4)
    assert bob.ear.kinds == ["offered", "played"]
    assert [event["seq"] for event in bob.ear.events] == [5, 6]


async def test_after_a_conflict_the_same_move_is_a_repeat(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.rivals = [(Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=4),)]
    await ada.plays(4)
    assert ada.ear.of("update")[-1]["events"] == []
    assert bob.ear.kinds == ["played"]


async def test_two_servers_and_the_last_seat(hubs: Hubs, store: FragileStore) -> None:
    here, there = hubs.open(store), hubs.open(store)
    ada = await join_room(here)
    await join_room(there, "bob")
    assert await refused(join_room(here, "eve")) is RefusalCode.ROOM_FULL
    assert ada.ear.kinds == ["seated", "started"]


async def test_others_write_all_the_time(hubs: Hubs) -> None:
    with pytest.raises(StorageFailed, match="keep writing"):
        await join_room(hubs.open(TakenStore()))


async def test_a_write_goes_on_when_its_task_was_cancelled(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.hold()
    moving = move(ada, 4)
    await store.next_write()
    moving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await moving
    assert not bob.ear.kinds
    store.gate.set()
    await bob.says(Play(game=1, ply=1, cell=0))
    assert bob.ear.kinds == ["played", "played"]
    assert [event["seq"] for event in ada.ear.events][-2:] == [5, 6]
    assert not store.loads, "the room has seen it all"


async def test_a_join_that_was_cancelled(hub: Hub, store: FragileStore) -> None:
    store.hold()
    coming = asyncio.create_task(join_room(hub))
    await store.next_write()
    coming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await coming
    store.gate.set()
    bob = await join_room(hub, "bob")
    assert bob.you["seat"] == "O", "the log has both, and the first has no connection"
    assert bob.ear.of("welcome")[0]["room"]["seats"]["X"]["connected"] is False


async def test_rooms_that_are_being_made_count_for_their_address(
    hubs: Hubs, store: FragileStore
) -> None:
    hub = hubs.open(store, max_rooms_per_address=2)
    store.hold()
    coming = asyncio.gather(
        *(join_room(hub, room=f"room{number}") for number in range(5)), return_exceptions=True
    )
    await store.next_write()
    store.gate.set()
    results = await coming
    assert sum(isinstance(result, TestMember) for result in results) == 2
    assert hub.registry._made == {"here": 2}


async def log_with_the_ai_to_move(hubs: Hubs, store: FragileStore) -> int:
    """Makes a log in which an AI has yet to answer; its length."""
    hub = hubs.open(store, runner=Silent())
    ada = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await hub.close()
    log = await load(store, NAME)
    assert log[-1].type == "played"
    return len(log)


async def test_to_read_a_room_does_not_play_in_it(hubs: Hubs, store: FragileStore) -> None:
    log = await log_with_the_ai_to_move(hubs, store)
    hub = hubs.open(store)
    state = await hub.reader.read(NAME)
    assert state is not None
    assert state.seq == log
    assert not hub._tasks._running
    assert not hub.registry.all


async def test_after_a_restart_the_ai_moves(hubs: Hubs, store: FragileStore) -> None:
    await log_with_the_ai_to_move(hubs, store)
    eve = await spectate(hubs.open(store))
    await eve.ear.learns("played")
    assert eve.ear.events[0]["seat"] == "O"
    assert eve.ear.events[0]["reason"] == "random"


async def test_after_a_restart_a_series_goes_on(hubs: Hubs, store: FragileStore) -> None:
    first = hubs.open(store, runner=Silent())
    await spectate(first, settings=TWO_AIS.model_copy(update={"games": 3}))
    await first.close()
    assert len(await load(store, NAME)) == 4
    eve = await spectate(hubs.open(store))
    await eve.ear.learns("ended", 3)


async def test_tokens_outlive_the_server(hubs: Hubs, store: FragileStore) -> None:
    ada, _ = await two_players(hubs.open(store), 4)
    again = await join_room(hubs.open(store), token=ada.token)
    assert again.you == ada.you
    await again.says(Offer(kind=DRAW))


async def test_who_sits_is_in_the_log_and_tokens_are_not(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub)
    seated = (await load(store, RoomName(NAME)))[1]
    player = getattr(seated, "player", None)
    assert player == Human(id=SessionId(ada.you["id"]), name="ada")
    assert ada.token.split(".")[1] not in "\n".join(store._tables.database.iterdump())
