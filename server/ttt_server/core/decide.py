"""Decide on a command of a player: events, or a refusal. Offers, too. Pure."""

from itertools import groupby, pairwise
from typing import assert_never

from ttt_protocol import commands
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.events import Declined, Offered, TakenBack
from ttt_protocol.state import Ai, Mark, OfferKind, SessionId, Status, TimeLeft
from ttt_server.core.clock import days
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.play import choose, end, next_game, play, require_bot, running, time_left
from ttt_server.core.rated import require_unrated
from ttt_server.core.room import Room, RoomGame, game_of
from ttt_server.core.seating import GoneSince, fill, leave, rename, require_gone

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
    require_gone(room, seat.other, now, gone_since)
    return end(room, Reason.ABANDONMENT, seat, now)


_LEAST_MS = 1000
"""A takeback leaves at least this much time on a clock, so that no flag falls."""


def offer(room: Room, seat: Mark, kind: OfferKind, now: int) -> Decision:
    """Decide on an offer: an agreement if the other made it too, or is an AI that accepts.

    Raises:
        Refused: `game_not_started`, `game_over`, `not_allowed`.
    """
    offerer = room.offers[kind]
    if offerer is seat:
        return Decision(room)
    if offerer is not None:
        return _agree(room, offerer, kind, now)
    _require_sense(room, seat, kind)
    offered = Decision(room).then(Offered(room.seq + 1, now, kind, seat))
    # An AI thinks about a draw and answers later: see `Room.ai_to_answer`.
    if kind is OfferKind.DRAW or not isinstance(room.seats[seat.other], Ai):
        return offered
    return offered.followed_by(_agree(offered.after, seat, kind, now))


def accept(room: Room, seat: Mark, kind: OfferKind, now: int) -> Decision:
    """Accept the other side's offer.

    Raises:
        Refused: `no_such_offer`.
    """
    _require_open(room, seat, kind)
    return _agree(room, seat.other, kind, now)


def decline(room: Room, seat: Mark, kind: OfferKind, now: int) -> Decision:
    """Decline the other side's offer.

    Raises:
        Refused: `no_such_offer`.
    """
    _require_open(room, seat, kind)
    return Decision(room).then(Declined(room.seq + 1, now, kind, seat))


def _require_sense(room: Room, seat: Mark, kind: OfferKind) -> None:
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    if kind is OfferKind.REMATCH:
        if room.status is not Status.FINISHED:
            alone = not room.seats.full
            words = "there is no opponent" if alone else "the game is not over yet"
            raise Refused(RefusalCode.NOT_ALLOWED, words)
        return
    game = running(room, room.game.number)
    if kind is not OfferKind.TAKEBACK:
        return
    require_unrated(room, "there are no takebacks in a rated game")
    if game.is_opening:
        raise Refused(RefusalCode.NOT_ALLOWED, "moves of the opening cannot be taken back")
    fixed = len(room.settings.start) if game.opening is None else game.opening.stones
    if not any(ply >= fixed for ply in _own_last_turn(game, seat)):
        raise Refused(RefusalCode.NOT_ALLOWED, "you have no move to take back")


def _require_open(room: Room, seat: Mark, kind: OfferKind) -> None:
    if room.offers[kind] is not seat.other:
        raise Refused(RefusalCode.NO_SUCH_OFFER)


def _agree(room: Room, offerer: Mark, kind: OfferKind, now: int) -> Decision:
    match kind:
        case OfferKind.DRAW:
            return end(room, Reason.AGREEMENT, None, now)
        case OfferKind.TAKEBACK:
            game = game_of(room)
            ply = max(_own_last_turn(game, offerer)[0], len(room.settings.start))
            left = _without_gains(room, game, time_left(room, now), ply)
            return Decision(room).then(TakenBack(room.seq + 1, now, game.number, ply, left))
        case OfferKind.REMATCH:
            return next_game(room, now)
        case _:
            assert_never(kind)


def _without_gains(
    room: Room, game: RoomGame, left: TimeLeft | None, since: int
) -> TimeLeft | None:
    """Take back the increments of the turns since a ply, but not the time that they took."""
    setting = room.settings.clock
    if room.settings.days is not None:
        return days(room.settings.days)
    if left is None or setting is None:
        return left
    for side, after in pairwise(game.turns[since:]):
        if side is after:
            continue
        rest = left[side] - round(setting.increment_s * 1000)
        left = left.with_(side, max(rest, min(left[side], _LEAST_MS)))
    return left


def _own_last_turn(game: RoomGame, seat: Mark) -> tuple[int, ...]:
    """Return the plies of the last turn of `seat`, in order; empty if it has not moved."""
    turns = groupby(range(game.ply), game.turns.__getitem__)
    own = [tuple(plies) for side, plies in turns if side is seat]
    return own[-1] if own else ()
