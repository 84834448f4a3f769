"""The host of a room: who it is, who may chat, and who must leave. Pure."""

from typing import assert_never

from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.events import Left, Moderated
from ttt_protocol.state import ChatMode, Mark, SessionId, Status
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.play import end
from ttt_server.core.room import Room

NO_HOST = SessionId("")
"""The host of a room that never has one, as that of a quick match."""


def is_host(room: Room, session: SessionId | None) -> bool:
    """Return whether this session, of a player or a spectator, is the host."""
    return bool(session) and session == room.host


def require_host(room: Room, session: SessionId | None) -> None:
    """Check that this session is the host.

    Raises:
        Refused: `not_allowed`.
    """
    if not is_host(room, session):
        raise Refused(RefusalCode.NOT_ALLOWED, "only the host of this room may do this")


def require_speaker(room: Room, *, is_player: bool) -> None:
    """Check that a player or spectator may chat.

    Raises:
        Refused: `not_allowed`.
    """
    match room.chat:
        case ChatMode.ALL:
            return
        case ChatMode.PLAYERS:
            if not is_player:
                raise Refused(RefusalCode.NOT_ALLOWED, "only the players may chat here")
        case ChatMode.OFF:
            raise Refused(RefusalCode.NOT_ALLOWED, "the chat of this room is off")
        case _:
            assert_never(room.chat)


def set_chat(room: Room, mode: ChatMode, now: int) -> Decision:
    """Change who may chat."""
    if room.chat is mode:
        return Decision(room)
    return Decision(room).then(Moderated(room.seq + 1, now, mode))


def vacate(room: Room, seat: Mark, now: int) -> Decision:
    """Free the seat of a removed player.

    A running game ends: won by the removed player if the host is the opponent, who could otherwise
    escape a loss, else by nobody.
    """
    decision = Decision(room)
    if room.status is Status.PLAYING:
        opponent = room.seats[seat.other]
        by_opponent = opponent is not None and is_host(room, opponent.id)
        decision = end(room, Reason.ABANDONMENT, seat if by_opponent else None, now)
    return decision.then(Left(decision.after.seq + 1, now, seat))
