"""What nearly all commands are, in one go: to take a seat, a move, the last of a game, a rematch.

Each gives what `transition_of` gives for the events of `decide` or `let_in`, in a third of
the time: no
event is made and taken apart again. None where it may be more than that: then the rules decide.
What is refused is never decided here.
"""

from ttt_engine import TIC_TAC_TOE, IllegalMove, Position
from ttt_engine import Mark as Side
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import (
    encode_created,
    encode_end,
    encode_message,
    encode_move,
    encode_offer,
    encode_seated,
    encode_start,
)
from ttt_protocol.commands import Join, Offer, Play
from ttt_protocol.state import DEFAULT_SETTINGS, Ai, Human, Mark, OfferKind, SessionId
from ttt_server.core.decide import PlayerCommand
from ttt_server.core.play import on_the_board
from ttt_server.core.room import (
    NO_OFFERS,
    Game,
    Room,
    counted,
    engine_rules,
    swapped,
    with_offer,
)
from ttt_server.core.transition import Transition


def plain_step(
    room: Room, session: SessionId | None, command: PlayerCommand, now: int
) -> Transition | None:
    """What follows from a command of someone who sits in the room."""
    game, seats = room.game, room.seats
    if game is None or session is None:
        return None
    if isinstance(command, Play):
        ply = len(game.moves)
        if command.ply != ply or command.game != game.number:
            return None
        player = seats.O if ply & 1 else seats.X
        if player is None or player.id != session:
            return None
        return plain_move(room, command.cell, now)
    if isinstance(command, Offer) and command.kind is OfferKind.REMATCH:
        return _rematch(room, session, now)
    return None


def plain_move(room: Room, cell: int, now: int, reason: str | None = None) -> Transition | None:
    """What follows if the side to move plays `cell`. Null with a clock or an offer, too."""
    name, settings, lock, seats, stood_in_for, offers, score, met, seq, game, _ = room
    if game is None or offers is not NO_OFFERS:
        return None
    number, position, moves, outcome, clock = game
    if outcome is not None or clock is not None:
        return None
    try:
        position = position.play(cell)
    except IllegalMove:
        return None
    seq += 1
    ply = len(moves)
    seat = _O if ply & 1 else _X
    moves = (*moves, cell)
    line = encode_move(seq, now, number, ply, seat, cell, reason=reason)
    over = position.outcome()
    if over is None:
        game = _tuple(Game, (number, position, moves, None, None))
        fields = name, settings, lock, seats, stood_in_for, offers, score, met, seq, game, now
        after = _tuple(Room, fields)
        return _tuple(Transition, (after, (line,), None, True))
    seq += 1
    outcome = on_the_board(over.line, seat)
    after = room._replace(
        score=counted(room.score, outcome),
        seq=seq,
        game=Game(number, position, moves, outcome),
        changed_at=now,
    )
    lesson = None
    if position.rules == TIC_TAC_TOE:
        lesson = Lesson.of(moves, None if outcome.winner is None else Side(outcome.winner))
    return Transition(after, (line, encode_end(seq, now, number, outcome)), lesson, is_move=True)


def plain_arrival(room: Room, session: SessionId, join: Join, now: int) -> Transition | None:
    """What follows if `session` takes a seat, and makes the room if it is none.

    Null for a seat that is taken, too, with a password or a clock, and after a first game.

    Args:
        join: one that `makes_room`.
    """
    settings, seats, seq = room.settings, room.seats, room.seq
    seat = join.seat or (_X if seats.X is None else _O)
    if seats[seat] is not None or room.lock is not None:
        return None
    if room.game is not None or settings.clock is not None or not room.stood_in_for.empty:
        return None
    player, game = Human(id=session, name=join.name), None
    lines: tuple[bytes, ...] = ()
    if not seq:
        seq = 1
        lines = (encode_created(now, _DEFAULTS),)
    seq += 1
    lines = (*lines, encode_seated(seq, now, seat, player))
    if seats[seat.other] is not None:
        seq += 1
        lines = (*lines, encode_start(seq, now, 1))
        game = Game(1, Position.start(engine_rules(settings)))
    after = room._replace(
        seats=seats.with_(seat, player),
        met=game is not None,
        seq=seq,
        game=game,
        changed_at=now,
    )
    return Transition(after, lines, None, is_move=False)


def _rematch(room: Room, session: SessionId, now: int) -> Transition | None:
    seats, seq, game, offers = room.seats, room.seq, room.game, room.offers
    seat = seats.of(session)
    if seat is None or game is None or game.outcome is None or game.clock is not None:
        return None
    opposite = seats[seat.other]
    if opposite is None or not room.met or not room.stood_in_for.empty:
        return None
    lines: tuple[bytes, ...] = ()
    if offers is not _REMATCH[seat.other]:
        if offers is not NO_OFFERS:
            return None
        seq += 1
        lines = (encode_offer(seq, now, OfferKind.REMATCH, seat),)
        if not isinstance(opposite, Ai):  # which is always for it
            after = room._replace(offers=_REMATCH[seat], seq=seq, changed_at=now)
            return Transition(after, lines, None, is_move=False)
    seq += 1
    number = game.number + 1
    after = room._replace(
        seats=seats.swapped,
        offers=NO_OFFERS,
        score=swapped(room.score),
        seq=seq,
        game=Game(number, Position.start(game.position.rules)),
        changed_at=now,
    )
    return Transition(after, (*lines, encode_start(seq, now, number)), None, is_move=False)


_X, _O = Mark
_DEFAULTS = encode_message(DEFAULT_SETTINGS)
_REMATCH = {seat: with_offer(NO_OFFERS, OfferKind.REMATCH, seat) for seat in Mark}
_tuple = tuple.__new__
"""What a named tuple's own constructor calls, which is written in Python."""
