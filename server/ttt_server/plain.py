"""What nearly all commands are, in one go: a move, the last move of a game, a rematch.

Each gives what `step_of` gives for the events of `decide`, in a third of the time: no event is made
and taken apart again. They are null where they are not sure, and the rules decide; what is refused
is theirs alone.
"""

from ttt_engine import TIC_TAC_TOE, IllegalMove, Position
from ttt_engine import Mark as Side
from ttt_engine.memory import Lesson
from ttt_protocol.codec import encode_end, encode_move, encode_offer, encode_start
from ttt_protocol.commands import Offer, Play
from ttt_protocol.state import Ai, Mark, OfferKind, SessionId
from ttt_server.decide import PlayerCommand
from ttt_server.games import on_the_board
from ttt_server.room import NO_OFFERS, Game, Room, counted, swapped, with_offer
from ttt_server.step import Step


def plain_step(
    room: Room, session: SessionId | None, command: PlayerCommand, now: int
) -> Step | None:
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


def plain_move(room: Room, cell: int, now: int, reason: str | None = None) -> Step | None:
    """What follows if the side to move plays `cell`. Null with a clock or an offer, too."""
    name, seq, settings, lock, seats, absent, game, offers, score, met, _ = room
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
    lines: tuple[bytes, ...] = (line,)
    lesson = None
    if over := position.outcome():
        seq += 1
        outcome = on_the_board(over.line, seat)
        lines = line, encode_end(seq, now, number, outcome)
        score = counted(score, outcome)
        if position.rules == TIC_TAC_TOE:
            lesson = Lesson.of(moves, None if outcome.winner is None else Side(outcome.winner))
    game = _tuple(Game, (number, position, moves, outcome, None))
    values = (name, seq, settings, lock, seats, absent, game, offers, score, met, now)
    return _tuple(Step, (room, _tuple(Room, values), lines, lesson, True))


def _rematch(room: Room, session: SessionId | None, now: int) -> Step | None:
    name, seq, settings, lock, seats, absent, game, offers, score, met, _ = room
    seat = seats.of(session)
    if seat is None or game is None or game.outcome is None or game.clock is not None:
        return None
    opposite = seats[seat.other]
    if opposite is None or not met or not absent.empty:
        return None
    lines: tuple[bytes, ...] = ()
    if offers is not _REMATCH[seat.other]:
        if offers is not NO_OFFERS:
            return None
        seq += 1
        lines = (encode_offer(seq, now, OfferKind.REMATCH, seat),)
        offers = _REMATCH[seat]
    if lines and not isinstance(opposite, Ai):  # an AI is always for it
        values = (name, seq, settings, lock, seats, absent, game, offers, score, met, now)
        return _tuple(Step, (room, _tuple(Room, values), lines, None, False))
    seq += 1
    number = game.number + 1
    lines = (*lines, encode_start(seq, now, number))
    game = _tuple(Game, (number, Position.start(game.position.rules), (), None, None))
    seats, score = seats.swapped, swapped(score)
    values = (name, seq, settings, lock, seats, absent, game, NO_OFFERS, score, met, now)
    return _tuple(Step, (room, _tuple(Room, values), lines, None, False))


_X, _O = Mark
_REMATCH = {seat: with_offer(NO_OFFERS, OfferKind.REMATCH, seat) for seat in Mark}
_tuple = tuple.__new__
"""What a named tuple's own constructor calls, which is written in Python."""
