"""The value of each move of a finished game, and the move that threw it away. Pure."""

from collections.abc import Mapping, Sequence

from ttt_engine import Position
from ttt_engine.outcome import Value
from ttt_protocol.events import Chosen, Ended, Played, TakenBack
from ttt_protocol.records import AnalysedGame, GameRecord, WeighedMove
from ttt_protocol.state import Mark, Settings
from ttt_server.core import room

Values = Mapping[int, Value | None]
"""The value of each legal cell for the side to move; `None` where that is unknown."""


def moves_of(record: GameRecord) -> tuple[int, ...]:
    """Return the cells of the moves in order, without those that were taken back.

    The moves of the start come first.
    """
    moves: list[int] = list(record.start)
    for event in record.events:
        if isinstance(event, Played):
            moves.append(event.cell)
        elif isinstance(event, TakenBack):
            del moves[event.ply :]
    return tuple(moves)


def positions_of(record: GameRecord) -> tuple[tuple[int, Position], ...]:
    """Return each move's ply and the position before it, in order, without the start's moves."""
    rules = room.engine_rules(Settings(rules=record.rules))
    return tuple(enumerate(room.positions_of(moves_of(record), rules)))[len(record.start) : -1]


def value_of(values: Values) -> Value | None:
    """Return the value of a position, if its moves determine it."""
    if 1 in values.values():
        return 1
    known = [value for value in values.values() if value is not None]
    return max(known) if len(known) == len(values) else None


def negated(value: Value) -> Value:
    """Return the value for the other side."""
    return 0 if value == 0 else -1 if value == 1 else 1


def weigh(record: GameRecord, evaluated: Mapping[int, Values]) -> AnalysedGame:
    """Add the values of its moves to a game. `evaluated` has positions by ply, as far as known."""
    weighed: list[WeighedMove] = []
    after: Value | None = None
    made = tuple(enumerate(moves_of(record)))[len(record.start) :]
    opened = max((event.ply for event in record.events if isinstance(event, Chosen)), default=0)
    turns = {ply: Mark(position.turn) for ply, position in positions_of(record)}
    for ply, cell in reversed(made):
        values = dict(evaluated.get(ply, {}))
        if after is not None and values.get(cell) is None:
            # The next position gives the value of the move, for the side that moves there.
            is_same = turns[ply] is turns.get(ply + 1)
            values[cell] = after if is_same else negated(after)
        weighed.append(_weighed(ply, turns[ply], cell, values, is_opening=ply < opened))
        # Beside a winning move the rest was not searched.
        after = value_of(values) if ply in evaluated or 1 in values.values() else None
    weighed.reverse()
    return AnalysedGame(
        **dict(record), analysis=tuple(weighed), thrown_away_at=_thrown_away_at(record, weighed)
    )


def _weighed(
    ply: int, seat: Mark, cell: int, values: dict[int, Value | None], *, is_opening: bool
) -> WeighedMove:
    # A player places opening marks before knowing the side: none is a mistake.
    worth = values.get(cell)
    best = max((value for value in values.values() if value is not None), default=None)
    return WeighedMove(
        ply=ply,
        seat=seat,
        cell=cell,
        values={str(each): values[each] for each in sorted(values)},
        worth=worth,
        mistake=not is_opening and worth is not None and best is not None and worth < best,
    )


def _thrown_away_at(record: GameRecord, weighed: Sequence[WeighedMove]) -> int | None:
    """Return the ply of the last mistake of a side that did not win."""
    last = record.events[-1]
    winner = last.outcome.winner if isinstance(last, Ended) else None
    mistakes = [move.ply for move in weighed if move.mistake and move.seat is not winner]
    return mistakes[-1] if mistakes else None
