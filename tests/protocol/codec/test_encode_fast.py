from pathlib import Path
from typing import Any

import pytest

from ttt_protocol.codec import (
    decode_message,
    decode_room,
    encode_event,
    encode_events,
    encode_message,
    encode_move,
)
from ttt_protocol.codec import encode_fast as encoder
from ttt_protocol.codec.encode_fast import (
    encode_frame,
    encode_presence,
    encode_seat,
    update_head,
    welcome_head,
)
from ttt_protocol.codes import Reason
from ttt_protocol.events import BaseEvent, Ended, Offered, Played, Seated, Started
from ttt_protocol.messages import Presence, Update, Welcome
from ttt_protocol.state import (
    Ai,
    AiSeat,
    BySeat,
    Human,
    HumanSeat,
    Mark,
    OfferKind,
    Outcome,
    RoomState,
    Score,
    Seat,
    SessionId,
    TimeLeft,
)

GOLDEN = Path(__file__).parents[1] / "golden"
ROOMS = sorted((GOLDEN / "state").glob("room*.json"))


def encoded(room: RoomState, head: bytes = b"") -> bytes:
    frame = encode_frame(
        name=room.name,
        status=room.status,
        locked=room.locked,
        settings=room.settings,
        seats=(seat(room.seats.X), seat(room.seats.O)),
        offers=room.offers,
        score=room.score,
        spectators=room.spectators,
    )
    if (game := room.game) is None:
        return frame.without_game(room.seq, head=head)
    return frame.with_game(
        room.seq, game.number, game.board, game.moves, game.outcome, game.clock, head=head
    )


def seat(told: Seat | None) -> bytes:
    """Encoded as whoever sits there, as an event names them."""
    match told:
        case HumanSeat(id=id_, name=name, connected=connected):
            return encode_seat(Human(id=id_, name=name), connected)
        case AiSeat(name=name, strategy=strategy, level=level):
            return encode_seat(Ai(name=name, strategy=strategy, level=level), connected=False)
        case _:
            return encode_seat(None, connected=False)


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.stem)
def test_the_parts_make_what_the_model_makes(path: Path) -> None:
    room = decode_room(path.read_bytes())
    assert encoded(room) == encode_message(room)


def test_a_part_that_changed_is_encoded_anew() -> None:
    for path in [*ROOMS, *reversed(ROOMS)]:
        room = decode_room(path.read_bytes())
        assert encoded(room) == encode_message(room)
        won = room.model_copy(update={"score": Score(X=7)})
        assert encoded(won) == encode_message(won)


def test_parts_of_many_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_PARTS", 3)
    room = decode_room(ROOMS[0].read_bytes())
    for games in [*range(1, 9), *range(1, 9)]:
        settings = room.settings.model_copy(update={"games": games})
        other = room.model_copy(update={"settings": settings})
        assert encoded(other) == encode_message(other)
        assert len(encoder._encoded) <= 3


@pytest.mark.parametrize("name", ["ada", 'a "fork" \\ ü\u2028\x7f'])
@pytest.mark.parametrize("connected", [True, False])
def test_a_seat(name: str, connected: bool) -> None:
    told = HumanSeat(id=SessionId(name), name=name, connected=connected)
    assert seat(told) == encode_message(told)


LEFT = TimeLeft(X=59_000, O=60_000)
WON = Outcome(winner=Mark.X, reason=Reason.LINE, line=(0, 4, 8))
LOST = Outcome(winner=Mark.O, reason=Reason.FORFEIT)
DRAWN = Outcome(winner=None, reason=Reason.FULL)
PLAYER = Human(id=SessionId("k3v9x0q2m7ta"), name='a "fork" \\ ü\u2028\x7f')
AN_AI = Ai(name="minimax", strategy="minimax", level=None)
EVENTS: list[tuple[type[BaseEvent], dict[str, Any]]] = [
    (Started, {"game": 12}),
    *((Seated, {"seat": mark, "player": PLAYER}) for mark in Mark),
    (Seated, {"seat": Mark.O, "player": AN_AI}),
    *((Offered, {"kind": kind, "seat": mark}) for kind in OfferKind for mark in Mark),
    *((Played, {"game": 1, "ply": 360, "cell": 0, "seat": mark}) for mark in Mark),
    (Played, {"game": 1, "ply": 0, "cell": 4, "seat": Mark.X, "reason": "centre"}),
    (Played, {"game": 1, "ply": 0, "cell": 4, "seat": Mark.X, "clock": LEFT}),
    *((Ended, {"game": 12, "outcome": outcome}) for outcome in (WON, LOST, DRAWN)),
    (Ended, {"game": 12, "outcome": WON, "clock": LEFT}),
    (Ended, {"game": 12, "outcome": LOST, "detail": "it took too long"}),
]


@pytest.mark.parametrize(("kind", "fields"), EVENTS, ids=str)
def test_what_happens_is_what_its_model_makes(
    kind: type[BaseEvent], fields: dict[str, Any]
) -> None:
    event = kind(seq=2**53, at=10**13, **fields)
    assert encode_event(event) == encode_message(event)


@pytest.mark.parametrize("reason", [None, "win", "depth 8, +1", 'a "fork" \\ ütopia\n'])
@pytest.mark.parametrize("mark", Mark)
def test_a_move_in_one_go_is_what_its_model_makes(mark: Mark, reason: str | None) -> None:
    event = Played(seq=7, at=10**13, game=12, ply=36, seat=mark, cell=0, reason=reason)
    assert encode_move(7, 10**13, 12, 36, mark, 0, reason=reason) == encode_event(event)


def test_an_update() -> None:
    update = decode_message((GOLDEN / "messages" / "update.json").read_bytes())
    assert isinstance(update, Update)
    head = update_head(encode_events(update.events))
    assert encoded(update.room, head) == encode_message(update)
    nothing_new = update.model_copy(update={"events": ()})
    assert encoded(update.room, update_head(())) == encode_message(nothing_new)


@pytest.mark.parametrize("name", ["welcome", "welcome-spectator"])
def test_a_welcome(name: str) -> None:
    welcome = decode_message((GOLDEN / "messages" / f"{name}.json").read_bytes())
    assert isinstance(welcome, Welcome)
    you = welcome.you
    head = welcome_head(welcome.server, you.id, you.role, you.seat, you.name, you.token)
    assert encoded(welcome.room, head) == encode_message(welcome)


@pytest.mark.parametrize("x", [True, False])
@pytest.mark.parametrize("o", [True, False])
def test_a_presence(x: bool, o: bool) -> None:
    presence = Presence(seats=BySeat(X=x, O=o), spectators=7)
    assert encode_presence(x, o, 7) == encode_message(presence)
