"""Who is the host of a room."""

import pytest

from tests.server.examples import ADA, BOB, EVE, NOW, X, duel, founded, seated
from ttt_protocol.events import Created, Left
from ttt_protocol.state import SessionId, Settings
from ttt_server.core.evolve import evolve
from ttt_server.core.moderation import is_host
from ttt_server.core.room import Room


def test_the_first_human_in_a_seat_is_the_host_for_good() -> None:
    room = duel()
    assert is_host(room, ADA)
    assert not is_host(room, BOB)
    assert not is_host(room, None)
    left = evolve(room, Left(seq=room.seq + 1, at=NOW, seat=X))
    assert is_host(seated(left, EVE), ADA)


@pytest.mark.parametrize("host", [EVE, SessionId("")])
def test_a_room_may_have_been_made_by_a_spectator_or_by_none(host: SessionId) -> None:
    created = Created(seq=1, at=NOW, settings=Settings(), host=host)
    room = seated(evolve(Room(founded().name), created), ADA)
    assert not is_host(room, ADA)
    assert is_host(room, EVE) == (host == EVE)
    assert not is_host(room, SessionId(""))
