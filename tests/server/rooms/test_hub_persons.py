"""Persons in rooms: the kept name, the seat on every device, and what guests may not do."""

from tests.server.examples import NAME
from tests.server.hubs import Hubs, join_room, refused, spectate, two_players
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Leave, Rename
from ttt_protocol.state import GivenSettings, Mark, PersonId, Role
from ttt_server.core.seating import KeptName

ANN = KeptName(PersonId("ann1"), "Ann")


async def test_a_seat_says_who_plays_under_the_kept_name(hubs: Hubs) -> None:
    hub = hubs.open()
    ann = await join_room(hub, "whoever", person=ANN)
    seat = ann.ear.of("welcome")[0]["room"]["seats"]["X"]
    assert (seat["name"], seat["person"]) == ("Ann", "ann1")
    assert ann.you["name"] == "Ann"
    bob = await join_room(hub, "Ann")
    seats = bob.ear.of("welcome")[0]["room"]["seats"]
    assert seats["X"]["name"] == "Ann"
    assert seats["O"]["name"] == "Ann 2", "a guest is told apart"
    assert "person" not in seats["O"]
    assert ann.ear.of("update")[0]["room"]["seats"] == seats


async def test_a_person_finds_the_seat_without_its_token(hubs: Hubs) -> None:
    hub = hubs.open()
    locked = GivenSettings(password="xyzzy")
    laptop = await join_room(hub, person=ANN, settings=locked)
    phone = await join_room(hub, person=ANN)
    assert phone.you == laptop.you
    assert laptop.ear.is_dismissed
    assert await refused(join_room(hub, "Ann")) is RefusalCode.WRONG_PASSWORD


async def test_a_person_has_no_second_seat(hubs: Hubs) -> None:
    hub = hubs.open()
    one = await join_room(hub, person=ANN)
    other = await join_room(hub, person=ANN, seat=Mark.O)
    assert other.you["seat"] == one.you["seat"] == "X"
    await other.says(Leave())
    assert (await join_room(hub, person=ANN, seat=Mark.O)).you["seat"] == "O"


async def test_a_person_may_watch(hubs: Hubs) -> None:
    hub = hubs.open()
    await two_players(hub)
    ann = await spectate(hub, person=ANN)
    assert (ann.you["name"], ann.you["seat"]) == ("Ann", None)


async def test_a_guest_who_keeps_the_name_plays_on_as_a_person(hubs: Hubs) -> None:
    hub = hubs.open()
    guest, bob = await two_players(hub, 4)
    ann = await join_room(hub, token=guest.token, person=ANN)
    assert ann.you["id"] == guest.you["id"]
    update = bob.ear.of("update")[-1]
    assert [event["type"] for event in update["events"]] == ["seated"]
    assert update["room"]["seats"]["X"]["person"] == "ann1"
    assert update["room"]["game"]["ply"] == 1
    await bob.plays(0)
    again = await join_room(hub, token=guest.token, person=ANN)
    assert again.ear.of("welcome")[0]["room"]["seq"] == update["room"]["seq"] + 1, "once"


async def test_a_person_does_not_take_both_seats_of_guests(hubs: Hubs) -> None:
    hub = hubs.open()
    one, other = await two_players(hub)
    await join_room(hub, token=one.token, person=ANN)
    room = (await join_room(hub, token=other.token, person=ANN)).ear.of("welcome")[0]["room"]
    assert room["seats"]["X"]["person"] == "ann1"
    assert "person" not in room["seats"]["O"]


async def test_a_token_of_a_seat_does_not_make_its_owner_another_person(hubs: Hubs) -> None:
    hub = hubs.open()
    ann = await join_room(hub, person=ANN)
    eve = KeptName(PersonId("eve1"), "Eve")
    again = await join_room(hub, token=ann.token, person=eve)
    assert again.you["name"] == "Ann"


async def test_a_kept_name_is_not_changed_in_a_room(hubs: Hubs) -> None:
    hub = hubs.open()
    ann = await join_room(hub, person=ANN)
    assert await refused(ann.says(Rename(name="Bob"))) is RefusalCode.NOT_ALLOWED
    live = hub.registry.get(NAME)
    assert live is not None
    assert live.room.seats.has_person
    assert ann.member.role is Role.PLAYER
