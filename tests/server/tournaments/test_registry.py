"""The tournaments of a server: which of them are deleted."""

from random import Random
from unittest.mock import Mock

import pytest

from tests.server.fakes import ImmediateBroadcaster, RecordingListener
from tests.server.hubs import SIGNER, Hubs
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import Opening
from ttt_protocol.state import AiSetting, PersonId
from ttt_protocol.tournament.commands import (
    AddAi,
    Announce,
    Create,
    Finish,
    OrganiserCommand,
    Start,
)
from ttt_protocol.tournament.settings import Form, TournamentName, TournamentSettings
from ttt_server.ai.runner import StrategyRunner
from ttt_server.cli.games import room_names
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import RoomOwnership
from ttt_server.rooms.tokens import new_sessions
from ttt_server.storage.base import EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.tournaments.live import EventMember, LiveTournament
from ttt_server.tournaments.log import audit, log_name
from ttt_server.tournaments.public_list import encode_events
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.tournaments.rules.decide import command_of_organiser, enter, rename

FRIDAY = TournamentName("friday")
NOW = 1_000_000
AI = AiSetting(strategy="random", level=None)


def open_registry(store: EventStore, hub: Hub) -> TournamentRegistry:
    return TournamentRegistry(
        store,
        hub,
        ImmediateBroadcaster(),
        StrategyRunner(1, Random(0)),
        signer=SIGNER,
        sessions=new_sessions(),
        now=lambda: NOW,
    )


async def make(registry: TournamentRegistry) -> LiveTournament:
    """A match of two AIs that has been ended, with a room of its game."""
    live, _ = await registry.create(
        FRIDAY, Create(settings=TournamentSettings(form=Form.MATCH, games=3))
    )
    live.stop()
    new_id = registry.new_session

    async def tell(command: OrganiserCommand) -> None:
        await live.change(
            lambda it, now: command_of_organiser(it, command, now, live.name_room, new_id)
        )

    for _ in range(2):
        await tell(AddAi(ai=AI))
    await tell(Start())
    await live._advance()
    await registry._means.boards.open(live.it, live.it.game(1))
    await tell(Finish())
    return live


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


async def test_an_old_event_is_deleted_with_its_rooms(hubs: Hubs, store: MemoryStore) -> None:
    before = open_registry(store, hubs.open(store))
    live = await make(before)
    room = live.it.game(1).room
    await before.close()
    later = open_registry(store, hubs.open(store))
    await later.forget_silent(NOW)
    assert await later.read(FRIDAY) is not None  # it changed no earlier than that
    far = 10**15
    await later.forget_silent(far)
    assert await later.read(FRIDAY) is None
    assert not await store.browse("", 10)
    assert not (await store.load(room, 0)).lines


async def test_an_event_that_nobody_entered_is_deleted(hubs: Hubs, store: MemoryStore) -> None:
    before = open_registry(store, hubs.open(store))
    empty = TournamentName("empty")
    create = Create(settings=TournamentSettings(form=Form.SWISS))
    live, _ = await before.create(empty, create)
    live.stop()
    live, _ = await before.create(FRIDAY, create)
    live.stop()
    new_id = before.new_session
    await live.change(
        lambda it, now: command_of_organiser(
            it, AddAi(ai=AI), now, live.name_room, new_id, frozenset()
        )
    )
    await before.close()
    later = open_registry(store, hubs.open(store))
    await later.forget_silent(NOW, only_empty=True)
    assert await later.read(empty) is not None, "it changed no earlier than that"
    await later.forget_silent(NOW + 1, only_empty=True)
    assert await later.read(empty) is None
    assert await later.read(FRIDAY) is not None


async def test_an_event_in_memory_is_kept(hubs: Hubs, store: MemoryStore) -> None:
    registry = open_registry(store, hubs.open(store))
    await make(registry)
    await registry.forget_silent(10**15)
    assert await registry.read(FRIDAY) is not None
    await registry.close()


async def test_an_event_that_another_server_has_is_asked_for_there(
    hubs: Hubs, store: MemoryStore
) -> None:
    owner = open_registry(store, hubs.open(store))
    live = await make(owner)
    state = await owner.in_memory(log_name(FRIDAY))
    assert state == await live.whole_state()
    other = open_registry(store, hubs.open(store))
    assert await other.in_memory(log_name(FRIDAY)) is None
    assert await other.ask(FRIDAY) is None, "there are no other servers"
    elsewhere = Mock(spec=RoomOwnership)
    elsewhere.read.return_value = state
    other.share(elsewhere)
    assert await other.ask(FRIDAY) is state
    log, decode = elsewhere.read.call_args.args
    assert log == log_name(FRIDAY)
    assert decode(encode_message(state)) == state
    await owner.close()


async def test_a_change_after_the_end_is_told(hubs: Hubs, store: MemoryStore) -> None:
    registry = open_registry(store, hubs.open(store))
    live, _ = await registry.create(
        FRIDAY, Create(settings=TournamentSettings(form=Form.MATCH, games=3))
    )
    new_id = registry.new_session

    async def tell(command: OrganiserCommand) -> None:
        await live.change(
            lambda it, now: command_of_organiser(it, command, now, live.name_room, new_id)
        )

    await tell(Finish())
    assert live._running is not None
    await live._running
    watcher = RecordingListener()
    live.enter(EventMember(watcher, "watcher"))
    await tell(Announce(text="Well played"))
    assert any(b"Well played" in payload for payload in watcher.payloads)
    await registry.close()


async def test_an_event_is_no_room_whose_games_are_exported(hubs: Hubs, store: MemoryStore) -> None:
    registry = open_registry(store, hubs.open(store))
    live = await make(registry)
    await registry.close()
    room = live.it.game(1).room
    assert {last.room for last in await store.browse("", 10)} == {log_name(FRIDAY), room}
    assert await room_names(store) == [room]


async def test_an_opening_that_the_board_does_not_have(hubs: Hubs, store: MemoryStore) -> None:
    registry = open_registry(store, hubs.open(store))
    settings = TournamentSettings(form=Form.ARENA, opening=Opening.SWAP2)
    with pytest.raises(Refused) as refused:
        await registry.create(FRIDAY, Create(settings=settings))
    assert refused.value.reason == "settings.opening: swap2 needs 4 in a row or more"
    assert await registry.read(FRIDAY) is None


async def test_a_public_event_is_listed_without_anybody_there_and_after_a_restart(
    hubs: Hubs, store: MemoryStore
) -> None:
    registry = open_registry(store, hubs.open(store))
    for name, is_public in (("friday", True), ("monday", False)):
        settings = TournamentSettings(form=Form.ARENA, public=is_public)
        live, _ = await registry.create(TournamentName(name), Create(settings=settings))
        registry.release(live)
    assert [it.event for it in (await registry.listed()).events] == ["friday"]
    await registry.close()
    later = open_registry(store, hubs.open(store))
    await later.resume()
    assert [it.event for it in (await later.listed()).events] == ["friday"]
    ownership = Mock(spec=RoomOwnership)
    ownership.has.return_value = False
    ownership.read_events.return_value = []
    later.share(ownership)
    assert (await later.listed()).events == (), "another server may have it"
    ownership.read_events.return_value = [encode_events(registry._public.values())]
    assert [it.event for it in (await later.listed()).events] == ["friday"], "another process"
    ownership.read_events.return_value = []
    later.give_up()
    ownership.has.return_value = True
    assert (await later.listed()).events == ()
    await later.close()


async def test_a_deleted_event_is_not_listed(hubs: Hubs, store: MemoryStore) -> None:
    registry = open_registry(store, hubs.open(store))
    settings = TournamentSettings(form=Form.ARENA, public=True)
    live, _ = await registry.create(FRIDAY, Create(settings=settings))
    registry.release(live)
    await registry.forget_silent(10**15)
    assert (await registry.listed()).events == ()
    await registry.close()


async def test_a_person_is_forgotten_in_the_results(hubs: Hubs, each_store: EventStore) -> None:
    """In the log, which stays a good one, and for those who look at it."""
    registry = open_registry(each_store, hubs.open(each_store))
    live, _ = await registry.create(FRIDAY, Create(settings=TournamentSettings(form=Form.SWISS)))
    live.stop()
    ann, ben = registry.new_session(), registry.new_session()
    person = PersonId("ann1")
    await live.change(lambda it, now: enter(it, ann, "Änn", now, person=person))
    await live.change(lambda it, now: enter(it, ben, "Ben", now, person=PersonId("ben1")))
    await live.change(lambda it, now: rename(it, it[ann], "Annie", now))
    await registry.forget_person(person, "somebody")
    for it in (live.it, await registry._log.load(FRIDAY)):
        assert [(each.name, each.person) for each in it.entrants.values()] == [
            ("somebody", None),
            ("Ben", "ben1"),
        ]
    lines = (await each_store.load(log_name(FRIDAY), 0)).lines
    assert not any(trace in line for line in lines for trace in (b"ann1", b"Ann", "Änn".encode()))
    assert audit(FRIDAY, lines)[1] is None
    await registry.forget_person(person, "nobody")
    assert live.it[ann].name == "somebody", "who is forgotten is not found again"
