"""Every refusal of the contract: what brings it about, and that nothing has changed after it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.server.examples import DRAW, FOUR_IN_A_ROW, REMATCH, O
from tests.server.fakes import FragileStore, RecordingListener
from tests.server.hubs import (
    AI_IN_O,
    TWO_AIS,
    Hubs,
    join_room,
    public_rooms,
    refused,
    spectate,
    two_players,
)
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Accept, AskHint, Claim, Command, Fill, Join, Offer, Play, Resign
from ttt_protocol.state import AiSetting, GivenSettings, RoomName, Rules, SeatSettings
from ttt_server.rooms import passwords as locks
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom, Member
from ttt_server.storage.base import StorageFailed

Scene = Callable[[Hub], Awaitable[Awaitable[object]]]
"""Prepares a hub; what it returns is to be refused."""

ELSEWHERE = {
    RefusalCode.BAD_JSON: "ttt_protocol.codec",
    RefusalCode.BAD_COMMAND: "ttt_protocol.codec",
    RefusalCode.NOT_JOINED: "ttt_server.endpoints.room",
    RefusalCode.RATE_LIMITED: "ttt_server.endpoints.room",
    # The hub raises `StorageFailed`, as below; the connection gives it its code.
    RefusalCode.STORAGE_FAILED: "ttt_server.endpoints.room",
}
"""The codes that do not come from the hub, and where they do."""


def said(command: Command, *cells: int, **settings: Any) -> Scene:
    """Ada says it, in X against Bob, after `cells` were played."""

    async def scene(hub: Hub) -> Awaitable[object]:
        ada, _ = await two_players(hub, *cells, settings=GivenSettings(**settings))
        return ada.says(command)

    return scene


def asked(join: dict[str, Any], **settings: Any) -> Scene:
    """Somebody wants to come to Ada and Bob."""

    async def scene(hub: Hub) -> Awaitable[object]:
        await two_players(hub, 4, settings=GivenSettings(**settings))
        return join_room(hub, "eve", **join)

    return scene


async def alone(hub: Hub) -> Awaitable[object]:
    ada = await join_room(hub)
    return ada.says(Resign(game=1))


async def watched(hub: Hub) -> Awaitable[object]:
    await two_players(hub)
    eve = await spectate(hub)
    return eve.says(Play(game=1, ply=0, cell=4))


async def watched_in_secret(hub: Hub) -> Awaitable[object]:
    await two_players(hub, settings=GivenSettings(spectators=False))
    return spectate(hub)


async def unheard_of(hub: Hub) -> Awaitable[object]:
    await two_players(hub)
    return spectate(hub, room="lair", settings=AI_IN_O)


async def over(hub: Hub) -> Awaitable[object]:
    ada, bob = await two_players(hub, 4)
    await ada.says(Resign(game=1))
    return bob.says(Play(game=1, ply=1, cell=0))


async def locked(hub: Hub) -> Awaitable[object]:
    await join_room(hub, settings=GivenSettings(password="swordfish"))
    return join_room(hub, "bob", password="wrong")


async def crowded(hub: Hub) -> Awaitable[object]:
    for number in range(9):
        await join_room(hub, room=f"room{number}")
    return join_room(hub, room="lair")


async def from_an_ai(hub: Hub) -> Awaitable[object]:
    ada = await join_room(hub, settings=AI_IN_O)
    return ada.says(Claim(game=1))


def seats_of(strategy: str) -> SeatSettings:
    return SeatSettings(O=AiSetting(strategy=strategy))


DEEP = {"room": "lair", "settings": GivenSettings(seats=seats_of("deep"))}
WIDE = {"room": "lair", "settings": GivenSettings(seats=seats_of("rules"), rules=FOUR_IN_A_ROW)}

ULTIMATE = Rules(variant="ultimate")
SCENES: list[tuple[RefusalCode, Scene]] = [
    (RefusalCode.ALREADY_JOINED, said(Join())),
    (RefusalCode.NO_SUCH_ROOM, unheard_of),
    (RefusalCode.SEAT_TAKEN, asked({"seat": O})),
    (RefusalCode.ROOM_FULL, asked({})),
    (RefusalCode.ROOM_FULL, asked({"room": "lair", "settings": TWO_AIS})),
    (RefusalCode.SPECTATORS_OFF, watched_in_secret),
    (RefusalCode.WRONG_PASSWORD, locked),
    (RefusalCode.BAD_TOKEN, asked({"token": "forged"})),
    (RefusalCode.SETTINGS_CONFLICT, asked({"settings": GivenSettings(games=2)})),
    (RefusalCode.UNKNOWN_STRATEGY, asked(DEEP)),
    (RefusalCode.STRATEGY_CANNOT_PLAY, asked(WIDE)),
    (RefusalCode.NOT_A_PLAYER, watched),
    (RefusalCode.GAME_NOT_STARTED, alone),
    (RefusalCode.WRONG_GAME, said(Resign(game=2))),
    (RefusalCode.GAME_OVER, over),
    (RefusalCode.NOT_YOUR_TURN, said(Play(game=1, ply=1, cell=0), 4)),
    (RefusalCode.STALE_PLY, said(Play(game=1, ply=1, cell=0))),
    (RefusalCode.OUT_OF_BOARD, said(Play(game=1, ply=0, cell=9))),
    (RefusalCode.CELL_TAKEN, said(Play(game=1, ply=2, cell=4), 4, 0)),
    (RefusalCode.FLOATING_CELL, said(Play(game=1, ply=0, cell=0), rules=FOUR_IN_A_ROW)),
    (
        RefusalCode.OTHER_BOARD,
        said(Play(game=1, ply=2, cell=80), 0, 1, rules=Rules(variant="ultimate")),
    ),
    (RefusalCode.NO_SUCH_OFFER, said(Accept(kind=DRAW))),
    (RefusalCode.NOT_ALLOWED, said(AskHint())),
    (RefusalCode.NOT_ALLOWED, said(Offer(kind=REMATCH))),
    (RefusalCode.NOT_ALLOWED, from_an_ai),
    (RefusalCode.NOT_ALLOWED, said(Claim(game=1))),
    (RefusalCode.TOO_EARLY, said(Fill(seat=O, strategy="rules"))),
    (RefusalCode.SERVER_FULL, crowded),
]


def heard(member: Member) -> list[object]:
    """All that someone was told, but for who comes and goes."""
    assert isinstance(member.listener, RecordingListener)
    return [message for message in member.listener.messages if message["type"] != "presence"]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_COST", 2)


def test_every_code_has_its_scene() -> None:
    assert {code for code, _ in SCENES} | set(ELSEWHERE) == set(RefusalCode)
    assert not {code for code, _ in SCENES} & set(ELSEWHERE)


def named(hub: Hub) -> list[tuple[RoomName, LiveRoom]]:
    return [(live.room.name, live) for live in hub.registry.all]


@pytest.mark.parametrize(("code", "scene"), SCENES)
async def test_it_is_refused_and_nothing_has_changed(
    hubs: Hubs, code: RefusalCode, scene: Scene
) -> None:
    store = FragileStore()
    hub = hubs.open(store)
    work = await scene(hub)
    rooms = {name: live.room for name, live in named(hub)}
    members = {name: set(live.members) for name, live in named(hub)}
    told = {member: heard(member) for each in members.values() for member in each}
    logs = list(store._tables.database.iterdump())
    listed = public_rooms(hub)
    assert await refused(work) is code
    assert list(store._tables.database.iterdump()) == logs
    assert public_rooms(hub) == listed
    for name, live in named(hub):
        if name in rooms:
            assert live.room is rooms[name]
            assert set(live.members) == members[name]
        else:
            assert not live.room.seq, "it is about to be forgotten"
            assert "forget" in live.timers
    for member, messages in told.items():
        assert heard(member) == messages


async def test_what_could_not_be_stored_changes_nothing_either(hubs: Hubs) -> None:
    store = FragileStore()
    ada, bob = await two_players(hubs.open(store), 4)
    room, told = ada.member.live.room, [ada.ear.payloads.copy(), bob.ear.payloads.copy()]
    store.failures = 1
    with pytest.raises(StorageFailed):
        await bob.plays(0)
    assert ada.member.live.room == room
    assert [person.ear.payloads for person in (ada, bob)] == told
