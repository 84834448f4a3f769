"""What happens next in a room: as it is kept, as it is told, and the room after it. Pure."""

from typing import NamedTuple

from ttt_engine import IllegalMove
from ttt_engine.memory import Lesson
from ttt_protocol.codec import encode_events, encode_move
from ttt_protocol.commands import Play
from ttt_protocol.state import Mark, SessionId
from ttt_server.games import Decision
from ttt_server.lessons import lesson_of
from ttt_server.room import NO_OFFERS, Game, Room, evolve_all
from ttt_server.store import Lines


class Step(NamedTuple):
    """A decision, with what follows from it. It is true when it has been kept."""

    before: Room
    after: Room
    lines: Lines
    """The events, encoded: they are kept and told in the same bytes."""
    lesson: Lesson | None
    is_move: bool

    def follow(self, room: Room) -> Room:
        """The room after it. Should the clock of `room` have been set since before, it stays so."""
        if room is self.before:
            return self.after
        return self.after.with_clock_shifted(_running_since(room) - _running_since(self.before))


def step_of(room: Room, events: Decision) -> Step:
    """What follows in `room` if these events happen; at least one."""
    return Step(
        room,
        evolve_all(room, events),
        encode_events(events),
        lesson_of(room, events),
        events[0].type == "played",
    )


def plain_move(room: Room, session: SessionId | None, command: Play, now: int) -> Step | None:
    """What `step_of` gives for the events of `decide`, should they be a move and nothing else.

    Null if that may not be so: if it ends the game or is refused, or there is a clock or an offer.
    Nearly every command is such a move, and this takes a third of the time.
    """
    game, seats = room.game, room.seats
    if game is None or session is None:
        return None
    ply = len(game.moves)
    player = seats.O if ply & 1 else seats.X
    if command.game != game.number or command.ply != ply or player is None or player.id != session:
        return None
    return plain_step(room, command.cell, now)


def plain_step(room: Room, cell: int, now: int, reason: str | None = None) -> Step | None:
    """The same, of whoever is to move."""
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
    if position.outcome() is not None:
        return None
    seq += 1
    ply = len(moves)
    moved = _tuple(Game, (number, position, (*moves, cell), None, None))
    values = (name, seq, settings, lock, seats, absent, moved, offers, score, met, now)
    after = _tuple(Room, values)
    line = encode_move(seq, now, number, ply, _O if ply & 1 else _X, cell, reason=reason)
    return _tuple(Step, (room, after, (line,), None, True))


def _running_since(room: Room) -> int:
    return 0 if room.game is None or room.game.clock is None else room.game.clock.since


_X, _O = Mark
_tuple = tuple.__new__
"""What a named tuple's own constructor calls, which is written in Python."""
