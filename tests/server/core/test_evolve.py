from dataclasses import fields

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    EVE,
    NOW,
    TAKEBACK,
    O,
    X,
    after,
    duel,
    founded,
    moved,
    offered,
    who,
)
from ttt_engine import IllegalMove
from ttt_protocol.codec import decode_event, encode_event
from ttt_protocol.codes import Reason
from ttt_protocol.commands import Resign
from ttt_protocol.events import Created, Ended, Event, Left, Played, Renamed, Seated, TakenBack
from ttt_protocol.state import (
    Ai,
    Human,
    OfferKind,
    Offers,
    Outcome,
    RoomName,
    Score,
    Settings,
)
from ttt_server.core.errors import InvalidLog
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, Seats


def test_rooms_that_were_read_from_logs_share_their_settings() -> None:
    rooms = []
    for games in (3, 3, 4):
        created = Created(seq=1, at=NOW, settings=Settings(games=games), lock=None)
        rooms.append(evolve(Room(RoomName("den")), decode_event(encode_event(created))))
    first, second, other = (room.settings for room in rooms)
    assert first is second
    assert other == Settings(games=4)


def test_a_seat_without_a_human_has_no_other_name() -> None:
    with pytest.raises(InvalidLog, match="without a human"):
        evolve(founded(), Renamed(seq=2, at=NOW, seat=X, name="ada"))


@pytest.mark.parametrize("seq", [0, 4, 6])
def test_a_log_has_no_gaps(seq: int) -> None:
    room = duel()
    assert room.seq == 4
    with pytest.raises(InvalidLog, match=f"event {seq} follows 4"):
        evolve(room, Left(seq=seq, at=NOW, seat=X))


@pytest.mark.parametrize(
    "event",
    [
        Played(seq=2, at=NOW, game=1, ply=0, seat=X, cell=0),
        TakenBack(seq=2, at=NOW, game=1, ply=0),
        Ended(seq=2, at=NOW, game=1, outcome=Outcome(winner=None, reason=Reason.FULL)),
    ],
)
def test_nothing_happens_in_a_game_that_never_started(event: Event) -> None:
    with pytest.raises(InvalidLog, match="never started"):
        evolve(founded(), event)


def test_a_log_with_an_illegal_move() -> None:
    room = duel(4)
    with pytest.raises(IllegalMove):
        evolve(room, Played(seq=room.seq + 1, at=NOW, game=1, ply=1, seat=O, cell=4))


def test_someone_sits_down_in_the_place_of_another() -> None:
    room = after(duel(), ADA, Resign(game=1))
    ai = Ai(name="rules", strategy="rules", level=None)
    room = evolve(room, Seated(seq=room.seq + 1, at=NOW, seat=X, player=ai))
    assert who(room) == ("rules", BOB)
    assert room.score == Score(O=1), "the series goes on"


def test_a_move_changes_the_game_and_nothing_else() -> None:
    room = duel(4).replace(
        settings=Settings(games=3),
        password_hash="salt.hash",
        stood_in_for=Seats(X=Human(id=EVE, name="eve")),
        score=Score(X=1, O=2, draws=3),
        offers=Offers(rematch=X),
    )
    values = [getattr(room, each.name) for each in fields(Room)]
    assert len(set(map(id, values))) == len(values), "each field has a value of its own"
    event = Played(room.seq + 1, NOW + 5, 1, 1, O, 0)
    after = evolve(room, event)
    assert after.game is not None
    assert after.game.moves == (4, 0)
    assert after == room.replace(seq=event.seq, changed_at=event.at, game=after.game)


@pytest.mark.parametrize("kind", [DRAW, TAKEBACK])
def test_offers_of_a_running_game_lapse_with_a_move(kind: OfferKind) -> None:
    room = offered(duel(4, 0), ADA, kind)
    assert room.offers != Offers()
    assert moved(room, 8).offers == Offers()
