"""A change at once: the same as the common way, without a task in between."""

import asyncio

import pytest

from tests.server.doubles import FragileStore, Time
from tests.server.hubs import Hubs, Person, two, watch
from tests.server.rooms import NOW, X
from ttt_protocol.commands import Offer, Play
from ttt_protocol.events import Played
from ttt_protocol.state import ClockSetting, GivenSettings, OfferKind
from ttt_server.hub import Hub


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


@pytest.fixture
def hub(hubs: Hubs, store: FragileStore) -> Hub:
    return hubs.open(store)


class Otherwise:
    """What is run for a move that could not be kept."""

    def __init__(self) -> None:
        self.runs = asyncio.Event()

    async def __call__(self) -> None:
        self.runs.set()


def takes(person: Person, cell: int, otherwise: Otherwise | None = None, ply: int = 0) -> bool:
    play = Play(game=1, ply=ply, cell=cell)
    move = person.hub.carry_out_at_once(person.member, play, otherwise or Otherwise())
    return move is not None


async def is_told(*people: Person) -> None:
    for person in people:
        await person.ear.until(lambda ear: "played" in ear.kinds)


async def test_a_move_is_kept_and_told(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two(hub)
    eve = await watch(hub)
    assert takes(ada, 4)
    await is_told(ada, bob, eve)
    assert store.appends[-1] == ("played",)
    await bob.plays(0)
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [4, 0]
    assert ada.ear.states[-1] is bob.ear.states[-1] is eve.ear.states[-1]


async def test_it_is_not_told_before_it_is_kept(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two(hub)
    store.gate.clear()
    store.written.clear()
    assert takes(ada, 4)
    await asyncio.wait_for(store.written.wait(), 10)
    assert "played" not in bob.ear.kinds
    assert ada.member.live.room.seq == 4
    store.gate.set()
    await is_told(ada, bob)


async def test_one_move_at_a_time(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two(hub)
    store.gate.clear()
    assert takes(ada, 4)
    assert not takes(bob, 0, ply=1)
    later = asyncio.create_task(bob.says(Offer(kind=OfferKind.DRAW)))
    store.gate.set()
    await later
    assert ada.ear.kinds[-2:] == ["played", "offered"]


async def test_who_waits_for_the_room_comes_first(hub: Hub) -> None:
    ada, bob = await two(hub)
    live = ada.member.live
    await live.lock.acquire()
    offering = asyncio.create_task(bob.says(Offer(kind=OfferKind.DRAW)))
    await asyncio.sleep(0)
    live.lock.release()
    assert not takes(ada, 4)
    await offering
    assert takes(ada, 4)
    await is_told(ada, bob)


async def test_a_refused_or_repeated_move_is_left_to_the_common_way(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two(hub, 4)
    eve = await watch(hub)
    writes = len(store.appends)
    assert not takes(ada, 0, ply=1)  # not her turn
    assert not takes(bob, 4, ply=1)  # taken
    assert not takes(ada, 4, ply=0)  # played before
    assert not takes(eve, 0, ply=1)  # no player
    assert len(store.appends) == writes
    assert not ada.member.live.lock.locked()


async def test_a_log_that_may_be_ahead_is_read_first(hub: Hub) -> None:
    ada, _ = await two(hub)
    ada.member.live.is_stale = True
    assert not takes(ada, 4)


async def test_a_fallen_flag_goes_first(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, _ = await two(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    assert not takes(ada, 4)


async def test_a_move_that_could_not_be_kept_goes_the_common_way(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two(hub)
    store.failures = 1
    otherwise = Otherwise()
    assert takes(ada, 4, otherwise)
    await asyncio.wait_for(otherwise.runs.wait(), 10)
    assert "played" not in bob.ear.kinds
    await ada.plays(4)
    assert bob.ear.kinds[-1] == "played"


async def test_another_process_was_first(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two(hub)
    rival = Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=8)
    store.rivals = [(rival,)]
    otherwise = Otherwise()
    assert takes(ada, 4, otherwise)
    await asyncio.wait_for(otherwise.runs.wait(), 10)
    assert not takes(bob, 0, ply=1), "the log is read first"
    await bob.says(Play(game=1, ply=1, cell=0))
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [8, 0]
