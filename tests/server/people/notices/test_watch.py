"""Which notices rooms and events owe: with a hub, its rooms, and the tables in memory."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest

from tests.server.hubs import AI_IN_O, Hubs, TestMember, join_room
from tests.server.tournaments.test_registry import FRIDAY, open_registry
from ttt_protocol.commands import Leave, Offer, Resign
from ttt_protocol.notices import Notice
from ttt_protocol.state import OfferKind, PersonId, RoomName, SessionId
from ttt_protocol.tournament.commands import Create, OrganiserCommand, Start
from ttt_protocol.tournament.settings import Form, TournamentSettings
from ttt_server.core.seating import KeptName
from ttt_server.people.notices import watch as watches
from ttt_server.people.notices.ledger import Ledger, NoticeCounters
from ttt_server.people.notices.rules import ABSENCE_MS, owed_end, owed_round, owed_turn
from ttt_server.people.notices.watch import NoticeWatch
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.people import Statement
from ttt_server.tournaments.live import LiveTournament
from ttt_server.tournaments.rules.decide import command_of_organiser, enter

ANN: Final = KeptName(PersonId("ann1"), "Ann")
BO: Final = KeptName(PersonId("bo1"), "Bo")
INDEXED: Final = """
INSERT INTO games (
    room, game, person, seq, stage, at, seat, board, opponent, opponent_key, opponent_person,
    is_public, facts
) VALUES ('den', 1, 'ann1', 1, 0, $1, 'X', '3x3x3', 'Bo', 'bo', 'bo1', 1, '{}')"""


class Post:
    """A hub whose rooms are watched, and the tables of its notices."""

    def __init__(self, store: MemoryStore, hub: Hub) -> None:
        self.store, self.hub = store, hub
        self.ledger = Ledger(store.people, is_shared=False)
        self.due: list[int] = []
        self.counters = NoticeCounters()
        self.watch = NoticeWatch(
            self.ledger,
            hub.registry.get,
            self._load,
            self.due.append,
            hub.registry.now,
            self.counters,
        )
        self.loaded: list[str] = []
        self.is_marked = self.watch._wake
        hub.feed.subscribe(self.watch.changed)
        hub.observers.call_on_presence(self.watch.entered)

    async def _load(self, name: RoomName) -> LiveRoom | None:
        self.loaded.append(name)
        return await self.hub.upkeep.look_at(name)

    async def waiting(self) -> list[tuple[str, str, int]]:
        """The notices that wait: kind, person, and the ply or round."""
        while self.watch._marked:
            await self.watch._look_at_some()
        if self.watch._rounds_begun:
            await self.watch._look_at_rounds()
        sql = "SELECT notice, person, due FROM notices WHERE told = 0 ORDER BY person, id"
        (rows,) = await self.store.people.transact([Statement(sql)])
        found: list[tuple[str, str, int]] = []
        for notice, person, _ in rows:
            told = Notice.model_validate_json(str(notice))
            found.append((told.kind, str(person), told.ply or told.round or 0))
        return found

    async def game(self, *cells: int) -> tuple[TestMember, TestMember]:
        """Ann in X and Bo in O, after these cells."""
        ann, bo = await join_room(self.hub, person=ANN), await join_room(self.hub, person=BO)
        for number, cell in enumerate(cells):
            await (ann, bo)[number % 2].plays(cell)
        return ann, bo


@pytest.fixture
async def post(hubs: Hubs) -> AsyncIterator[Post]:
    store = MemoryStore()
    post = Post(store, hubs.open(store))
    yield post
    post.watch.close()
    await store.close()


async def test_who_is_there_is_owed_nothing(post: Post) -> None:
    await post.game(0, 4)
    assert await post.waiting() == []


async def test_moves_of_those_who_are_there_cost_no_look(post: Post) -> None:
    ann, bo = await post.game(0)
    assert await post.waiting() == []
    told: list[int] = []
    post.hub.feed.subscribe(lambda _, after, __: told.append(after.seq))
    await bo.plays(4)
    await ann.plays(1)
    await bo.plays(5)
    assert not told
    bo.exits()
    await ann.plays(8)
    assert told == [ann.member.live.room.seq], "as one is away"
    assert await post.waiting() == [("turn", "bo1", 5)]


async def test_who_goes_is_owed_the_turn(post: Post) -> None:
    ann, _ = await post.game(0, 4)
    before = post.hub.registry.now()
    ann.exits()
    assert await post.waiting() == [("turn", "ann1", 2)]
    (due,) = post.due
    assert before + ABSENCE_MS <= due <= post.hub.registry.now() + ABSENCE_MS


async def test_who_is_away_as_the_turn_comes_is_owed_it(post: Post) -> None:
    ann, bo = await post.game(0)
    ann.exits()
    assert await post.waiting() == []
    await bo.plays(4)
    assert await post.waiting() == [("turn", "ann1", 2)]


async def test_who_comes_back_in_time_is_owed_nothing(post: Post) -> None:
    ann, _ = await post.game(0, 4)
    ann.exits()
    await post.waiting()
    await join_room(post.hub, person=ANN)
    assert await post.waiting() == []


async def test_a_look_at_an_unchanged_room_writes_nothing(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    await post.waiting()
    bo.exits()

    async def settle(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(post.ledger, "settle", settle)
    assert await post.waiting() == [("turn", "ann1", 2)]


async def test_guests_are_owed_nothing(post: Post) -> None:
    ada, bob = await join_room(post.hub), await join_room(post.hub, "bob")
    await ada.plays(0)
    bob.exits()
    assert not post.watch._marked


async def test_the_end_is_told_to_those_who_did_not_see_it(post: Post) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    await bo.says(Resign(game=1))
    assert await post.waiting() == [("end", "ann1", 2)]
    bo.exits()  # has seen it
    assert await post.waiting() == [("end", "ann1", 2)]


async def test_an_end_waits_as_long_as_the_person_is_away(post: Post) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    await bo.says(Resign(game=1))
    await post.waiting()
    await bo.says(Offer(kind=OfferKind.REMATCH))
    assert await post.waiting() == [("end", "ann1", 2)]
    await join_room(post.hub, person=ANN)
    assert await post.waiting() == []


async def test_a_seat_that_is_given_up_owes_nothing(post: Post) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    await post.waiting()
    await bo.says(Resign(game=1))
    await bo.says(Leave())
    assert await post.waiting() == [("end", "ann1", 2)]


async def test_the_same_turn_has_the_same_notice_after_a_restart(post: Post, hubs: Hubs) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    bo.exits()
    await post.waiting()
    (rows,) = await post.store.people.transact([Statement("SELECT id FROM notices")])
    again = Post(post.store, hubs.open(post.store))
    live = await again.hub.upkeep.look_at(RoomName("den"))
    assert live is not None
    again.watch.entered(live)
    assert await again.waiting() == [("turn", "ann1", 2)]
    (others,) = await post.store.people.transact([Statement("SELECT id FROM notices")])
    assert others == rows


async def test_a_failure_of_the_store_is_made_up_for(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    await bo.says(Resign(game=1))

    async def settle(_: object) -> None:
        raise StorageFailed

    with monkeypatch.context() as patch:
        patch.setattr(post.ledger, "settle", settle)
        with pytest.raises(StorageFailed):
            await post.watch._look_at_some()
    assert await post.waiting() == [("end", "ann1", 2)]


async def test_the_oldest_rooms_are_left_out_beyond_a_bound(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watches, "MOST_MARKED", 1)
    for room in ("one", "two"):
        one = await join_room(post.hub, person=ANN, room=room)
        one.exits()
    assert list(post.watch._marked) == ["two"]
    assert post.counters.dropped == 1


class Event:
    """An event with a round of Ann, Bo and others."""

    def __init__(self, live: LiveTournament) -> None:
        self.live = live

    async def tell(self, command: OrganiserCommand) -> None:
        await self.live.change(
            lambda it, now: command_of_organiser(
                it, command, now, self.live.name_room, lambda: SessionId("")
            )
        )


async def test_a_round_is_told_to_those_who_stay_away(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NoticeWatch, "absence_ms", 1)
    registry = open_registry(post.store, post.hub)
    registry.subscribe(post.watch.event_changed)
    wished = Create(title="The cup", settings=TournamentSettings(form=Form.ROUND_ROBIN))
    live, _ = await registry.create(FRIDAY, wished)
    live.stop()
    for name in (ANN, BO):
        await live.change(
            lambda it, now, who=name: enter(  # type: ignore[misc]
                it, SessionId(f"s{who.person}"), who.name, now, person=who.person
            )
        )
    await Event(live).tell(Start())
    await live._advance()
    assert live.it.round == 1
    live._left[SessionId("sbo1")] = live._now()  # on the way from one page to another: here
    post.watch._absence_is_over(live, 1)
    assert await post.waiting() == [("round", "ann1", 1)]
    post.watch._absence_is_over(live, 2)
    assert not post.watch._rounds_begun
    await registry.close()


async def test_a_turn_that_a_killed_server_did_not_look_at_is_found(
    post: Post, hubs: Hubs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await post.game(0, 4)
    ann.exits()
    bo.exits()
    await post.store.people.transact([Statement(INDEXED, (1,))])  # and there is no notice
    monkeypatch.setattr(watches, "_MISSED_S", 0)
    again = Post(post.store, hubs.open(post.store))
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        looking = group.create_task(again.watch.look_for_missed())
        await again.is_marked.wait()
        looking.cancel()
    assert await again.waiting() == [("turn", "ann1", 2)]
    assert again.loaded == ["den"]
    assert await again.ledger.missed(0, again.hub.registry.now()) == []


async def test_a_round_of_an_event_that_is_over_is_nobodys(post: Post) -> None:
    registry = open_registry(post.store, post.hub)
    live, _ = await registry.create(FRIDAY, Create(settings=TournamentSettings(form=Form.SWISS)))
    live.stop()
    running = replace(live.it, status="running", round=1)
    post.watch.event_changed(live, running)
    assert len(post.watch._absences) == 1
    post.watch.event_changed(live, running)
    assert len(post.watch._absences) == 1
    post.watch.event_changed(live, replace(running, status="finished", round=2))
    assert post.watch._rounds == {}
    assert owed_round(live.it, frozenset(), 0) == ()
    await registry.close()


async def test_an_ai_is_owed_nothing_and_a_draw_is_told(post: Post) -> None:
    ann, bo = await post.game(0, 4, 8, 1, 7, 6, 2, 5)
    bo.exits()
    await ann.plays(3)
    (told,) = owed_end(ann.member.live.room, ann.member.live.away_since)
    assert (told.notice.result, told.person) == ("drawn", "bo1")
    assert owed_turn(ann.member.live.room, ann.member.live.away_since) is None
    with_ai = await join_room(post.hub, person=ANN, room="ai", settings=AI_IN_O)
    room = with_ai.member.live.room
    assert owed_end(room, lambda _: 0) == ()
    turn = owed_turn(room, lambda _: 0)
    assert turn is not None
    assert turn.notice.opponent is not None
    await with_ai.says(Resign(game=1))
    (end,) = owed_end(with_ai.member.live.room, lambda _: 0)
    assert (end.person, end.notice.result) == ("ann1", "lost")
    empty = await join_room(post.hub, person=ANN, room="empty")
    assert owed_turn(empty.member.live.room, lambda _: 0) is None
    assert owed_end(empty.member.live.room, lambda _: 0) == ()


def test_absences_are_as_long_as_promised() -> None:
    assert NoticeWatch.absence_ms == ABSENCE_MS == 20_000
