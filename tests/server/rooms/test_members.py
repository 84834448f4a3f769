"""Who is here, and since when the owner of a seat has been away."""

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    NAME,
    NOW,
    O,
    X,
    against_ai,
    duel,
    founded,
    seated,
)
from tests.server.fakes import RecordingListener
from ttt_protocol.codes import CloseCode
from ttt_protocol.state import SessionId
from ttt_server.core.room import Room
from ttt_server.rooms.live_room import RENAME_S, LiveRoom, Member, Members


@pytest.fixture
async def live() -> LiveRoom:
    return LiveRoom(Room(NAME), lambda: NOW)


@pytest.fixture
def members() -> Members:
    return Members(NOW)


def member_of(live: LiveRoom, session: SessionId | None = None) -> Member:
    return Member(RecordingListener(), live, "guest", session)


def is_dismissed(member: Member) -> CloseCode | None:
    assert isinstance(member.listener, RecordingListener)
    return member.listener.dismissed


async def test_a_room_with_no_member(live: LiveRoom, members: Members) -> None:
    assert members.is_empty
    spectator, player = member_of(live), member_of(live, ADA)
    for member in (spectator, player):
        members.enter(member)
    assert set(members) == {spectator, player}
    assert members.spectators == 1
    assert members.exit(spectator, duel(), NOW + 1)
    assert not members.is_empty
    assert members.exit(player, duel(), NOW + 2)
    assert not members.exit(player, duel(), NOW + 3)
    assert members.is_empty
    assert members.emptied_at == NOW + 2


async def test_the_newest_connection_of_a_session_wins(live: LiveRoom, members: Members) -> None:
    old, new = member_of(live, ADA), member_of(live, ADA)
    members.enter(old)
    members.enter(new)
    assert is_dismissed(old) is CloseCode.SEAT_TAKEN_OVER
    assert not members.exit(old, duel(), NOW)
    assert members.here(duel().seats).X
    assert is_dismissed(new) is None
    assert not members.is_empty
    assert members.recipients() == (new.listener,)


async def test_the_owner_of_a_seat_is_away_since_the_connection_went(
    live: LiveRoom, members: Members
) -> None:
    room = duel()
    ada = member_of(live, ADA)
    members.enter(ada)
    assert members.away_since(room.seats.ids[0]) is None
    assert members.away_since(room.seats.ids[1]) == NOW, "never seen"
    members.exit(ada, room, NOW + 9)
    assert members.away_since(room.seats.ids[0]) == NOW + 9
    members.enter(ada)
    assert members.away_since(room.seats.ids[0]) is None


async def test_only_humans_are_away(members: Members) -> None:
    room = against_ai()
    assert members.away_since(room.seats.ids[0]) == NOW
    assert members.away_since(room.seats.ids[1]) is None
    assert members.away_since(None) is None


async def test_a_room_that_was_in_memory_before(members: Members) -> None:
    members.were_last_here(NOW - 9)
    assert members.emptied_at == NOW - 9
    assert members.away_since(ADA) == NOW - 9
    members.may_have_been_here(NOW - 99)
    assert members.emptied_at == NOW - 9


async def test_a_room_of_which_that_is_not_known(members: Members) -> None:
    members.may_have_been_here(NOW - 9)
    assert members.emptied_at == NOW - 9
    assert members.away_since(ADA) == NOW, "as far as this server knows"


async def test_all_times_are_set_with_the_clock(live: LiveRoom, members: Members) -> None:
    members.shift(5)
    assert members.emptied_at == 0, "none has ever gone"
    ada = member_of(live, ADA)
    members.enter(ada)
    members.exit(ada, duel(), NOW)
    members.shift(-1000)
    assert members.emptied_at == NOW - 1000
    assert members.away_since(ADA) == NOW - 1000
    assert members.away_since(BOB) == NOW - 995


async def test_former_players_are_forgotten(live: LiveRoom, members: Members) -> None:
    names = ("ada1", "eve1", "eve2", "eve3", "eve4", "eve5", "eve6")
    for name in names:
        member = member_of(live, SessionId(name))
        members.enter(member)
        members.exit(member, duel(), NOW)
        assert ADA in members._gone_at
        assert len(members._gone_at) <= 4, "as many as may have a seat, or an AI that holds it"


async def test_a_name_is_on_cooldown_for_a_while(members: Members) -> None:
    ada = Member(RecordingListener(), LiveRoom(Room(NAME), lambda: NOW), "ada", ADA)
    assert members.rename_due_s(ADA, 10.0) == 0
    members.rename(ada, "eve", 10.0)
    assert ada.name == "eve"
    assert members.rename_due_s(ADA, 10.0) == RENAME_S
    assert members.rename_due_s(BOB, 10.0) == 0
    assert members.rename_due_s(ADA, 10.0 + RENAME_S) == 0


@pytest.mark.parametrize(
    ("room", "here"),
    [
        (against_ai(), (True, True)),
        (against_ai(ai=X), (True, True)),
        (seated(founded(), BOB), (False, False)),
        (seated(seated(founded(), BOB), ADA), (False, True)),
        (duel(), (True, False)),
    ],
)
async def test_which_seats_are_here(
    live: LiveRoom, members: Members, room: Room, here: tuple[bool, bool]
) -> None:
    members.enter(member_of(live, ADA))
    assert members.here(room.seats)[:2] == here
    assert members.here(room.seats)[:2] == here, "once more"


async def test_the_first_recipient_is_the_one_that_waits(live: LiveRoom, members: Members) -> None:
    ada, bob, eve = member_of(live, ADA), member_of(live, BOB), member_of(live)
    for member in (ada, bob, eve):
        members.enter(member)
    for first, others in ((ada, [bob, eve]), (bob, [ada, eve]), (eve, [ada, bob])):
        order = [first.listener, *(other.listener for other in others)]
        for _ in range(2):
            assert [*members.recipients(first)] == order
    members.exit(bob, duel(), NOW)
    assert [*members.recipients(bob)] == [ada.listener, eve.listener]
    assert O is duel().seats.of(BOB)


async def test_since_when_a_seat_is_away_is_told_as_it_changes(
    live: LiveRoom, members: Members
) -> None:
    room = duel()
    ada, bob = member_of(live, ADA), member_of(live, BOB)
    members.enter(ada)
    members.enter(bob)
    assert members.here(room.seats).away_since == (None, None)
    members.exit(ada, room, NOW + 9)
    assert members.here(room.seats).away_since == (NOW + 9, None)
    members.shift(5)
    assert members.here(room.seats).away_since == (NOW + 14, None)
    members.enter(ada)
    assert members.here(room.seats).away_since == (None, None)


async def test_a_room_that_comes_back_tells_since_when_all_are_away(members: Members) -> None:
    room = duel()
    assert members.here(room.seats).away_since == (NOW, NOW)
    members.were_last_here(NOW - 9)
    assert members.here(room.seats).away_since == (NOW - 9, NOW - 9)
