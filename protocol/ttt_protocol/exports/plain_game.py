"""A game as other programs write it: two names, moves and a result. Pure."""

from collections.abc import Iterator
from typing import NamedTuple

from ttt_protocol import state
from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Ended, Played, Started, TakenBack
from ttt_protocol.exports.notation import board_name, cell_name
from ttt_protocol.records import ExportedGame, GameEvent

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class NoSuchForm(ValueError):
    """A form cannot hold a game; the message is for people."""


class Move(NamedTuple):
    """A move, and the milliseconds that it took if known."""

    cell: int
    time_ms: int = 0


class PlainGame(NamedTuple):
    """A game without a room. Its end follows from the board, or else is `result`."""

    rules: state.Rules
    moves: tuple[Move, ...]
    x: str = "X"
    o: str = "O"
    began_at: int | None = None
    """The time of its start, in Unix ms; None if the file does not tell."""
    result: state.Outcome | None = None
    """How it ended off the board; None if it did not, or nobody knows."""


def exported(game: PlainGame, room: state.RoomName, number: int, at: int) -> ExportedGame:
    """Return the game as one of a room.

    Args:
        game: the game.
        room: the name of the room.
        number: that of the game in its room.
        at: the time of its start, in Unix ms, if the file does not tell it.

    Raises:
        ValueError: a move may not be played; the message names it.
    """
    began = at if game.began_at is None else game.began_at
    events: list[GameEvent] = [Started(seq=1, at=began, game=number)]
    marks: dict[int, state.Mark] = {}
    outcome = None
    for ply, (cell, time_ms) in enumerate(game.moves):
        if outcome is not None:
            raise ValueError(f"move {ply + 1} comes after the end of the game")
        seat = state.Mark.O if ply % 2 else state.Mark.X
        _require_free(marks, cell, game.rules, ply)
        marks[cell] = seat
        at = events[-1].at + time_ms
        events.append(Played(seq=ply + 2, at=at, game=number, ply=ply, seat=seat, cell=cell))
        outcome = _on_the_board(marks, cell, game.rules)
    if (outcome := outcome or game.result) is not None:
        events.append(Ended(seq=len(events) + 1, at=events[-1].at, game=number, outcome=outcome))
    return ExportedGame(
        room=room,
        game=number,
        rules=game.rules,
        seats=state.BySeat[state.Player | None](X=_player("x", game.x), O=_player("o", game.o)),
        events=tuple(events),
        settings=state.Settings(rules=game.rules),
        locked=False,
    )


def plain(game: ExportedGame) -> PlainGame:
    """Return the game without its room, clock and offers.

    Raises:
        NoSuchForm: it is a variant, which no other program's form can say.
    """
    if game.rules.variant is not None:
        raise NoSuchForm(f"{board_name(game.rules)}: only JSON and text hold a variant")
    moves = [Move(cell) for cell in game.start]
    before, is_swapped, result = game.began_at, False, None
    for event in game.events:
        match event:
            case Played():
                moves.append(Move(event.cell, max(0, event.at - before)))
            case TakenBack():
                del moves[event.ply :]
            case Chosen(choice=Choice.SWAP):
                is_swapped = not is_swapped
            case Ended():
                result = event.outcome
            case _:
                continue
        before = event.at
    x, o = (_name(game.seats[mark]) for mark in state.Mark)
    if is_swapped:
        x, o = o, x
    return PlainGame(game.rules, tuple(moves), x, o, game.began_at, result)


def _require_free(marks: dict[int, state.Mark], cell: int, rules: state.Rules, ply: int) -> None:
    below = cell + rules.columns
    name = cell_name(cell, rules.columns)
    if cell in marks:
        raise ValueError(f"move {ply + 1}, {name}, is on a taken cell")
    if rules.gravity and below < rules.columns * rules.rows and below not in marks:
        raise ValueError(f"move {ply + 1}, {name}, would fall: the board is {board_name(rules)}")


def _on_the_board(
    marks: dict[int, state.Mark], last: int, rules: state.Rules
) -> state.Outcome | None:
    """Return the outcome after the last move; None while the game goes on."""
    line = sorted(set(_lines(marks, last, rules)))
    if line:
        return state.Outcome(winner=marks[last], reason=Reason.LINE, line=tuple(line))
    if len(marks) == rules.columns * rules.rows:
        return state.Outcome(winner=None, reason=Reason.FULL, line=None)
    return None


def _lines(marks: dict[int, state.Mark], last: int, rules: state.Rules) -> Iterator[int]:
    """Yield the cells of all rows through the last move that win."""
    for right, down in _DIRECTIONS:
        run = [last]
        for sign in (1, -1):
            row, column = divmod(last, rules.columns)
            while True:
                row, column = row + sign * down, column + sign * right
                cell = row * rules.columns + column
                is_inside = 0 <= row < rules.rows and 0 <= column < rules.columns
                if not is_inside or marks.get(cell) is not marks[last]:
                    break
                run.append(cell)
        if len(run) == rules.in_a_row or (len(run) > rules.in_a_row and not rules.exact):
            yield from run


def _player(id_: str, name: str) -> state.Human:
    return state.Human(id=state.SessionId(id_), name=name[:64].strip() or id_.upper())


def _name(player: state.Player | None) -> str:
    return "nobody" if player is None else player.name
