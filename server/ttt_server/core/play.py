"""The rules of a game: moves, choices, endings, hints. Pure."""

from functools import lru_cache
from typing import NamedTuple

import ttt_engine as engine
from ttt_engine.outcome import Outcome as EngineOutcome
from ttt_protocol.codes import Choice, Reason, RefusalCode
from ttt_protocol.commands import Choose, Play
from ttt_protocol.events import Chosen, Ended, Played, Slept, Started
from ttt_protocol.state import Human, Mark, Outcome, SessionId, TimeLeft
from ttt_protocol.text import clean
from ttt_server.core import clock
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision, after_end, after_move
from ttt_server.core.rated import why_unrated
from ttt_server.core.room import Room, RoomGame, game_of

_CODES: dict[type[engine.IllegalMove], RefusalCode] = {
    engine.OutOfBoard: RefusalCode.OUT_OF_BOARD,
    engine.CellTaken: RefusalCode.CELL_TAKEN,
    engine.FloatingCell: RefusalCode.FLOATING_CELL,
    engine.OtherBoard: RefusalCode.OTHER_BOARD,
}


MOST_DETAIL = 200
"""Characters of why a game is void."""


class AiMove(NamedTuple):
    """A move of an AI: the fields of a `Play`, made in 0.2 us instead of 0.9."""

    game: int
    ply: int
    cell: int
    log: None = None


def play(
    room: Room, seat: Mark, command: Play | AiMove, now: int, reason: str | None = None
) -> Decision:
    """Decide on a move: the move itself, and the end of the game if that follows.

    A repeated move causes no event. `reason`: an AI's explanation of its move.

    Raises:
        Refused: with the first refusal that applies, in the protocol's order.
    """
    game, asked, cell = current(room, command.game), command.ply, command.cell
    ply = len(game.moves)
    if asked < ply and _is_repeat(game, seat, command):
        return Decision(room)
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    if asked != ply:
        raise Refused(RefusalCode.STALE_PLY, shows_room=True)
    # The marks of the engine and of the wire are equal, and not the same.
    if (game.position.turn if game.opening is None else game.placing) != seat:
        raise _not_to_move(game, seat)
    try:
        after = game.position.play(cell)
    except (engine.OutOfBoard, engine.CellTaken, engine.FloatingCell, engine.OtherBoard) as error:
        raise Refused(_CODES[type(error)], legal=game.position.legal_moves) from None
    except engine.BrokenVariant as error:
        return end(room, Reason.VOID, None, now, clean(str(error))[:MOST_DETAIL])
    log = command.log
    if log is not None:
        require_bot(room, seat)
    left = None if game.clock is None else _left_after_move(room, game, seat, now, after)
    seq, number = room.seq + 1, game.number
    played = Played(seq, now, number, ply, seat, cell, reason, left, log)
    moved = after_move(room, game, played, after)
    outcome = after.outcome()
    if outcome is None:
        return Decision(moved, (played,))
    ended = Ended(seq + 1, now, number, on_the_board(outcome), clock=left)
    return Decision(after_end(moved, ended), (played, ended))


def choose(room: Room, seat: Mark, command: Choose, now: int) -> Decision:
    """Decide on a choice in the opening. A repeated choice causes no event.

    The checks up to `stale_ply` are those of `play`. Then come: nothing to choose, the other
    player's choice, a choice that is not offered.

    Raises:
        Refused: with the first refusal that applies, in the protocol's order.
    """
    game = current(room, command.game)
    if _is_chosen(game, seat, command):
        return Decision(room)
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    if command.ply != game.ply:
        raise Refused(RefusalCode.STALE_PLY, shows_room=True)
    if game.choosing is None:
        raise Refused(RefusalCode.NOT_ALLOWED, "there is nothing to choose now")
    if game.choosing is not seat:
        words = "it is the other player's choice"
        raise Refused(RefusalCode.NOT_YOUR_TURN, words, shows_room=True)
    if command.choice not in game.choices:
        raise Refused(RefusalCode.NOT_ALLOWED, f"choose {_in_words(game.choices)}")
    left = _left_after_choice(room, command.choice, now)
    chosen = Chosen(room.seq + 1, now, game.number, game.ply, seat, command.choice, left)
    return Decision(room).then(chosen)


def _left_after_choice(room: Room, choice: Choice, now: int) -> TimeLeft | None:
    if room.settings.days is not None:
        return clock.days(room.settings.days)
    left = time_left(room, now)
    if left is None or choice is not Choice.SWAP:
        return left
    return TimeLeft(X=left.O, O=left.X)


def _is_chosen(game: RoomGame, seat: Mark, command: Choose) -> bool:
    """Return whether this player has already made this choice."""
    made = None if game.opening is None else game.opening.chosen_by(command.ply)
    return made is not None and (Mark(made[0]), Choice(made[1])) == (seat, command.choice)


def _not_to_move(game: RoomGame, seat: Mark) -> Refused:
    """Return the refusal of a move out of turn."""
    if game.choosing is seat:
        return Refused(RefusalCode.NOT_ALLOWED, f"choose first: {_in_words(game.choices)}")
    words = None if game.choosing is None else "the other player chooses first"
    return Refused(RefusalCode.NOT_YOUR_TURN, words, shows_room=True)


def _in_words(choices: tuple[Choice, ...]) -> str:
    *first, last = choices
    return f"{', '.join(first)} or {last}"


def require_bot(room: Room, seat: Mark) -> None:
    """Check that a program plays in `seat`.

    Raises:
        Refused: `not_allowed`.
    """
    player = room.seats[seat]
    if not isinstance(player, Human) or not player.bot:
        raise Refused(RefusalCode.NOT_ALLOWED, "only a bot may do that")


def end(
    room: Room, reason: Reason, winner: Mark | None, now: int, detail: str | None = None
) -> Decision:
    """End the running game other than by a move. `detail`: why an AI forfeits."""
    ended = Ended(
        seq=room.seq + 1,
        at=now,
        game=game_of(room).number,
        outcome=Outcome(winner=winner, reason=reason),
        detail=detail,
        clock=time_left(room, now),
        unrated=why_unrated(room, reason, winner),
    )
    return Decision(after_end(room, ended), (ended,))


def fallen_flag(room: Room, now: int) -> Decision:
    """End the running game if the side to act has used up its time."""
    if room.flag_falls_at is None or now < room.flag_falls_at:
        return Decision(room)
    return end(room, Reason.TIMEOUT, game_of(room).turn.other, now)


def slept(room: Room, number: int, seat: Mark, given_back_ms: int, now: int) -> Decision:
    """Note that the server slept while `seat` was to move, if that game still goes on.

    Its clock already has the time back.
    """
    game, left = room.game, time_left(room, now)
    if game is None or left is None or game.number != number or game.outcome is not None:
        return Decision(room)
    return Decision(room).then(Slept(room.seq + 1, now, number, seat, given_back_ms, left))


def next_game(room: Room, now: int) -> Decision:
    """Start the next game of the series."""
    number = 1 if room.game is None else room.game.number + 1
    return Decision(room).then(Started(room.seq + 1, now, number))


def current(room: Room, number: int) -> RoomGame:
    """Return the game if it has that number.

    Raises:
        Refused: `game_not_started`, `wrong_game`.
    """
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    if number != room.game.number:
        raise Refused(RefusalCode.WRONG_GAME, shows_room=True)
    return room.game


def running(room: Room, number: int) -> RoomGame:
    """Return the game if it has that number and is not over.

    Raises:
        Refused: `game_not_started`, `wrong_game`, `game_over`.
    """
    game = current(room, number)
    if game.outcome is not None:
        raise Refused(RefusalCode.GAME_OVER, shows_room=True)
    return game


def time_left(room: Room, now: int) -> TimeLeft | None:
    """Return what the clock shows; `None` without a clock."""
    game = room.game
    if game is None or game.clock is None:
        return None
    return game.clock.at(now, game.running)


def position_to_hint(room: Room, session: SessionId | None) -> engine.Position:
    """Return the position about which the player to move asks.

    Raises:
        Refused: `not_a_player`, `not_allowed`, `game_not_started`, `game_over`, `not_your_turn`.
    """
    seat = room.seats.of(session)
    if seat is None:
        raise Refused(RefusalCode.NOT_A_PLAYER)
    if not room.settings.hints:
        raise Refused(RefusalCode.NOT_ALLOWED, "this room has no hints")
    if room.game is None:
        raise Refused(RefusalCode.GAME_NOT_STARTED)
    game = running(room, room.game.number)
    if game.is_opening:
        raise Refused(RefusalCode.NOT_ALLOWED, "there are no hints in the opening")
    if game.turn is not seat:
        raise Refused(RefusalCode.NOT_YOUR_TURN, shows_room=True)
    return game.position


def _left_after_move(
    room: Room, game: RoomGame, seat: Mark, now: int, after: engine.Position
) -> TimeLeft | None:
    """Return what the clock shows after a move; the increment comes with the end of a turn."""
    setting, days, before = room.settings.clock, room.settings.days, game.clock
    if before is not None and game.opening is None and after.turn is game.position.turn:
        return before.at(now, seat)
    if days is not None:
        return clock.days(days)
    return (
        None if setting is None or before is None else clock.after_move(before, setting, seat, now)
    )


@lru_cache(maxsize=1024)  # the games of a small board end in few ways
def on_the_board(found: EngineOutcome) -> Outcome:
    """Return the outcome that the board shows, as the wire has it."""
    winner = None if found.winner is None else Mark(found.winner)
    return Outcome(winner=winner, reason=Reason(found.reason), line=found.line)


def _is_repeat(game: RoomGame, seat: Mark, command: Play | AiMove) -> bool:
    ply = command.ply
    if ply < 0 or game.moves[ply] != command.cell:
        return False
    placer = None if game.opening is None else game.opening.placed_by(ply)
    return (game.turns[ply] if placer is None else placer) == seat
