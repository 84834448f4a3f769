import pytest

from tests.server.examples import ADA, BOB, EVE, after, duel, founded, moved, seated
from ttt_engine import Position
from ttt_protocol.commands import Resign
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.core.hints import position_to_hint
from ttt_server.core.room import Room

OVER = after(duel(4, hints=True), ADA, Resign(game=1))
WITHOUT = after(duel(4), ADA, Resign(game=1))


@pytest.mark.parametrize(
    ("room", "session", "code", "shows_room"),
    [
        # Each applies together with those below it, as far as they can.
        (WITHOUT, None, "not_a_player", False),
        (WITHOUT, EVE, "not_a_player", False),
        (WITHOUT, ADA, "not_allowed", False),
        (duel(), ADA, "not_allowed", False),
        (seated(founded(), ADA), ADA, "not_allowed", False),
        (seated(founded(hints=True), ADA), ADA, "game_not_started", False),
        (OVER, ADA, "game_over", True),
        (OVER, BOB, "game_over", True),
        (duel(4, hints=True), ADA, "not_your_turn", True),
        (duel(hints=True), BOB, "not_your_turn", True),
    ],
)
def test_the_first_refusal_that_applies_is_the_answer(
    room: Room, session: SessionId | None, code: str, shows_room: bool
) -> None:
    with pytest.raises(Refused) as caught:
        position_to_hint(room, session)
    assert (caught.value.code, caught.value.shows_room) == (code, shows_room)


def test_the_player_to_move_gets_the_position() -> None:
    room = duel(hints=True)
    assert position_to_hint(room, ADA) == Position.start()
    assert position_to_hint(moved(room, 4), BOB) == Position.after((4,))
