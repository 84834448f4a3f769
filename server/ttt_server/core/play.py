"""What may happen in a game: moves, and the ways it can end."""

from functools import lru_cache

from ttt_engine import CellTaken, FloatingCell, OutOfBoard, Position
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Play
from ttt_protocol.events import Ended, Event, Played, Started
from ttt_protocol.state import Mark, Outcome, TimeLeft
from ttt_server.core import clock
from ttt_server.core.clock import Clock
from ttt_server.core.errors import Refused
from ttt_server.core.room import Game, Room, game_of, mover

Decision = tuple[Event, ...]
"""What follows from a command, in order; empty if nothing does."""


def play(room: Room, seat: Mark, command: Play, now: int, reason: str | None = None) -> Decision:
    """The move, and the end of the game if it is one. `reason`: an AI's own word for it.

    The same move sent again is no event. The order of the checks is the contract's.
    """
    game, cell = current(room, command.game), command.cell
    ply = len(game.moves)
    if command.ply < ply and _is_repeat(game, seat, command):
        return ()
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    if command.ply != ply:
        raise Refused(RefusalCode.STALE_PLY, shows_room=True)
    if mover(ply) is not seat:
        raise Refused(RefusalCode.NOT_YOUR_TURN, shows_room=True)
    after = _after(game.position, cell)
    left = None if game.clock is None else _left_after_move(room, game.clock, seat, now)
    played = Played(
        seq=room.seq + 1,
        at=now,
        game=game.number,
        ply=ply,
        seat=seat,
        cell=cell,
        reason=reason,
        clock=left,
    )
    outcome = after.outcome()
    if outcome is None:
        return (played,)
    ended = Ended(
        seq=room.seq + 2,
        at=now,
        game=game.number,
        outcome=on_the_board(outcome.line, seat),
        clock=left,
    )
    return played, ended


def end(
    room: Room, reason: Reason, winner: Mark | None, now: int, detail: str | None = None
) -> Decision:
    """The end of the running game, other than by a move. `detail`: what an AI forfeits it for."""
    return (
        Ended(
            seq=room.seq + 1,
            at=now,
            game=game_of(room).number,
            outcome=Outcome(winner=winner, reason=reason),
            detail=detail,
            clock=time_left(room, now),
        ),
    )


def fallen_flag(room: Room, now: int) -> Decision:
    """The end of the running game, if the side to move has used up its time."""
    if room.flag_falls_at is None or now < room.flag_falls_at:
        return ()
    return end(room, Reason.TIMEOUT, game_of(room).turn.other, now)


def next_game(room: Room, now: int) -> Decision:
    """The next game of the series."""
    number = 1 if room.game is None else room.game.number + 1
    return (Started(seq=room.seq + 1, at=now, game=number),)


def current(room: Room, number: int) -> Game:
    """The game, if it has that number.

    Raises:
        Refused: `game_not_started`, `wrong_game`.
    """
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    if number != room.game.number:
        raise Refused(RefusalCode.WRONG_GAME, shows_room=True)
    return room.game


def running(room: Room, number: int) -> Game:
    """The game, if it has that number and is not over.

    Raises:
        Refused: `game_not_started`, `wrong_game`, `game_over`.
    """
    game = current(room, number)
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    return game


def time_left(room: Room, now: int) -> TimeLeft | None:
    """What the clock shows; null in a game without one."""
    game = room.game
    if game is None or game.clock is None:
        return None
    return game.clock.at(now, game.running)


def _left_after_move(room: Room, before: Clock, seat: Mark, now: int) -> TimeLeft | None:
    setting = room.settings.clock
    return None if setting is None else clock.after_move(before, setting, seat, now)


@lru_cache(maxsize=1024)  # a small board's games end in few ways, and each end is a value
def on_the_board(line: tuple[int, ...] | None, mover: Mark) -> Outcome:
    """How a game ends with a move of `mover`: by a line, or because there is no place left."""
    if line is None:
        return Outcome(winner=None, reason=Reason.FULL)
    return Outcome(winner=mover, reason=Reason.LINE, line=line)


def _is_repeat(game: Game, seat: Mark, command: Play) -> bool:
    return (
        command.ply >= 0 and game.moves[command.ply] == command.cell and mover(command.ply) is seat
    )


def _after(position: Position, cell: int) -> Position:
    try:
        return position.play(cell)
    except OutOfBoard:
        code = RefusalCode.OUT_OF_BOARD
    except CellTaken:
        code = RefusalCode.CELL_TAKEN
    except FloatingCell:
        code = RefusalCode.FLOATING_CELL
    raise Refused(code, legal=position.legal_moves)
