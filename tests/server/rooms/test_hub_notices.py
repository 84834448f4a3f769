"""Who is told when rooms change."""

from tests.server.examples import NAME, NOW
from ttt_protocol.state import RoomName
from ttt_server.core.room import Room
from ttt_server.rooms.hub import Notices
from ttt_server.rooms.live_room import LiveRoom


async def test_subscribers_hear_of_all_rooms_and_observers_of_one() -> None:
    notices = Notices()
    told: list[RoomName] = []
    observed: list[LiveRoom] = []
    notices.subscribe(told.append)
    notices.observe(NAME, observed.append)
    den, lair = (LiveRoom(Room(name), lambda: NOW) for name in (NAME, RoomName("lair")))
    for live in (den, lair):
        notices.changed(live)
        notices.entered(live)
    assert told == [NAME, NAME, "lair", "lair"]
    assert observed == [den], "who comes or goes changes no room"
    assert notices.is_observed(NAME)
    notices.ignore(NAME)
    notices.ignore(NAME)
    notices.changed(den)
    assert observed == [den]
    assert not notices.is_observed(NAME)


async def test_the_end_of_a_game() -> None:
    notices = Notices()
    ended: list[LiveRoom] = []
    notices.call_on_end(ended.append)
    den = LiveRoom(Room(NAME), lambda: NOW)
    notices.changed(den)
    assert not ended
    notices.ended(den)
    assert ended == [den]
