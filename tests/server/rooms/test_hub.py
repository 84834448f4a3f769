"""Who comes in and who does not, and what the members of a room hear. See also test_hub_store."""

import asyncio
from typing import Any
from unittest.mock import ANY

import pytest

from tests.server.examples import DRAW, NAME, REMATCH, TAKEBACK, O, X
from tests.server.hubs import (
    AI_IN_O,
    AI_IN_X,
    SIGNER,
    TWO_AIS,
    Hubs,
    changed,
    join_room,
    public_rooms,
    refused,
    spectate,
    two_players,
)
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import (
    Accept,
    Decline,
    Join,
    Leave,
    Offer,
    Play,
    Resign,
    Say,
)
from ttt_protocol.state import (
    AiSetting,
    GivenSettings,
    RoomName,
    Rules,
    SeatSettings,
    SessionId,
    Status,
)
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.tokens import TokenSigner


async def test_a_player_makes_a_room_and_is_welcomed(hub: Hub) -> None:
    ada = await join_room(hub)
    welcome, presence = ada.ear.messages
    assert presence["type"] == "presence"
    assert welcome["you"]["seat"] == "X"
    assert SIGNER.session(NAME, ada.token) == ada.you["id"] == ada.member.session
    assert welcome["room"]["status"] == "waiting"
    assert welcome["room"]["seq"] == 2
    assert not ada.ear.of("update"), "the welcome has it all"


async def test_the_second_is_welcomed_and_the_first_is_told(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    assert bob.ear.of("welcome")[0]["room"]["status"] == "playing"
    assert not bob.ear.of("update")
    (update,) = ada.ear.of("update")
    assert [event["type"] for event in update["events"]] == ["seated", "started"]
    assert update["room"]["seats"]["O"]["connected"]


async def test_tokens_are_told_to_their_owners_alone(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    eve = await spectate(hub)
    for person, others in ((ada, (bob, eve)), (bob, (ada, eve))):
        for other in others:
            assert all(person.token.encode() not in payload for payload in other.ear.payloads)


async def test_of_those_who_race_for_the_last_seat_one_wins(hub: Hub) -> None:
    await join_room(hub)
    racers = await asyncio.gather(
        *(join_room(hub, name, seat=O) for name in ("bob", "eve", "joe")), return_exceptions=True
    )
    winners = [racer for racer in racers if not isinstance(racer, BaseException)]
    assert len(winners) == 1
    room = winners[0].member.live.room
    assert room.seats.O is not None
    assert room.seats.O.name == winners[0].member.name


async def test_of_many_who_make_one_room_two_sit(hub: Hub) -> None:
    people = await asyncio.gather(*(join_room(hub) for _ in range(5)), return_exceptions=True)
    assert sum(not isinstance(person, BaseException) for person in people) == 2
    assert len(public_rooms(hub)) == 1


async def test_no_seat(hub: Hub) -> None:
    await two_players(hub)
    assert await refused(join_room(hub)) is RefusalCode.ROOM_FULL
    assert await refused(join_room(hub, seat=X)) is RefusalCode.SEAT_TAKEN


@pytest.mark.parametrize(
    ("join", "code"),
    [
        ({"settings": TWO_AIS}, "room_full"),
        ({"settings": TWO_AIS, "seat": X}, "room_full"),
        ({"settings": AI_IN_O, "seat": O}, "seat_taken"),
        (
            {"settings": GivenSettings(seats=SeatSettings(O=AiSetting(strategy="deep")))},
            "unknown_strategy",
        ),
        (
            {
                "settings": GivenSettings(
                    seats=SeatSettings(O=AiSetting(strategy="rules")), rules=Rules(columns=4)
                )
            },
            "strategy_cannot_play",
        ),
        ({"token": "forged"}, "bad_token"),
    ],
)
async def test_a_room_that_was_refused_its_making_leaves_nothing(
    hub: Hub, join: dict[str, Any], code: str
) -> None:
    assert await refused(join_room(hub, **join)) == code
    assert public_rooms(hub) == ()
    await changed(hub, lambda: not hub.registry.all)
    assert await hub.reader.read(NAME) is None
    assert not hub.registry._made


async def test_spectators_do_not_make_rooms(hub: Hub) -> None:
    for settings in (None, GivenSettings(), AI_IN_O, AI_IN_X):
        assert await refused(spectate(hub, settings=settings)) is RefusalCode.NO_SUCH_ROOM


async def test_spectators_do_make_rooms_of_two_ais(hub: Hub) -> None:
    eve = await spectate(hub, settings=TWO_AIS)
    assert eve.you == {
        "id": None,
        "role": "spectator",
        "seat": None,
        "name": "eve",
        "token": None,
        "from": eve.member.public_id,
        "host": True,
        "watch": SIGNER.watch(NAME, None, eve.member.public_id),
    }
    assert await refused(join_room(hub)) is RefusalCode.ROOM_FULL
    await eve.ear.learns("ended")


async def test_spectators_off(hub: Hub) -> None:
    settings = GivenSettings(spectators=False)
    await join_room(hub, settings=settings)
    assert await refused(spectate(hub)) is RefusalCode.SPECTATORS_OFF
    closed = TWO_AIS.model_copy(update={"spectators": False})
    assert await refused(spectate(hub, room="arena", settings=closed)) is RefusalCode.SPECTATORS_OFF
    assert await hub.reader.read(RoomName("arena")) is None


async def test_settings_conflict_names_the_fields(hub: Hub) -> None:
    await join_room(hub, settings=GivenSettings(hints=True))
    with pytest.raises(Exception, match="settings_conflict") as caught:
        await join_room(hub, settings=GivenSettings(hints=False, games=2, public=True))
    assert getattr(caught.value, "reason", "").endswith(": hints, games")
    await join_room(hub, settings=GivenSettings(hints=True))
    await spectate(hub)


async def test_a_bad_token_gets_one_answer_whatever_is_bad(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    foreign = SIGNER.token(RoomName("lair"), SessionId("ada1"))
    nobodys = SIGNER.token(NAME, SessionId("ada1"))
    other = TokenSigner(b"t" * 32).token(NAME, SessionId(ada.you["id"]))
    answers = []
    for room, token in (
        (NAME, "forged"),
        (NAME, foreign),
        (NAME, nobodys),
        (NAME, other),
        (NAME, ada.token + "x"),
        ("lair", foreign),
        ("lair", "forged"),
    ):
        with pytest.raises(Exception, match="bad_token") as caught:
            await join_room(hub, room=room, token=token)
        answers.append(vars(caught.value))
    assert all(answer == answers[0] for answer in answers)
    watching = spectate(hub, room="lair", token=foreign, settings=TWO_AIS)
    assert await refused(watching) is RefusalCode.BAD_TOKEN


async def test_a_token_gives_seat_and_name_back(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    ada.exits()
    (presence,) = await bob.ear.hears("presence")
    assert presence["seats"] == {"X": False, "O": True}
    again = await join_room(hub, "someone", token=ada.token, seat=O)
    assert again.you == ada.you
    assert again.ear.of("welcome")[0]["room"]["game"]["moves"] == [4]
    assert not bob.ear.of("update")[1:], "a return is no event"


async def test_a_token_stays_good_when_the_players_change_sides(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    await ada.says(Resign(game=1))
    await ada.says(Offer(kind=REMATCH))
    await bob.says(Accept(kind=REMATCH))
    again = await join_room(hub, token=ada.token)
    assert again.you["seat"] == "O"


async def test_a_token_is_good_no_more_after_leaving(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    await ada.says(Leave())
    assert await refused(join_room(hub, token=ada.token)) is RefusalCode.BAD_TOKEN


async def test_the_newest_connection_of_a_token_wins(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    again = await join_room(hub, token=ada.token)
    assert ada.ear.dismissed is CloseCode.SEAT_TAKEN_OVER
    ada.exits()
    await bob.ear.hears("presence")
    assert all(presence["seats"]["X"] for presence in bob.ear.of("presence"))
    await again.plays(4)
    assert again.ear.kinds == ["played"]
    assert "played" not in ada.ear.kinds


async def test_that_a_connection_was_replaced_is_told_once(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    live = (await join_room(hub, token=ada.token)).member.live
    live.timers.cancel("presence")
    ada.exits()
    assert "presence" not in live.timers


async def test_a_move_is_told_to_all(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    await ada.plays(4)
    for person in (ada, bob, eve):
        (event,) = person.ear.of("update")[-1]["events"]
        assert (event["type"], event["cell"], event["seq"]) == ("played", 4, 5)
    assert ada.ear.payloads[-1] is eve.ear.payloads[-1]


async def test_the_same_move_again_is_answered_to_its_sender_alone(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    move = Play(game=1, ply=0, cell=4)
    await ada.says(move)
    heard = len(bob.ear.payloads)
    await ada.says(move)
    assert ada.ear.of("update")[-1]["events"] == []
    assert ada.ear.of("update")[-1]["room"]["seq"] == 5
    assert len(bob.ear.payloads) == heard


async def test_the_same_offer_again_is_answered_to_its_sender_alone(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    await ada.says(Offer(kind=DRAW))
    heard = len(bob.ear.payloads)
    for _ in range(5):
        await ada.says(Offer(kind=DRAW))
    assert [update["events"] for update in ada.ear.of("update")[-5:]] == [[]] * 5
    assert len(bob.ear.payloads) == heard


async def test_a_refusal_is_told_to_nobody_else(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    heard, room = len(bob.ear.payloads), ada.member.live.room
    for command in (
        Play(game=1, ply=1, cell=0),
        Accept(kind=DRAW),
        Decline(kind=DRAW),
        Offer(kind=REMATCH),
        Resign(game=2),
    ):
        await refused(ada.says(command))
    assert len(bob.ear.payloads) == heard
    assert ada.member.live.room is room


async def test_a_game_from_the_first_move_to_the_rematch(hub: Hub) -> None:
    ada, bob = await two_players(hub, 0, 3, 1, 4)
    await ada.says(Offer(kind=TAKEBACK))
    await bob.says(Accept(kind=TAKEBACK))
    await ada.plays(1)
    await bob.plays(4)
    await ada.plays(2)
    await bob.says(Offer(kind=REMATCH))
    await ada.says(Offer(kind=REMATCH))
    await bob.plays(4)
    kinds = bob.ear.kinds
    assert kinds[4:] == [
        "offered",
        "taken_back",
        "played",
        "played",
        "played",
        "ended",
        "offered",
        "started",
        "played",
    ]
    assert [event["seq"] for event in bob.ear.events] == list(range(5, 5 + len(kinds)))
    room = ada.ear.of("update")[-1]["room"]
    assert room["seats"]["X"]["name"] == "bob"
    assert room["score"] == {"X": 0, "O": 1, "draws": 0}


async def test_chat(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    await bob.says(Say(text="good luck"))
    for person in (ada, bob, eve):
        assert person.ear.messages[-1] == {
            "type": "said",
            "name": "bob",
            "role": "player",
            "text": "good luck",
            "from": bob.you["id"],
            "at": ANY,
        }
    assert ada.member.live.room.seq == 4, "chat is no event"


async def test_one_joins_once(hub: Hub) -> None:
    ada = await join_room(hub)
    assert await refused(ada.says(Join())) is RefusalCode.ALREADY_JOINED


async def test_spectators_watch(hub: Hub) -> None:
    await two_players(hub)
    eve = await spectate(hub)
    for command in (Play(game=1, ply=0, cell=4), Resign(game=1), Offer(kind=DRAW)):
        assert await refused(eve.says(command)) is RefusalCode.NOT_A_PLAYER
    await eve.says(Leave())
    assert not eve.ear.of("update")


async def test_leaving_is_told(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    await ada.says(Leave())
    assert bob.ear.kinds[-2:] == ["ended", "left"]
    eve = await join_room(hub, "eve")
    assert bob.ear.kinds[-2:] == ["seated", "started"]
    room = eve.ear.of("welcome")[0]["room"]
    assert (room["game"]["number"], room["score"]) == (2, {"X": 0, "O": 0, "draws": 0})
    assert eve.you["seat"] == "X"


async def test_the_server_is_full(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms=2, room_idle_s=0.001)
    await join_room(hub, room="first")
    last = await join_room(hub, room="second")
    assert await refused(join_room(hub, room="third")) is RefusalCode.SERVER_FULL
    await join_room(hub, "bob", room="first")
    last.exits()
    await changed(hub, lambda: len(hub.registry.all) == 1)
    await join_room(hub, room="third")


async def test_rooms_made_from_one_address(hubs: Hubs) -> None:
    hub = hubs.open(max_rooms_per_address=2, room_idle_s=0.001)
    await join_room(hub, room="first")
    last = await join_room(hub, room="second")
    assert await refused(join_room(hub, room="third")) is RefusalCode.SERVER_FULL
    await join_room(hub, "bob", room="first")
    await join_room(hub, room="third", address="there")
    last.exits()
    await changed(hub, lambda: len(hub.registry.all) == 2)
    await join_room(hub, room="fourth")


async def test_addresses_are_forgotten_with_their_rooms(hubs: Hubs) -> None:
    hub = hubs.open(room_idle_s=0.001)
    for number in range(5):
        (await join_room(hub, room=f"room{number}", address=f"2001:db8::{number}")).exits()
    await changed(hub, lambda: not hub.registry.all)
    assert not hub.registry._made


async def test_a_room_with_nobody_in_it_is_forgotten_and_comes_back(hubs: Hubs) -> None:
    hub = hubs.open(room_idle_s=0.001)
    ada, bob = await two_players(hub, 4)
    ada.exits()
    bob.exits()
    await changed(hub, lambda: not hub.registry.all)
    assert public_rooms(hub) == ()
    state = await hub.reader.read(NAME)
    assert state is not None
    assert state.status is Status.PLAYING
    assert not hub.registry.all, "to read is not to open"
    again = await join_room(hub, token=bob.token)
    assert again.you["seat"] == "O"
    assert again.ear.of("welcome")[0]["room"]["game"]["moves"] == [4]


async def test_whoever_comes_keeps_the_room(hubs: Hubs) -> None:
    hub = hubs.open(room_idle_s=60)
    ada = await join_room(hub)
    ada.exits()
    live = ada.member.live
    assert live in hub.eviction._idle
    await join_room(hub, token=ada.token)
    assert live not in hub.eviction._idle


async def test_a_refused_visitor_does_not_keep_the_room(hub: Hub) -> None:
    ada = await join_room(hub)
    ada.exits()
    await refused(join_room(hub, token="forged"))
    await refused(join_room(hub, settings=GivenSettings(games=2)))
    assert ada.member.live in hub.eviction._idle


async def test_a_connection_that_ends_late_does_not_end_the_room_of_others(hubs: Hubs) -> None:
    hub = hubs.open(room_idle_s=0.001)
    old = await join_room(hub)
    new = await join_room(hub, token=old.token)
    new.exits()
    await changed(hub, lambda: not hub.registry.all)
    newest = await join_room(hub, token=old.token)
    old.exits()
    assert newest.member.live not in hub.eviction._idle
    bob = await join_room(hub, "bob")
    await newest.plays(4)
    assert bob.ear.kinds == ["played"]


async def test_rooms_are_listed_while_in_memory(hub: Hub) -> None:
    await join_room(hub, room="first")
    await join_room(hub, room="secret", settings=GivenSettings(public=False))
    assert [room.name for room in public_rooms(hub)] == ["first"]


async def test_reading_a_room_in_memory_tells_who_is_here(hub: Hub) -> None:
    await two_players(hub, 4)
    await spectate(hub)
    state = await hub.reader.read(NAME)
    assert state is not None
    assert state.spectators == 1
    assert state.seats.X is not None
    assert state.seats.X.connected


async def test_changes_are_reported(hub: Hub) -> None:
    seen = []
    hub.observers.subscribe(lambda _: seen.append(public_rooms(hub)))
    ada = await join_room(hub)
    assert seen[-1][0].seats.X == "ada"
    seen.clear()
    await spectate(hub)
    assert seen[-1][0].spectators == 1
    seen.clear()
    ada.exits()
    assert seen
