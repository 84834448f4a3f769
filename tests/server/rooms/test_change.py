"""One change of one room: in turn, decided once, written, and told when it is on disk."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.server.examples import DRAW, NOW, REMATCH, O, X
from tests.server.fakes import FragileStore, TakenStore, Time
from tests.server.hubs import (
    AI_IN_O,
    Hubs,
    TestMember,
    join_room,
    refused,
    run,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Command, Leave, Offer, Play, Resign
from ttt_protocol.events import Offered, Played
from ttt_protocol.state import ClockSetting, GivenSettings
from ttt_server.ai.runner import ChosenMove, StrategyRunner
from ttt_server.core.decide import decide
from ttt_server.core.errors import Refused
from ttt_server.rooms import change
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import Append, StorageFailed
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables


class Submitted:
    """A command that is under way, and what becomes of it."""

    def __init__(self, person: TestMember, command: Command) -> None:
        self.outcomes: list[BaseException | None] = []
        self._is_over = asyncio.Event()
        person.hub.submit(person.member, command, self._done)

    def _done(self, error: BaseException | None) -> None:
        self.outcomes.append(error)
        self._is_over.set()

    async def error(self) -> BaseException | None:
        """Wait for the outcome, which comes once: why it was not carried out, or `None`."""
        await asyncio.wait_for(self._is_over.wait(), 10)
        await asyncio.sleep(0)
        (error,) = self.outcomes
        return error

    async def is_done(self) -> bool:
        """Wait for the outcome, which is no bug; tell whether it was carried out."""
        error = await self.error()
        assert error is None or isinstance(error, Refused | StorageFailed)
        return error is None

    async def code(self) -> RefusalCode:
        error = await self.error()
        assert isinstance(error, Refused)
        return error.code


def move(person: TestMember, cell: int, ply: int = 0, game: int = 1) -> Submitted:
    return Submitted(person, Play(game=game, ply=ply, cell=cell))


def rematch(person: TestMember) -> Submitted:
    return Submitted(person, Offer(kind=REMATCH))


async def learn(*people: TestMember) -> None:
    """They are told of a move."""
    for person in people:
        await person.ear.until(lambda ear: "played" in ear.kinds)


async def test_a_move_is_kept_and_told(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    submitted = move(ada, 4)
    await learn(ada, bob, eve)
    assert await submitted.is_done()
    assert store.appends[-1] == ("played",)
    await bob.plays(0)
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [4, 0]
    assert ada.ear.states[-1] is bob.ear.states[-1] is eve.ear.states[-1]


async def test_the_author_is_told_first(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    told: list[TestMember] = []
    ada.ear.on_send = lambda: told.append(ada)
    bob.ear.on_send = lambda: told.append(bob)
    for submitted in (move(ada, 4), move(bob, 0, ply=1)):
        assert await submitted.is_done()
    assert told == [ada, bob, bob, ada]


async def test_it_is_not_told_before_it_is_kept(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.hold()
    submitted = move(ada, 4)
    await store.next_write()
    assert "played" not in bob.ear.kinds
    assert not submitted.outcomes
    assert ada.member.live.room.seq == 4
    store.gate.set()
    await learn(ada, bob)


async def test_a_change_has_no_task(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    tasks = asyncio.all_tasks()
    store.hold()
    submitted = move(ada, 4), move(bob, 0, ply=1)
    assert asyncio.all_tasks() == tasks
    store.gate.set()
    for each in submitted:
        assert await each.is_done()


async def test_one_change_at_a_time(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.gate.clear()
    first, second = move(ada, 4), move(bob, 0, ply=1)
    later = asyncio.create_task(ada.says(Offer(kind=DRAW)))
    store.gate.set()
    await later
    assert await first.is_done()
    assert await second.is_done()
    assert ada.ear.kinds[-3:] == ["played", "played", "offered"]


async def test_the_room_is_changed_in_the_order_of_the_commands(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    live = ada.member.live
    await live.lock.acquire()
    offering = asyncio.create_task(bob.says(Offer(kind=DRAW)))
    await asyncio.sleep(0)
    submitted = move(ada, 4)
    live.lock.release()
    await offering
    assert await submitted.is_done()
    assert ada.ear.kinds[-2:] == ["offered", "played"]


async def test_a_refusal_or_a_repeat_writes_nothing(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub, 4)
    eve = await spectate(hub)
    writes, heard = len(store.appends), len(ada.ear.payloads)
    assert await move(ada, 0, ply=1).code() == "not_your_turn"
    assert await move(bob, 4, ply=1).code() == "cell_taken"
    assert await move(eve, 0, ply=1).code() == "not_a_player"
    assert len(ada.ear.payloads) == heard
    assert await move(ada, 4, ply=0).is_done(), "played before"
    assert ada.ear.of("update")[-1]["events"] == []
    assert len(store.appends) == writes
    assert not ada.member.live.lock.locked()


async def test_a_refused_command_is_decided_once(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[object] = []

    def count(*args: object) -> object:
        decided.append(args)
        return decide(*args)  # type: ignore[arg-type]  # as it was called

    ada, _ = await two_players(hub, 4)
    monkeypatch.setattr(change, "decide", count)
    assert await move(ada, 0, ply=1).code() == "not_your_turn"
    assert len(decided) == 1


async def test_a_log_that_may_be_ahead_is_read_first(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    rival = Played(seq=5, at=NOW, game=1, ply=0, seat=X, cell=8)
    store.rivals = [(rival,)]
    assert await move(ada, 4).code() == "stale_ply"
    assert store.loads == 1
    assert await move(bob, 0, ply=1).is_done()
    assert store.loads == 1, "it is not read again"
    assert ada.ear.messages[-1]["room"]["game"]["moves"] == [8, 0]


async def test_a_log_that_cannot_be_read_changes_nothing(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    ada.member.live.begin_write()
    store.fails_to_load = True
    assert isinstance(await move(ada, 4).error(), StorageFailed)
    assert not ada.member.live.lock.locked()
    store.fails_to_load = False
    assert await move(ada, 4).is_done()
    assert bob.ear.kinds == ["played"]


async def test_a_fallen_flag_goes_first(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    assert await move(ada, 4).code() == "game_over"
    assert bob.ear.kinds == ["ended"]


async def test_what_is_overdue_and_what_is_asked_are_one_write(
    hubs: Hubs, store: FragileStore
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    assert await rematch(ada).is_done()
    assert store.appends[-1] == ("ended", "offered")
    first, second = bob.ear.of("update")
    assert [event["type"] for event in first["events"]] == ["ended"]
    assert [event["type"] for event in second["events"]] == ["offered"]


async def test_a_refusal_waits_until_what_is_overdue_is_kept(
    hubs: Hubs, store: FragileStore
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    store.hold()
    submitted = move(ada, 4)
    await store.next_write()
    assert not submitted.outcomes
    assert not bob.ear.kinds
    store.gate.set()
    assert await submitted.code() == "game_over"
    assert store.appends[-1] == ("ended",)


async def test_a_repeat_after_the_flag_is_told_the_end(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    clock = GivenSettings(clock=ClockSetting(initial_s=60))
    ada, _ = await two_players(hub, 4, settings=clock)
    time.passes(61_000)
    assert await move(ada, 4).is_done()
    assert [len(update["events"]) for update in ada.ear.of("update")[-2:]] == [1, 0]


async def test_a_flag_that_cannot_be_kept_is_no_refusal(hubs: Hubs, store: FragileStore) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    store.failures = 1
    assert isinstance(await move(ada, 4).error(), StorageFailed)
    assert not bob.ear.kinds
    assert await move(ada, 4).code() == "game_over"


async def test_a_flag_that_another_process_has_seen_fall(hubs: Hubs, store: FragileStore) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    time.passes(61_000)
    store.rivals = [(Offered(seq=5, at=NOW, kind=DRAW, seat=O),)]
    assert await move(ada, 4).is_done(), "the log's last word is later than the flag"
    assert bob.ear.kinds == ["offered", "played"]


async def test_a_move_that_could_not_be_kept_is_not_told(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.failures = 1
    assert isinstance(await move(ada, 4).error(), StorageFailed)
    assert "played" not in bob.ear.kinds
    assert await move(ada, 4).is_done()
    assert bob.ear.kinds == ["played"]


async def test_another_process_that_is_always_first(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub)
    store.rivals = [(Offered(seq=5 + number, at=NOW, kind=DRAW, seat=O),) for number in range(3)]
    error = await move(ada, 4).error()
    assert isinstance(error, StorageFailed)
    assert "keep writing" in str(error)
    assert store.loads == 2
    assert await move(ada, 4).is_done()


async def test_no_write_is_tried_for_ever(hubs: Hubs) -> None:
    with pytest.raises(StorageFailed, match="keep writing"):
        await join_room(hubs.open(TakenStore()))


async def test_an_answer_is_kept_with_the_move_and_told_after_it(
    hub: Hub, store: FragileStore
) -> None:
    ada, eve = await join_room(hub, settings=AI_IN_O), await spectate(hub)
    changes: list[int] = []
    hub.observers.subscribe(lambda _: changes.append(len(ada.ear.states)))
    submitted = move(ada, 4)
    await eve.ear.learns("played", 2)
    assert await submitted.is_done()
    assert store.appends[-1] == ("played", "played")
    first, second = ada.ear.of("update")
    assert [event["seat"] for event in first["events"]] == ["X"]
    assert [event["seat"] for event in second["events"]] == ["O"]
    assert first["room"]["game"]["moves"] == [4]
    assert second["room"]["game"]["moves"] == [4, second["events"][0]["cell"]]
    assert second["room"]["seq"] == first["room"]["seq"] + 1
    assert ada.ear.states == eve.ear.states
    assert hub.log.moves == 2
    assert changes == [2], "in between, the room is to do nothing by itself"
    assert not ada.member.live.is_stale


async def test_neither_a_move_nor_its_answer_is_told_before_they_are_kept(
    hub: Hub, store: FragileStore
) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    store.hold()
    move(ada, 4)
    await store.next_write()
    assert not ada.ear.kinds
    assert ada.member.live.is_stale
    store.gate.set()
    await ada.ear.learns("played", 2)


async def test_where_they_cannot_be_kept_there_is_neither(hub: Hub, store: FragileStore) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    store.failures = 1
    assert not await move(ada, 4).is_done()
    assert not ada.ear.kinds
    await ada.plays(4)
    await ada.ear.learns("played", 2)


async def test_a_bug_in_an_answer_does_not_stop_the_human(
    hubs: Hubs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> ChosenMove:
        raise RuntimeError

    monkeypatch.setattr(StrategyRunner, "choose_at_once", fail)
    ada = await join_room(hubs.open(), settings=AI_IN_O)
    assert await move(ada, 4).is_done()
    assert [record.getMessage() for record in caplog.records] == ["no answer at once"]
    await ada.ear.learns("played", 2)


async def test_an_answer_that_could_not_be_told_is_told_by_the_log(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    live = ada.member.live
    with monkeypatch.context() as patch:
        patch.setattr(Announcer, "update", fault)
        assert isinstance(await move(ada, 4).error(), RuntimeError)
    assert not live.lock.locked()
    await ada.says(Play(game=1, ply=0, cell=4))
    assert [event["seat"] for event in ada.ear.events] == ["O"]
    assert live.room.ai_to_move is None


async def test_a_bug_in_a_decision_leaves_the_room_as_it_was(
    hub: Hub, store: FragileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = await two_players(hub)
    writes = len(store.appends)
    with monkeypatch.context() as patch:
        patch.setattr(change, "decide", fault)
        assert isinstance(await move(ada, 4).error(), RuntimeError)
    assert len(store.appends) == writes
    assert await move(ada, 4).is_done()
    assert bob.ear.kinds == ["played"]


def fault(*_: object, **__: object) -> None:
    raise RuntimeError


@pytest.mark.parametrize("settings", [GivenSettings(), AI_IN_O], ids=["a human", "an AI"])
async def test_the_sleep_of_the_machine_in_the_middle_of_a_write_is_charged_to_no_one(
    hubs: Hubs, store: FragileStore, settings: GivenSettings
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    clock = ClockSetting(initial_s=60)
    ada = await join_room(hub, settings=settings.model_copy(update={"clock": clock}))
    if settings is not AI_IN_O:
        await join_room(hub, "bob")
    store.hold()
    submitted = move(ada, 4)
    await store.next_write()
    time.jumps(600_000)
    store.gate.set()
    assert await submitted.is_done()
    assert ada.member.live.left_to_move_s == 60
    for update in ada.ear.of("update")[1:]:
        told = update["room"]["game"]["clock"]
        assert (told["X"], told["O"]) == (60_000, 60_000)


WON_BY_X = 0, 3, 1, 4, 2


async def test_two_offers_at_once_are_an_agreement(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    offers = rematch(ada), rematch(bob)
    for offer in offers:
        assert await offer.is_done()
    assert store.appends[-2:] == [("offered",), ("started",)]
    assert ada.member.live.room.score.O == 1, "the winner's score went with her"
    assert await move(bob, 4, game=2).is_done(), "who played O moves first"


async def test_an_offer_meets_no_other_of_the_same_player(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub, *WON_BY_X)
    first, again = rematch(ada), rematch(ada)
    assert await first.is_done()
    assert await again.is_done()
    assert store.appends[-1] == ("offered",)
    assert ada.ear.of("update")[-1]["events"] == []


async def test_an_offer_that_could_not_be_kept_is_met_by_none(
    hub: Hub, store: FragileStore
) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    store.failures = 1
    first, second = rematch(ada), rematch(bob)
    assert not await first.is_done()
    assert await second.is_done()
    assert bob.ear.kinds[-1] == "offered"
    assert ada.member.live.room.offers.rematch is O


async def test_two_draws_offered_at_once_end_the_game(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    for offer in (Submitted(ada, Offer(kind=DRAW)), Submitted(bob, Offer(kind=DRAW))):
        assert await offer.is_done()
    assert store.appends[-2:] == [("offered",), ("ended",)]


async def test_an_offer_that_is_refused_is_met_by_none(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    for offer in (rematch(ada), rematch(bob)):
        assert await offer.code() == "not_allowed", "they are playing"


async def test_an_offer_waits_for_its_turn(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub, *WON_BY_X)
    live = ada.member.live
    await live.lock.acquire()
    first = rematch(ada)
    leaving = asyncio.create_task(bob.says(Leave()))
    await asyncio.sleep(0)
    live.lock.release()
    second = rematch(bob)  # on another connection
    await leaving
    assert await first.is_done()
    assert await second.code() == "not_a_player", "bob has left"
    assert store.appends[-2:] == [("offered",), ("left",)]


async def test_a_bug_of_the_store_holds_no_room(
    hub: Hub, store: FragileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = await two_players(hub)
    bugs, append = [ZeroDivisionError()], store.append

    def fail(appends: Sequence[Append]) -> None:
        if bugs:
            raise bugs.pop()
        append(appends)

    monkeypatch.setattr(store, "append", fail)
    failed, offer = move(ada, 4), Submitted(bob, Offer(kind=DRAW))
    assert isinstance(await failed.error(), ZeroDivisionError)
    assert await offer.is_done()
    assert await move(ada, 4).is_done()
    assert await move(bob, 0, ply=1).is_done()


async def test_changes_of_one_turn_go_to_the_store_together(
    hubs: Hubs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "den.sqlite3")
    hub = hubs.open(store)
    ada, _ = await two_players(hub)
    carl, _ = await two_players(hub, room="lair")
    commits: list[EventTables] = []
    commit = EventTables.commit

    def count(tables: EventTables) -> None:
        commits.append(tables)
        commit(tables)

    monkeypatch.setattr(EventTables, "commit", count)
    for submitted in [move(ada, 4), move(carl, 4)]:
        assert await submitted.is_done()
    assert len(commits) == 1
    await store.close()


async def test_a_clock_that_was_set_in_the_middle_of_a_turn(hubs: Hubs) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    carl, _ = await two_players(hub, room="lair")
    clock = ClockSetting(initial_s=60)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=clock))
    time.passes(10_000)
    submitted = [move(carl, 4)]
    time.jumps(600_000)
    assert hub.registry.now() == NOW + 610_000, "something looks at it"
    submitted.append(move(ada, 4))
    for each in submitted:
        assert await each.is_done()
    assert ada.ear.of("update")[-1]["room"]["game"]["clock"]["X"] == 50_000


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_is_no_players_loss(hubs: Hubs, by: int) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    clock = ClockSetting(initial_s=60)
    ada, _ = await two_players(hub, settings=GivenSettings(clock=clock))
    time.passes(10_000)
    time.jumps(by)
    assert await move(ada, 4).is_done()
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
    submitted = move(ada, 4)
    await store.next_write()
    time.jumps(by)
    assert hub.registry.now() == NOW + 10_000 + by, "something looks at it"
    store.gate.set()
    assert await submitted.is_done()
    told = ada.ear.of("update")[-1]["room"]["game"]["clock"]
    assert (told["X"], told["O"]) == (50_000, 60_000)
    assert ada.member.live.left_to_move_s == 60


@pytest.mark.parametrize("turns", [0, 1, 2])
@pytest.mark.parametrize("attempt", range(4))  # the thread may be sooner or later
async def test_what_waits_for_a_write_is_written_before_the_store_ends(
    hubs: Hubs, tmp_path: Path, turns: int, attempt: int
) -> None:
    path = tmp_path / f"{attempt}.sqlite3"
    store = SqliteStore(path)
    ada, bob = await two_players(hubs.open(store))
    submitted = move(ada, 4), move(bob, 0, ply=1)
    for _ in range(turns):
        await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), 10)
    for each in submitted:
        assert await each.is_done()
    assert not ada.member.live.lock.locked()
    again = SqliteStore(path)
    assert len(await load(again, ada.member.live.room.name)) == 6
    await again.close()


async def test_what_waits_for_a_log_ends_with_the_hub(
    hub: Hub, store: FragileStore, caplog: pytest.LogCaptureFixture
) -> None:
    ada, bob = await two_players(hub)
    store.may_load.clear()
    ada.member.live.begin_write()
    with caplog.at_level(logging.WARNING):
        submitted = move(ada, 4), move(bob, 0, ply=1)
        await hub.close()
    for each in submitted:
        assert isinstance(await each.error(), asyncio.CancelledError)
    assert not ada.member.live.lock.locked()
    assert not caplog.records


async def test_each_end_of_a_game_is_reported_once(hub: Hub) -> None:
    ended: list[int] = []

    def note(live: LiveRoom) -> None:
        assert live.room.game is not None
        ended.append(live.room.game.number)

    hub.observers.call_on_end(note)
    ada, bob = await two_players(hub, *WON_BY_X)
    assert ended == [1]
    for person in (ada, bob):
        assert await rematch(person).is_done()
    assert ended == [1]
    await ada.says(Resign(game=2))
    assert ended == [1, 2]


async def test_a_task_that_waits_is_given_the_refusal(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    assert await refused(run(hub, ada.member, Play(game=2, ply=0, cell=4))) == "wrong_game"
    await run(hub, ada.member, Play(game=1, ply=0, cell=4))
    assert ada.ear.kinds[-1] == "played"
