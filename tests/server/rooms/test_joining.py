"""A join: what is decided, written and told, and what has to be found out before."""

import asyncio
import gc

import pytest

from tests.server.examples import NOW
from tests.server.fakes import FragileStore, Time
from tests.server.hubs import (
    AI_IN_O,
    Hubs,
    Joiner,
    changed,
    join_room,
    maker_of,
    public_rooms,
    refused,
    two_players,
)
from ttt_protocol.codes import CloseCode
from ttt_protocol.commands import Join, Leave
from ttt_protocol.state import ClockSetting, GivenSettings, Mark, Role, Token
from ttt_server.rooms import announcer as announcer_module
from ttt_server.rooms import change, joining
from ttt_server.rooms.announcer import Announcer
from ttt_server.rooms.hub import Hub
from ttt_server.storage.base import StorageFailed

BOB = Join(name="bob")


async def test_two_who_come_are_kept_welcomed_and_told_of(hub: Hub, store: FragileStore) -> None:
    ada = await Joiner(hub).member()
    bob = await Joiner(hub, BOB).member()
    assert store.appends == [("created", "seated"), ("seated", "started")]
    assert store.loads == 0
    assert (ada.you["seat"], bob.you["seat"]) == ("X", "O")
    assert ada.ear.kinds == ["seated", "started"]
    assert [message["type"] for message in bob.ear.messages] == ["welcome"]
    assert bob.ear.of("welcome")[0]["room"] == ada.ear.of("update")[0]["room"]
    await ada.plays(4)
    assert bob.ear.kinds == ["played"]


async def test_a_room_after_two_joins(hub: Hub) -> None:
    for name in ("ada", "bob"):
        assert await Joiner(hub, Join(name=name)).is_in()
    (live,) = hub.registry.all
    assert (live.joining, live.opened_from, maker_of(hub, live)) == (0, "here", "here")
    assert not live.is_stale
    assert not live.lock.locked()


async def test_a_plain_join_has_no_task(hub: Hub, store: FragileStore) -> None:
    tasks = asyncio.all_tasks()
    store.gate.clear()
    ada, bob = Joiner(hub), Joiner(hub, BOB)
    assert asyncio.all_tasks() == tasks
    store.gate.set()
    assert [await each.is_in() for each in (ada, bob)] == [True, True]


async def test_a_join_that_is_over_is_freed_without_garbage_collection(hub: Hub) -> None:
    gc.disable()
    try:
        ada = await Joiner(hub).member()
        await refused(join_room(hub, token="forged"))
        await asyncio.sleep(0)
        kinds = (joining.Arrival, change.Change)
        joins = [each for each in gc.get_objects() if type(each) in kinds]
    finally:
        gc.enable()
    assert not [each for each in joins if each.live is ada.member.live]


async def test_their_token_gives_them_their_seat_back(hub: Hub) -> None:
    ada = await Joiner(hub, Join(name="ada", seat=Mark.O)).member()
    ada.exits()
    again = await join_room(hub, token=ada.token)
    assert again.you["seat"] == "O"
    assert again.you["id"] == ada.you["id"]


async def test_the_others_hear_of_the_step_before_they_hear_who_is_here(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcer_module, "PRESENCE_INTERVAL_S", 0)
    ada = await Joiner(hub).member()
    await Joiner(hub, BOB).member()
    kinds = [message["type"] for message in ada.ear.messages]
    assert kinds == ["welcome", "presence", "update", "presence"]


async def test_a_room_is_of_those_who_opened_and_made_it(hub: Hub) -> None:
    assert await Joiner(hub).is_in()
    assert await Joiner(hub, BOB, address="there").is_in()
    (live,) = hub.registry.all
    assert (live.opened_from, maker_of(hub, live)) == ("here", "here")


async def test_nobody_is_welcome_before_it_is_kept(hub: Hub, store: FragileStore) -> None:
    store.gate.clear()
    ada = Joiner(hub)
    await store.next_write()
    (live,) = hub.registry.all
    assert not ada.ear.messages
    assert live.joining == 1
    assert not live.room.seq
    store.gate.set()
    assert await ada.is_in()
    assert ada.ear.of("welcome")


async def test_of_many_who_come_at_once_two_take_the_seats(hub: Hub, store: FragileStore) -> None:
    coming = [Joiner(hub, Join(name=name)) for name in ("ada", "bob", "eve")]
    assert [await each.is_in() for each in coming] == [True, True, False]
    assert store.appends == [("created", "seated"), ("seated", "started")], "one after the other"
    (live,) = hub.registry.all
    assert live.joining == 0
    assert live.room.game is not None
    assert await refused(join_room(hub, "eve")) == "room_full"


async def test_a_room_with_settings_of_its_own(hub: Hub) -> None:
    await join_room(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    bob = await Joiner(hub, BOB).member()
    assert bob.ear.of("welcome")[0]["room"]["game"]["clock"]["running"] == "X"
    assert "flag" in bob.member.live.timers


async def test_a_room_in_which_hints_are_given_is_expected_to_ask(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[object] = []
    monkeypatch.setattr(hub.joining.runner, "expect_to_evaluate", expected.append)
    await join_room(hub, settings=GivenSettings(hints=True))
    assert await Joiner(hub, BOB).is_in()
    assert len(expected) == 2


async def test_an_ai_that_is_to_move_does(hub: Hub) -> None:
    ada = await join_room(hub, settings=AI_IN_O.model_copy(update={"pace_s": 0}))
    await ada.says(Leave())
    ada.exits()
    bob = await Joiner(hub, Join(name="bob", seat=Mark.X)).member()
    await bob.plays(4)
    await bob.ear.learns("played", 2)


@pytest.mark.parametrize(
    ("join", "code"),
    [
        (Join(name="eve", role=Role.SPECTATOR), "no_such_room"),
        (Join(name="eve", token=Token("forged")), "bad_token"),
    ],
    ids=["a spectator", "a token"],
)
async def test_a_refused_join_makes_no_room(hub: Hub, join: Join, code: str) -> None:
    eve = Joiner(hub, join)
    assert await refused(eve.member()) == code
    assert not eve.ear.messages
    await changed(hub, lambda: not hub.registry.all)


@pytest.mark.parametrize(
    "join",
    [Join(name="eve", password="swordfish"), Join(name="eve", settings=GivenSettings())],
    ids=["a password that no room asks for", "settings"],
)
async def test_a_join_that_asks_for_more_than_a_seat(hub: Hub, join: Join) -> None:
    assert await Joiner(hub, join).is_in()


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (GivenSettings(password="swordfish"), BOB),
        (AI_IN_O, BOB),
        (GivenSettings(), Join(name="bob", seat=Mark.X)),
    ],
    ids=["a password", "a full room", "a seat that is taken"],
)
async def test_a_seat_that_may_not_be_had(
    hub: Hub, store: FragileStore, room: GivenSettings, join: Join
) -> None:
    await join_room(hub, settings=room)
    writes = len(store.appends)
    bob = Joiner(hub, join)
    assert not await bob.is_in()
    assert not bob.ear.messages
    (live,) = hub.registry.all
    assert not live.joining
    assert not live.lock.locked()
    assert len(live.members.recipients()) == 1
    assert len(store.appends) == writes


async def test_a_room_of_which_only_the_log_knows(
    hubs: Hubs, hub: Hub, store: FragileStore
) -> None:
    await two_players(hub)
    restarted = hubs.open(store)
    bob = Joiner(restarted)
    assert await refused(bob.member()) == "room_full"
    assert not bob.ear.messages
    assert not restarted.registry._made, "it was made by others"


async def test_a_log_that_may_be_ahead_is_read_first(hub: Hub, store: FragileStore) -> None:
    ada = await join_room(hub)
    ada.member.live.begin_write()
    assert await Joiner(hub, BOB).is_in()
    assert store.loads == 1


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_is_nobodys_loss(hubs: Hubs, by: int) -> None:
    time = Time(NOW)
    hub = hubs.open(time=time)
    ada, bob = await two_players(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    await bob.says(Leave())
    time.jumps(by)
    eve = await Joiner(hub, Join(name="eve")).member()
    assert eve.ear.of("welcome")[0]["room"]["game"]["clock"]["X"] == 60_000
    assert ada.member.live.left_to_move_s == 60


@pytest.mark.parametrize("by", [3_600_000, -3_600_000])
async def test_a_clock_that_was_set_while_the_first_game_was_written(
    hubs: Hubs, store: FragileStore, by: int
) -> None:
    time = Time(NOW)
    hub = hubs.open(store, time=time)
    ada = await join_room(hub, settings=GivenSettings(clock=ClockSetting(initial_s=60)))
    store.hold()
    bob = Joiner(hub, BOB)
    await store.next_write()
    time.jumps(by)
    assert hub.registry.now() == NOW + by, "somebody looks at it"
    store.gate.set()
    told = (await bob.member()).ear.of("welcome")[0]["room"]["game"]["clock"]
    assert (told["X"], told["O"]) == (60_000, 60_000)
    assert ada.member.live.left_to_move_s == 60


async def test_a_full_server(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms=1)
    assert await Joiner(hub).is_in()
    assert not await Joiner(hub, room="lair").is_in()
    assert await Joiner(hub).is_in()


async def test_too_many_rooms_of_an_address(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms_per_address=1)
    assert await Joiner(hub).is_in()
    assert not await Joiner(hub, room="lair").is_in()
    assert await Joiner(hub, room="lair", address="there").is_in()


async def test_a_join_that_cannot_be_kept(hub: Hub, store: FragileStore) -> None:
    store.failures = 1
    ada = Joiner(hub)
    (live,) = hub.registry.all
    with pytest.raises(StorageFailed):
        await ada.member()
    assert not ada.ear.messages
    assert not live.lock.locked()
    assert live.is_deserted
    await changed(hub, lambda: not hub.registry.all)
    assert not hub.registry._made
    again = await join_room(hub)
    assert again.you["seat"] == "X"


async def test_a_join_behind_one_that_cannot_be_kept(hub: Hub, store: FragileStore) -> None:
    store.failures = 1
    ada, bob = Joiner(hub), Joiner(hub, BOB, address="there")
    assert not await ada.is_in()
    assert (await bob.member()).you["seat"] == "X"
    (live,) = hub.registry.all
    assert maker_of(hub, live) == "there"


def fault(*_: object, **__: object) -> None:
    raise RuntimeError


async def test_a_bug_before_anything_was_done(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(joining, "let_in", fault)
        with pytest.raises(RuntimeError):
            await Joiner(hub).member()
    assert await Joiner(hub).is_in()


async def test_a_bug_in_a_preparation(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    join = Join(name="ada", settings=GivenSettings(password="swordfish"))
    with monkeypatch.context() as patch:
        patch.setattr(hub._admission, "applicant", fault)
        with pytest.raises(RuntimeError):
            await Joiner(hub, join).member()
    assert await Joiner(hub, join).is_in()


async def test_a_member_that_cannot_be_welcomed_is_none(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Announcer, "welcome", fault)
        ada = Joiner(hub)
        (live,) = hub.registry.all
        with pytest.raises(RuntimeError):
            await ada.member()
    assert (live.joining, live.lock.locked()) == (0, False)
    assert live.members.is_empty
    assert live.room.seq == 2, "the seat is kept all the same"


async def test_a_connection_that_was_dismissed_meanwhile_takes_no_seat(
    hub: Hub, store: FragileStore
) -> None:
    ada = Joiner(hub, Join(name="ada", settings=GivenSettings()))
    ada.ear.dismiss(CloseCode.RESTARTING)
    assert not await ada.is_in()
    assert not store.appends


@pytest.mark.parametrize("fails", [False, True])
async def test_a_join_ends_with_the_hub(
    hub: Hub, store: FragileStore, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    monkeypatch.setattr(hub.joining.runner, "expect_to_evaluate", fault)
    store.failures = fails
    ada = Joiner(hub, room="lair")
    bob = Joiner(hub, BOB, room="lair")
    await hub.close()
    (live,) = hub.registry.all
    await asyncio.wait_for(live.lock.acquire(), 10)  # behind both of them
    assert len(store.appends) == 1, "no seat is kept for a connection that is about to be closed"
    for each in (ada, bob):
        assert not await each.is_in()
        assert not each.ear.messages
    assert live.is_deserted


@pytest.mark.parametrize("password", [None, "swordfish"])
async def test_no_join_is_admitted_while_the_server_stops(
    hub: Hub, store: FragileStore, password: str | None
) -> None:
    settings = None if password is None else GivenSettings(password=password)
    coming = asyncio.create_task(refused(join_room(hub, settings=settings)))
    if password is not None:
        await asyncio.sleep(0)  # it is being hashed
        assert hub.registry.all
    hub.joining.stop()
    assert await coming == "server_full"
    assert not await Joiner(hub, room="lair").is_in()
    assert not store.appends


async def test_the_lobby_is_told(hub: Hub) -> None:
    changes = []
    hub.observers.subscribe(lambda _: changes.append(public_rooms(hub)))
    assert await Joiner(hub).is_in()
    assert [room.seats.X for (room,) in changes] == ["ada"]
