"""Decide on a player's command: events, or a refusal. Pure."""

from typing import assert_never

from ttt_protocol import commands
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.state import Mark, SessionId
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
