"""Decide on a command of a player, or of the host: events, or a refusal. Pure."""

from typing import assert_never

from ttt_protocol import commands
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.events import Left, Moderated
from ttt_protocol.state import ChatMode, Mark, SessionId, Status
from ttt_server.core.decision import Decision
from ttt_server.core.errors import Refused
from ttt_server.core.offers import accept, decline, offer
from ttt_server.core.play import choose, end, play, require_bot, running
from ttt_server.core.room import Room
from ttt_server.core.seating import GoneSince, fill, leave, rename, require_gone, require_no_days

PlayerCommand = (
    commands.Play
    | commands.Choose
    | commands.Resign
    | commands.Offer
    | commands.Accept
    | commands.Decline
    | commands.Claim
    | commands.Fill
    | commands.Leave
    | commands.Rename
)
"""The commands of a member that may change the room."""


def decide(
    room: Room, session: SessionId | None, command: PlayerCommand, now: int, gone_since: GoneSince
) -> Decision:
    """Decide what follows if `session` gives this command at `now` (Unix ms).

    The AI of a `Fill` can play on this board and has its level.

    Raises:
        Refused: with the first refusal that applies, in the protocol's order.
    """
    seat = room.seats.of(session)
    if seat is None:
        if isinstance(command, commands.Leave):
            return Decision(room)
        raise Refused(RefusalCode.NOT_A_PLAYER)
    if isinstance(command, commands.Play):  # most commands; a pattern takes 50 ns more
        return play(room, seat, command, now)
    match command:  # the most frequent first
        case commands.Offer(kind=kind):
            return offer(room, seat, kind, now)
        case commands.Choose():
            return choose(room, seat, command, now)
        case commands.Resign(game=number):
            running(room, number)
            return _resign(room, seat, command, now)
        case commands.Accept(kind=kind):
            return accept(room, seat, kind, now)
        case commands.Decline(kind=kind):
            return decline(room, seat, kind, now)
        case commands.Claim(game=number):
            return _claim(room, seat, number, now, gone_since)
        case commands.Fill():
            return fill(room, seat, command, now, gone_since)
        case commands.Leave():
            return leave(room, seat, now)
        case commands.Rename(name=name):
            return rename(room, seat, name, now)
        case _:
            assert_never(command)


def _resign(room: Room, seat: Mark, command: commands.Resign, now: int) -> Decision:
    if command.detail is None:
        return end(room, Reason.RESIGNATION, seat.other, now)
    require_bot(room, seat)
    return end(room, Reason.FORFEIT, seat.other, now, command.detail)


def _claim(room: Room, seat: Mark, number: int, now: int, gone_since: GoneSince) -> Decision:
    if running(room, number).turn is seat:
        raise Refused(RefusalCode.NOT_ALLOWED, "it is your turn")
    require_no_days(room)
    require_gone(room, seat.other, now, gone_since)
    return end(room, Reason.ABANDONMENT, seat, now)


def require_host(room: Room, session: SessionId | None) -> None:
    """Check that this session is the host.

    Raises:
        Refused: `not_allowed`.
    """
    if not room.is_host(session):
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
        by_opponent = opponent is not None and room.is_host(opponent.id)
        decision = end(room, Reason.ABANDONMENT, seat if by_opponent else None, now)
    return decision.then(Left(decision.after.seq + 1, now, seat))
