"""Rooms whose spectators see the past."""

import asyncio
from collections.abc import Callable

import pytest

from tests.server.examples import NAME
from tests.server.hubs import Hubs, TestMember, join_room, public_rooms, spectate, two_players
from ttt_protocol.commands import Offer, Resign
from ttt_protocol.state import GivenSettings, OfferKind, RoomName
from ttt_server.rooms.hub import Hub
from ttt_server.storage.memory import MemoryStore

DELAYED = GivenSettings(delay_s=60)

Pass = Callable[[float], None]


@pytest.fixture
async def later(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """Let seconds pass on the clock of the loop."""
    loop = asyncio.get_running_loop()
    ahead = 0.0
    true_time = loop.time

    def pass_by(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds

    monkeypatch.setattr(loop, "time", lambda: true_time() + ahead)
    return pass_by


async def tell_past() -> None:
    """Let the timers of the loop go off."""
    for _ in range(3):
        await asyncio.sleep(0)


def plies(member: TestMember) -> list[int]:
    """The plies of the updates that a member was told."""
    games = [update["room"]["game"] for update in member.ear.of("update")]
    return [game["ply"] for game in games if game is not None]


async def seen_by_all(hub: Hub) -> int | None:
    """The ply that everyone can read; `None` without a game."""
    state = await hub.reader.read(RoomName(NAME))
    assert state is not None
    listed = public_rooms(hub)[0].ply
    ply = None if state.game is None else state.game.ply
    assert listed == (ply or 0)
    return ply


async def test_spectators_see_each_move_after_the_delay(hubs: Hubs, later: Pass) -> None:
    hub = hubs.open()
    ada, bob = await two_players(hub, settings=DELAYED)
    eve = await spectate(hub)
    await ada.plays(4)
    later(30)
    await bob.plays(0)
    assert plies(bob)[-2:] == [1, 2]
    assert (plies(eve), await seen_by_all(hub)) == ([], None)
    changed: list[RoomName] = []
    hub.observers.subscribe(changed.append)
    later(31)
    await tell_past()
    assert set(changed) == {NAME}, "the list shows the past, too"
    ron = await spectate(hub)  # whose welcome is of the past, too
    assert ron.ear.of("welcome")[0]["room"]["game"]["moves"] == [4]
    assert (plies(eve)[-1], await seen_by_all(hub)) == (1, 1)
    later(30)
    await tell_past()
    assert plies(eve)[-2:] == [1, 2]
    assert plies(ron) == [2]
    assert await seen_by_all(hub) == 2


async def test_of_states_that_are_due_at_once_each_is_told_with_its_events(
    hubs: Hubs, later: Pass
) -> None:
    hub = hubs.open()
    ada, bob = await two_players(hub, settings=DELAYED)
    eve = await spectate(hub)
    await ada.plays(4)
    await bob.plays(0)
    looks: list[int] = []
    hub.observers.subscribe(lambda _: looks.append(public_rooms(hub)[0].ply))
    later(61)
    await tell_past()
    updates = eve.ear.of("update")
    told = [(update["events"][-1]["type"], update["room"]["game"]) for update in updates]
    assert [(kind, game["ply"]) for kind, game in told if game][-3:] == [
        ("started", 0),
        ("played", 1),
        ("played", 2),
    ]
    assert set(looks) == {2}, "a look takes nothing away from those who watch"


async def test_the_end_of_a_game_is_told_after_the_delay(hubs: Hubs, later: Pass) -> None:
    hub = hubs.open()
    ada, _ = await two_players(hub, settings=DELAYED)
    eve = await spectate(hub)
    await ada.says(Resign(game=1))
    state = await hub.reader.read(RoomName(NAME))
    assert state is not None
    assert state.game is None
    later(61)
    await tell_past()
    assert eve.ear.of("update")[-1]["room"]["status"] == "finished"
    state = await hub.reader.read(RoomName(NAME))
    assert state is not None
    assert state.game is not None
    assert state.game.outcome is not None


async def test_a_spectator_is_answered_with_the_past(hubs: Hubs) -> None:
    hub = hubs.open()
    ada, _ = await two_players(hub, settings=DELAYED)
    await ada.plays(4)
    eve = await spectate(hub)
    assert eve.member.live.public_state.game is None
    assert eve.member.live.state.game is not None


async def test_a_room_that_was_loaded_does_not_show_its_last_moves(hubs: Hubs) -> None:
    store = MemoryStore()
    before = hubs.open(store)
    ada, bob = await two_players(before, 4, 0, settings=DELAYED)
    ada.exits()
    bob.exits()
    hub = hubs.open(store)
    again = await join_room(hub, token=ada.token)
    eve = await spectate(hub)
    assert again.ear.of("welcome")[0]["room"]["game"]["ply"] == 2
    assert eve.ear.of("welcome")[0]["room"]["game"] is None
    await again.says(Offer(kind=OfferKind.DRAW))
    assert plies(eve) == []


async def test_a_room_without_a_delay_shows_the_present(hubs: Hubs) -> None:
    hub = hubs.open()
    ada, _ = await two_players(hub)
    eve = await spectate(hub)
    await ada.plays(4)
    assert plies(eve) == [1]
    assert await seen_by_all(hub) == 1
