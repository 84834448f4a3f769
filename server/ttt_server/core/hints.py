"""Who may ask for a hint, and of which position. Pure."""

from ttt_engine import Position
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import SessionId
from ttt_server.core.errors import Refused
from ttt_server.core.play import running
from ttt_server.core.room import Room


def position_to_hint(room: Room, session: SessionId | None) -> Position:
    """The position that the player to move wants to know about.

    Raises:
        Refused: `not_a_player`, `not_allowed`, `game_not_started`, `game_over`, `not_your_turn`.
    """
    seat = room.seat_of(session)
    if seat is None:
        raise Refused(RefusalCode.NOT_A_PLAYER)
    if not room.settings.hints:
        raise Refused(RefusalCode.NOT_ALLOWED, "this room has no hints")
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    game = running(room, room.game.number)
    if game.turn is not seat:
        raise Refused(RefusalCode.NOT_YOUR_TURN, shows_room=True)
    return game.position
