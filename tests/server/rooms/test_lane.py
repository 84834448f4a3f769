"""A change at once: the same as the common way, without a task in between."""

import asyncio
from pathlib import Path

import pytest

from tests.server.examples import NOW, X
from tests.server.fakes import FragileStore, Time
from tests.server.hubs import AI_IN_O, Hubs, TestMember, join_room, spectate, two_players
from tests.server.storage.appends import load
from ttt_protocol.commands import Leave, Offer, Play
from ttt_protocol.state import AiSetting, ClockSetting, GivenSettings, OfferKind, SeatSettings
from ttt_server.ai.runner import Choice, StrategyRunner
from ttt_server.core.decide import PlayerCommand
from ttt_server.core.events import Played
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.sqlite.store import SqliteStore


class Said:
    """What becomes of a command that takes the fast lane."""

    def __init__(self, person: TestMember, command: PlayerCommand) -> None:
        self.is_told = asyncio.Event()
        self.goes_the_common_way = asyncio.Event()
        person.hub.lane.carry_out(person.member, command, self)

    def told(self) -> None:
        self.is_told.set()

    async def go_the_common_way(self) -> None:
        self.goes_the_common_way.set()

    async def is_carried_out(self) -> bool:
        """Whether it was, at its end."""
        ends = [asyncio.create_task(self.is_told.wait())]
        ends += [asyncio.create_task(self.goes_the_common_way.wait())]
        await asyncio.wait(ends, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        assert self.is_told.is_set() != self.goes_the_common_way.is_set()
        return self.is_told.is_set()


class Move(Said):
    def __init__(self, person: TestMember, cell: int, ply: int = 0, game: int = 1) -> None:
        super().__init__(person, Play(game=game, ply=ply, cell=cell))


class Rematch(Said):
    def __init__(self, person: TestMember) -> None:
        super().__init__(person, Offer(kind=OfferKind.REMATCH))


async def is_told(*people: TestMember) -> None:
    for person in people:
        await person.ear.until(lambda ear: "played" in ear.kinds)


async def test_a_move_is_kept_and_told(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    move = Move(ada, 4)
    await is_told(ada, bob, eve)
    assert await move.is_carried_out()
    assert store.appends[-1] == ("played",)
    await bob.plays(0)
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [4, 0]
    assert ada.ear.states[-1] is bob.ear.states[-1] is eve.ear.states[-1]


async def test_who_moved_is_told_first(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    told: list[TestMember] = []
    ada.ear.on_post = lambda: told.append(ada)
    bob.ear.on_post = lambda: told.append(bob)
    for move in (Move(ada, 4), Move(bob, 0, ply=1)):
        assert await move.is_carried_out()
    assert told == [ada, bob, bob, ada]


async def test_it_is_not_told_before_it_is_kept(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.hold()
    move = Move(ada, 4)
    await store.next_write()
    assert "played" not in bob.ear.kinds
    assert not move.is_told.is_set()
    assert ada.member.live.room.seq == 4
    store.gate.set()
    await is_told(ada, bob)


async def test_one_change_at_a_time(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.gate.clear()
    first, second = Move(ada, 4), Move(bob, 0, ply=1)
    later = asyncio.create_task(ada.says(Offer(kind=OfferKind.DRAW)))
    store.gate.set()
    await later
    assert await first.is_carried_out()
    assert await second.is_carried_out()
    assert ada.ear.kinds[-3:] == ["played", "played", "offered"]


async def test_who_waits_for_the_room_comes_first(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    live = ada.member.live
    await live.lock.acquire()
    offering = asyncio.create_task(bob.says(Offer(kind=OfferKind.DRAW)))
    await asyncio.sleep(0)
    move = Move(ada, 4)
    live.lock.release()
    await offering
    assert await move.is_carried_out()
    assert ada.ear.kinds[-2:] == ["offered", "played"]


async def test_what_is_refused_or_was_so_already_goes_the_common_way(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub, 4)
    eve = await spectate(hub)
    writes = len(store.appends)
    not_her_turn, taken = Move(ada, 0, ply=1), Move(bob, 4, ply=1)
    played_before, no_player = Move(ada, 4, ply=0), Move(eve, 0, ply=1)
    for move in (not_her_turn, taken, played_before, no_player):
        assert not await move.is_carried_out()
    assert len(store.appends) == writes
    assert not ada.member.live.lock.locked()


async def test_a_log_that_may_be_ahead_is_read_first(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    ada.member.live.is_stale = True
    assert not await Move(ada, 4).is_carried_out()


async def test_a_fallen_flag_goes_first(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    assert not await Move(ada, 4).is_carried_out()


async def test_a_move_that_could_not_be_kept_goes_the_common_way(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub)
    store.failures = 1
    assert not await Move(ada, 4).is_carried_out()
    assert "played" not in bob.ear.kinds
    await ada.plays(4)
    assert bob.ear.kinds[-1] == "played"


async def test_another_process_was_first(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    rival = Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=8)
    store.rivals = [(rival,)]
    assert not await Move(ada, 4).is_carried_out()
    assert not await Move(bob, 0, ply=1).is_carried_out(), "the log is read first"
    await bob.says(Play(game=1, ply=1, cell=0))
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [8, 0]


async def test_a_reply_is_kept_with_the_move_and_told_after_it(
    hub: Hub, store: FragileStore
) -> None:
    ada, eve = await join_room(hub, settings=AI_IN_O), await spectate(hub)
    changes = []
    hub.on_change = lambda: changes.append(len(ada.ear.states))
    move = Move(ada, 4)
    await eve.ear.learns("played", 2)
    assert await move.is_carried_out()
    assert store.appends[-1] == ("played", "played")
    first, second = ada.ear.of("update")
    assert [event["seat"] for event in first["events"]] == ["X"]
    assert [event["seat"] for event in second["events"]] == ["O"]
    assert first["room"]["game"]["moves"] == [4]
    assert second["room"]["game"]["moves"] == [4, second["events"][0]["cell"]]
    assert second["room"]["seq"] == first["room"]["seq"] + 1
    assert ada.ear.states == eve.ear.states
    assert hub.ledger.moves == 2
    assert changes == [2], "in between, nobody is to do anything about it"
    assert not ada.member.live.is_stale


async def test_of_a_game_that_a_reply_ends_is_learned(hub: Hub, store: FragileStore) -> None:
    minimax = SeatSettings(O=AiSetting(strategy="minimax"))
    ada = await join_room(hub, settings=GivenSettings(seats=minimax))
    for ply, cell in ((0, 0), (2, 1), (4, 3)):
        assert await Move(ada, cell, ply).is_carried_out()
    assert ada.ear.kinds[-3:] == ["played", "played", "ended"]
    assert store.appends[-1] == ("played", "played", "ended")
    assert store.memory.games == 1


async def test_neither_a_move_nor_its_reply_is_told_before_they_are_kept(
    hub: Hub, store: FragileStore
) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    store.hold()
    Move(ada, 4)
    await store.next_write()
    assert not ada.ear.kinds
    assert ada.member.live.is_stale
    store.gate.set()
    await ada.ear.learns("played", 2)


async def test_where_they_cannot_be_kept_there_is_neither(hub: Hub, store: FragileStore) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    store.failures = 1
    assert not await Move(ada, 4).is_carried_out()
    assert not ada.ear.kinds
    await ada.plays(4)
    await ada.ear.learns("played", 2)


async def test_a_move_to_which_no_reply_can_be_found_goes_the_common_way(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Choice:
        raise RuntimeError

    monkeypatch.setattr(StrategyRunner, "choose_at_once", fail)
    ada = await join_room(hubs.open(), settings=AI_IN_O)
    assert not await Move(ada, 4).is_carried_out()
    assert [record.getMessage() for record in caplog.records] == ["room den: a change failed"]
    await ada.plays(4)
    await ada.ear.learns("played", 2)


async def test_a_reply_that_could_not_be_told_is_told_by_the_next_who_looks(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    live = ada.member.live
    with monkeypatch.context() as patch:
        patch.setattr(LiveRoom, "publish", fault)
        assert not await Move(ada, 4).is_carried_out()
    await ada.says(Play(game=1, ply=0, cell=4))
    assert [event["seat"] for event in ada.ear.events] == ["O"]
    assert live.room.ai_to_move is None


def fault(*_: object, **__: object) -> None:
    raise RuntimeError


@pytest.mark.parametrize("settings", [GivenSettings(), AI_IN_O], ids=["a human", "an AI"])
async def test_while_the_machine_sleeps_in_the_middle_of_a_write_nobody_pays(
    hubs: Hubs, store: FragileStore, settings: GivenSettings
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    clock = ClockSetting(initial_s=60)
    ada = await join_room(hub, settings=settings.model_copy(update={"clock": clock}))
    if settings is not AI_IN_O:
        await join_room(hub, "bob")
    store.hold()
    move = Move(ada, 4)
    await store.next_write()
    time.jumps(600_000)
    store.gate.set()
    assert await move.is_carried_out()
    assert ada.member.live.left_to_move_s == 60
    for update in ada.ear.of("update")[1:]:
        assert (update["room"]["game"]["clock"]["X"], update["room"]["game"]["clock"]["O"]) == (
            60_000,
            60_000,
        )


WON_BY_X = 0, 3, 1, 4, 2


async def test_two_who_want_a_rematch_at_once_are_one_step(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    eve = await spectate(hub)
    writes, updates = len(store.appends), len(bob.ear.of("update"))
    offers = Rematch(ada), Rematch(bob)
    for offer in offers:
        assert await offer.is_carried_out()
    assert store.appends[writes:] == [("offered", "started")]
    (update,) = bob.ear.of("update")[updates:]
    assert [event["type"] for event in update["events"]] == ["offered", "started"]
    assert [event["seq"] for event in update["events"]] == [11, 12]
    assert (update["room"]["seq"], update["room"]["game"]["number"]) == (12, 2)
    assert ada.ear.states[-1] is bob.ear.states[-1] is eve.ear.states[-1]
    assert await Move(bob, 4, game=2).is_carried_out(), "who played O moves first"
    assert not hub.lane.rematches


async def test_an_offer_that_is_on_its_way_is_met_by_another_step(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    first = Rematch(ada)
    await asyncio.sleep(0)
    second = Rematch(bob)
    assert await first.is_carried_out()
    assert await second.is_carried_out()
    assert store.appends[-2:] == [("offered",), ("started",)]
    assert ada.member.live.room.score.O == 1, "the winner's score went with her"


async def test_an_offer_meets_no_other_of_the_same_player(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub, *WON_BY_X)
    first, again = Rematch(ada), Rematch(ada)
    assert await first.is_carried_out()
    assert not await again.is_carried_out()
    assert store.appends[-1] == ("offered",)


async def test_of_two_offers_that_could_not_be_kept_both_go_the_common_way(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    store.failures = 1
    told = len(bob.ear.of("update"))
    for offer in (Rematch(ada), Rematch(bob)):
        assert not await offer.is_carried_out()
    assert len(bob.ear.of("update")) == told
    assert not ada.member.live.lock.locked()
    for person in (ada, bob):
        await person.says(Offer(kind=OfferKind.REMATCH))
    assert bob.ear.kinds[-2:] == ["offered", "started"]


async def test_an_offer_that_is_refused_is_met_by_none(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    for offer in (Rematch(ada), Rematch(bob)):
        assert not await offer.is_carried_out(), "they are playing"
    assert not hub.lane.rematches


async def test_one_round_of_the_loop_has_one_time(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, bob = await two_players(hub)
    carl, _ = await two_players(hub, room="lair")
    moves = [Move(ada, 4)]
    time.passes(7)
    moves.append(Move(carl, 4))
    for move in moves:
        assert await move.is_carried_out()
    time.passes(7)
    assert await Move(bob, 0, ply=1).is_carried_out()
    assert [event["at"] for event in ada.ear.events[-2:]] == [NOW, NOW + 14]
    assert carl.ear.events[-1]["at"] == NOW


async def test_a_clock_that_was_set_in_the_middle_of_a_round(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    carl, _ = await two_players(hub, room="lair")
    clock = ClockSetting(initial_s=60)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=clock))
    time.passes(10_000)
    moves = [Move(carl, 4)]
    time.jumps(600_000)
    assert hub._rooms.now() == NOW + 610_000, "somebody looks at it"
    moves.append(Move(ada, 4))
    for move in moves:
        assert await move.is_carried_out()
    assert ada.ear.of("update")[-1]["room"]["game"]["clock"]["X"] == 50_000


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_is_nobodys_loss(hubs: Hubs, by: int) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    clock = ClockSetting(initial_s=60)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=clock))
    time.passes(10_000)
    time.jumps(by)
    assert await Move(ada, 4).is_carried_out()
    told = ada.ear.of("update")[-1]["room"]["game"]["clock"]
    assert (told["X"], told["O"]) == (50_000, 60_000)
    assert ada.member.live.left_to_move_s == 60


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_while_a_move_was_written(
    hubs: Hubs, store: FragileStore, by: int
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(10_000)
    store.hold()
    move = Move(ada, 4)
    await store.next_write()
    time.jumps(by)
    assert hub._rooms.now() == NOW + 10_000 + by, "somebody looks at it"
    store.gate.set()
    assert await move.is_carried_out()
    told = ada.ear.of("update")[-1]["room"]["game"]["clock"]
    assert (told["X"], told["O"]) == (50_000, 60_000)
    assert ada.member.live.left_to_move_s == 60


async def test_nobody_meets_an_offer_before_who_waits_for_the_room(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    live = ada.member.live
    await live.lock.acquire()
    first = Rematch(ada)
    leaving = asyncio.create_task(bob.says(Leave()))
    await asyncio.sleep(0)
    live.lock.release()
    second = Rematch(bob)  # on another connection
    await leaving
    assert await first.is_carried_out()
    assert not await second.is_carried_out(), "bob has left"
    assert store.appends[-2:] == [("offered",), ("left",)]


@pytest.mark.parametrize("rounds", [0, 1, 2])
@pytest.mark.parametrize("attempt", range(10))  # the thread may be sooner or later
async def test_what_waits_for_a_write_is_written_before_the_store_ends(
    hubs: Hubs, tmp_path: Path, rounds: int, attempt: int
) -> None:
    path = tmp_path / f"{attempt}.sqlite3"
    store = SqliteStore(path)
    ada, bob = await two_players(hubs.open(store))
    moves = Move(ada, 4), Move(bob, 0, ply=1)
    for _ in range(rounds):
        await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), 10)
    for move in moves:
        assert await move.is_carried_out()
    assert not ada.member.live.lock.locked()
    again = SqliteStore(path)
    assert len(await load(again, ada.member.live.room.name)) == 6
    await again.close()
