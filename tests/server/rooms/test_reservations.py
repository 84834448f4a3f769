"""Seats that are held, claimed through the hub as players do."""

from tests.server.hubs import join_room, refused, spectate
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting, GivenSettings, Mark, RoomName, Rules, SeatSettings
from ttt_server.rooms import admission
from ttt_server.rooms.admission import HeldSeat
from ttt_server.rooms.hub import Hub

FOUR = Rules(columns=4, rows=4, in_a_row=4)
BOTH = Mark.X, Mark.O


def held(hub: Hub) -> tuple[RoomName, HeldSeat, HeldSeat]:
    name, (x, o) = hub.reservations.hold(GivenSettings(rules=FOUR), BOTH, makes_host=False)
    return name, x, o


async def test_the_two_sit_in_their_seats_whoever_comes_first(hub: Hub) -> None:
    room, x, o = held(hub)
    bob = await join_room(hub, "bob", room=room, token=o.token)
    assert (bob.you["seat"], bob.you["name"], bob.you["token"]) == ("O", "bob", o.token)
    assert bob.ear.of("welcome")[0]["room"]["settings"]["rules"]["columns"] == 4
    ada = await join_room(hub, "ada", room=room, token=x.token)
    assert ada.you["seat"] == "X"
    assert ada.ear.of("welcome")[0]["room"]["status"] == "playing"


async def test_a_match_of_strangers_has_no_host(hub: Hub) -> None:
    room, x, o = held(hub)
    bob = await join_room(hub, "bob", room=room, token=o.token)
    ada = await join_room(hub, "ada", room=room, token=x.token)
    eve = await spectate(hub, room=room)
    for member in (ada, bob, eve):
        assert "host" not in member.you


async def test_others_find_no_seat_while_it_is_held(hub: Hub) -> None:
    room, x, o = held(hub)
    assert await refused(join_room(hub, room=room)) is RefusalCode.ROOM_FULL
    await join_room(hub, room=room, token=x.token)
    assert await refused(join_room(hub, room=room)) is RefusalCode.ROOM_FULL
    assert (await spectate(hub, room=room)).you["seat"] is None
    await join_room(hub, room=room, token=o.token)
    assert await refused(join_room(hub, room=room)) is RefusalCode.ROOM_FULL


async def test_the_token_owns_the_seat_from_then_on(hub: Hub) -> None:
    room, x, _ = held(hub)
    ada = await join_room(hub, room=room, token=x.token)
    again = await join_room(hub, room=room, token=x.token)
    assert again.you["seat"] == "X"
    assert ada.ear.is_dismissed


async def test_a_token_of_another_room_claims_nothing(hub: Hub) -> None:
    room, _, _ = held(hub)
    _, x, _ = held(hub)
    assert await refused(join_room(hub, room=room, token=x.token)) is RefusalCode.BAD_TOKEN


async def test_seats_are_held_for_a_while(hub: Hub) -> None:
    assert admission.HOLD_S == 10
    room, x, o = held(hub)
    await join_room(hub, room=room, token=x.token)
    hub.reservations._expire(room)
    assert await refused(join_room(hub, room=room, token=o.token)) is RefusalCode.BAD_TOKEN
    zoe = await join_room(hub, "zoe", room=room)
    assert zoe.you["seat"] == "O"


async def test_an_ai_holds_its_own_seat(hub: Hub) -> None:
    seats = SeatSettings(O=AiSetting(strategy="random"))
    room, (x,) = hub.reservations.hold(GivenSettings(seats=seats), (Mark.X,), makes_host=True)
    ada = await join_room(hub, room=room, token=x.token)
    assert ada.you["host"] is True
    assert ada.ear.of("welcome")[0]["room"]["seats"]["O"]["strategy"] == "random"
