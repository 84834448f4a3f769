"""Who is gone for too long, and who sits in for them."""

import asyncio

import pytest

from tests.server.examples import NAME, NOW, REMATCH, O, X
from tests.server.fakes import FragileStore, Silent, Time
from tests.server.hubs import (
    AI_IN_O,
    Hubs,
    TestMember,
    changed,
    join_room,
    refused,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Claim, Fill, Leave, Offer, Resign
from ttt_protocol.state import GivenSettings
from ttt_server.core.room import Room
from ttt_server.rooms.hub import Hub
from ttt_server.storage.memory import MemoryStore

GRACE = 60_000
CLAIM = Claim(game=1)


def fill(strategy: str = "rules") -> Fill:
    return Fill(seat=O, strategy=strategy)


@pytest.fixture
def time() -> Time:
    return Time(NOW)


@pytest.fixture
async def hub(hubs: Hubs, time: Time) -> Hub:
    return hubs.open(time=time)


def room_of(person: TestMember) -> Room:
    return person.member.live.room


async def settled(hub: Hub) -> None:
    """Waits until no room does anything by itself."""
    while hub._tasks._running:
        await asyncio.wait(hub._tasks._running, timeout=10)


async def test_whoever_is_here_is_not_gone(hub: Hub, time: Time) -> None:
    ada, _ = await two_players(hub, 4)
    time.passes(10**6)
    for command in (CLAIM, fill()):
        assert await refused(ada.says(command)) is RefusalCode.TOO_EARLY


@pytest.mark.parametrize("command", [CLAIM, fill()])
async def test_the_grace_begins_when_the_other_goes(
    hub: Hub, time: Time, command: Claim | Fill
) -> None:
    ada, bob = await two_players(hub, 4)
    time.passes(10**6)
    bob.exits()
    time.passes(GRACE - 1)
    assert await refused(ada.says(command)) is RefusalCode.TOO_EARLY
    time.passes(1)
    await ada.says(command)
    assert ada.ear.kinds[-1] in {"ended", "seated"}


async def test_a_claim_is_told(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    await ada.says(CLAIM)
    assert ada.ear.events[-1]["outcome"] == {"winner": "X", "reason": "abandonment", "line": None}


async def test_whoever_was_here_meanwhile_has_a_new_grace(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE - 1)
    again = await join_room(hub, token=bob.token)
    again.exits()
    time.passes(GRACE - 1)
    assert await refused(ada.says(CLAIM)) is RefusalCode.TOO_EARLY


async def test_a_connection_that_was_replaced_leaves_nobody_gone(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4)
    await join_room(hub, token=bob.token)
    bob.exits()
    time.passes(GRACE)
    assert await refused(ada.says(CLAIM)) is RefusalCode.TOO_EARLY


async def test_after_a_restart_the_grace_begins_when_the_room_is_loaded(
    hubs: Hubs, time: Time
) -> None:
    store = FragileStore()
    ada, _ = await two_players(hubs.open(store, time=time), 4)
    time.passes(GRACE * 9)
    hub = hubs.open(store, time=time.again())
    again = await join_room(hub, token=ada.token)
    time.jumps(GRACE)
    assert await refused(again.says(CLAIM)) is RefusalCode.TOO_EARLY
    time.passes(GRACE)
    await again.says(CLAIM)
    assert again.ear.kinds == ["ended"]


async def test_out_of_memory_it_is_still_known_who_is_gone(hubs: Hubs, time: Time) -> None:
    hub = hubs.open(FragileStore(), time=time, room_idle_s=0)
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    ada.exits()
    await changed(hub, lambda: not hub.registry.all)
    time.passes(GRACE - 1)
    again = await join_room(hub, token=ada.token)
    assert await refused(again.says(CLAIM)) is RefusalCode.TOO_EARLY, (
        "both went then, at the latest"
    )
    time.passes(1)
    await again.says(CLAIM)
    assert again.ear.kinds == ["ended"]


async def test_an_ai_for_an_empty_seat(hub: Hub) -> None:
    ada = await join_room(hub)
    await ada.says(fill())
    assert ada.ear.kinds == ["seated", "started"]
    await ada.plays(4)
    await ada.ear.learns("played", 2)
    assert ada.ear.events[-1]["seat"] == "O"


async def test_an_ai_that_fills_the_seat_to_move_moves(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    await ada.says(fill())
    await ada.ear.learns("played", 2)
    state = ada.ear.of("update")[-1]["room"]
    assert state["seats"]["O"]["kind"] == "ai"
    assert state["score"] == {"X": 0, "O": 0, "draws": 0}


async def test_a_human_comes_back_in_the_middle_of_the_game(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    await ada.says(fill())
    await ada.ear.learns("played", 2)
    again = await join_room(hub, "someone", token=bob.token)
    assert again.you == bob.you
    assert again.ear.of("welcome")[0]["room"]["seats"]["O"]["connected"]
    assert ada.ear.kinds[-1] == "seated"
    await ada.plays(room_of(ada).game.position.legal_moves[0])  # type: ignore[union-attr]
    await settled(hub)
    assert ada.ear.kinds[-1] == "played"
    assert ada.ear.events[-1]["seat"] == "X", "the AI moves no more"
    await again.plays(room_of(ada).game.position.legal_moves[0])  # type: ignore[union-attr]


async def test_what_the_ai_was_thinking_is_dropped_when_the_human_comes_back(
    hubs: Hubs, time: Time
) -> None:
    runner = Silent()
    hub = hubs.open(runner=runner, time=time)
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    await ada.says(fill("minimax"))
    await runner.asked.wait()
    again = await join_room(hub, token=bob.token)
    runner.may_speak.set()
    await settled(hub)
    assert ada.ear.kinds[-2:] == ["seated", "seated"]
    await again.plays(8)
    assert ada.ear.events[-1]["cell"] == 8


async def test_a_human_comes_back_after_the_sides_have_changed(hub: Hub, time: Time) -> None:
    ada, bob = await two_players(hub, 0, 3, 1, 4, 2)
    bob.exits()
    time.passes(GRACE)
    await ada.says(fill())
    await ada.says(Offer(kind=REMATCH))
    await ada.ear.learns("played")
    again = await join_room(hub, token=bob.token)
    assert again.you["seat"] == "X"
    state = again.ear.of("welcome")[0]["room"]
    assert state["score"] == {"X": 0, "O": 1, "draws": 0}
    assert state["seats"]["O"]["name"] == "ada"


async def test_a_human_comes_back_after_a_restart(hubs: Hubs, time: Time) -> None:
    store = FragileStore()
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    await ada.says(fill())
    await ada.ear.learns("played", 2)
    await hub.close()
    again = await join_room(hubs.open(store, time=time.again()), token=bob.token)
    assert again.you == bob.you


async def test_a_human_who_left_does_not_come_back(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    await bob.says(Leave())
    bob.exits()
    await ada.says(fill())
    assert await refused(join_room(hub, token=bob.token)) is RefusalCode.BAD_TOKEN


async def test_of_a_claim_and_a_return_one_comes_first(hubs: Hubs, time: Time) -> None:
    store = FragileStore()
    hub = hubs.open(store, time=time)
    ada, bob = await two_players(hub, 4)
    bob.exits()
    time.passes(GRACE)
    again, refusal = await asyncio.gather(
        join_room(hub, token=bob.token), ada.says(CLAIM), return_exceptions=True
    )
    assert isinstance(again, TestMember)
    assert getattr(refusal, "code", None) is RefusalCode.TOO_EARLY


async def test_nobody_claims_from_an_ai_or_fills_its_seat(hub: Hub, time: Time) -> None:
    ada = await join_room(hub, settings=AI_IN_O)
    time.passes(10**6)
    assert await refused(ada.says(CLAIM)) is RefusalCode.NOT_ALLOWED
    assert await refused(ada.says(fill())) is RefusalCode.NOT_ALLOWED
    assert await refused(ada.says(Fill(seat=X, strategy="rules"))) is RefusalCode.NOT_ALLOWED


async def test_a_room_without_grace(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4, settings=GivenSettings(grace_s=0))
    bob.exits()
    await ada.says(CLAIM)
    assert await refused(ada.says(Resign(game=1))) is RefusalCode.GAME_OVER


async def test_a_fill_that_cannot_be_written_changes_nothing(hubs: Hubs) -> None:
    store = FragileStore()
    hub = hubs.open(store)
    ada = await join_room(hub)
    room = room_of(ada)
    store.failures = 1
    with pytest.raises(Exception, match="disk is full"):
        await ada.says(fill())
    assert room_of(ada) == room
    await ada.says(fill())
    assert [event.type for event in await load(store, NAME)][-2:] == ["seated", "started"]


KEY = "the key of ada's client"


async def test_the_same_claim_key_finds_the_seat_again(hub: Hub, time: Time) -> None:
    ada = await join_room(hub, claim_key=KEY)
    time.passes(600_000)
    again = await join_room(hub, "somebody", claim_key=KEY)
    assert again.you == ada.you
    assert room_of(again).seq == 2
    assert ada.ear.dismissed is CloseCode.SEAT_TAKEN_OVER
    bob = await join_room(hub, "bob", claim_key=KEY[::-1])
    assert bob.you["seat"] == "O"


async def test_after_eleven_minutes_a_claim_key_is_a_new_players(hub: Hub, time: Time) -> None:
    ada = await join_room(hub, claim_key=KEY)
    time.passes(660_000)
    later = await join_room(hub, "bob", claim_key=KEY)
    assert (later.you["seat"], later.you["id"] != ada.you["id"]) == ("O", True)


async def test_a_seat_that_was_given_up_is_not_found_again(hub: Hub) -> None:
    ada = await join_room(hub, claim_key=KEY)
    await ada.says(Leave())
    bob = await join_room(hub, "bob")
    assert bob.you["seat"] == "X"
    assert (await join_room(hub, claim_key=KEY)).you["seat"] == "O"


async def test_a_claim_key_needs_the_password_all_the_same(hub: Hub) -> None:
    locked = GivenSettings(password="swordfish")
    ada = await join_room(hub, settings=locked, claim_key=KEY)
    assert await refused(join_room(hub, claim_key=KEY)) is RefusalCode.WRONG_PASSWORD
    again = await join_room(hub, settings=locked, claim_key=KEY)
    assert again.you == ada.you


async def test_a_restart_of_the_server_keeps_what_a_claim_key_finds(hubs: Hubs) -> None:
    store = MemoryStore()
    ada = await join_room(hubs.open(store), claim_key=KEY)
    again = await join_room(hubs.open(store), claim_key=KEY)
    assert again.you == ada.you


async def test_a_spectator_of_a_claim_key_is_the_same(hub: Hub) -> None:
    await join_room(hub)
    eve, again = [await spectate(hub, claim_key=KEY) for _ in range(2)]
    assert eve.you == again.you


async def test_the_seat_that_an_ai_holds_is_found_by_the_claim_key(hub: Hub, time: Time) -> None:
    ada = await join_room(hub)
    bob = await join_room(hub, "bob", claim_key=KEY)
    bob.exits()
    time.passes(GRACE + 1)
    await ada.says(fill())
    assert (await join_room(hub, claim_key=KEY)).you == bob.you
