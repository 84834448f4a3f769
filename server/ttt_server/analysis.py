"""What each move of a finished game was worth, and which one threw it away. Pure."""

from collections.abc import Mapping, Sequence

from ttt_engine import Position
from ttt_protocol.events import Ended, Played, TakenBack
from ttt_protocol.records import AnalysedGame, GameRecord, WeighedMove
from ttt_protocol.state import Mark, Settings
from ttt_server.judge import Value
from ttt_server.room import engine_rules, mover

Values = Mapping[int, Value | None]
"""By legal cell, what it is worth to the side to move; null where that is unknown."""


def moves_of(record: GameRecord) -> tuple[int, ...]:
    """The cells of the moves that stood, in order: those that were taken back are left out."""
    moves: list[int] = []
    for event in record.events:
        if isinstance(event, Played):
            moves.append(event.cell)
        elif isinstance(event, TakenBack):
            del moves[event.ply :]
    return tuple(moves)


def is_over(record: GameRecord) -> bool:
    """Whether the game has ended."""
    return any(isinstance(event, Ended) for event in record.events)


def positions_of(record: GameRecord) -> tuple[Position, ...]:
    """What each move of `moves_of` was played in, in order."""
    position = Position.start(engine_rules(Settings(rules=record.rules)))
    positions = []
    for cell in moves_of(record):
        positions.append(position)
        position = position.play(cell)
    return tuple(positions)


def weigh(record: GameRecord, judged: Mapping[int, Values]) -> AnalysedGame:
    """The game with what its moves were worth; `judged`: by ply, as far as positions were."""
    weighed: list[WeighedMove] = []
    after: Value | None = None
    for ply, cell in reversed(tuple(enumerate(moves_of(record)))):
        values = dict(judged.get(ply, {}))
        if after is not None and values.get(cell) is None:
            values[cell] = _negated(after)  # what follows tells what the move was worth
        weighed.append(_weighed(ply, cell, values))
        after = _value(values, of_all=ply in judged)
    weighed.reverse()
    return AnalysedGame(
        **dict(record),
        analysis=tuple(weighed),
        thrown_away_at=_thrown_away_at(record, weighed),
    )


def _weighed(ply: int, cell: int, values: dict[int, Value | None]) -> WeighedMove:
    worth = values.get(cell)
    best = max((value for value in values.values() if value is not None), default=None)
    return WeighedMove(
        ply=ply,
        seat=mover(ply),
        cell=cell,
        values={str(each): values[each] for each in sorted(values)},
        worth=worth,
        mistake=worth is not None and best is not None and worth < best,
    )


def _thrown_away_at(record: GameRecord, weighed: Sequence[WeighedMove]) -> int | None:
    """The last mistake of a side that did not win: after it there was nothing to be done."""
    winner = _winner(record)
    mistakes = [move.ply for move in weighed if move.mistake and move.seat is not winner]
    return mistakes[-1] if mistakes else None


def _winner(record: GameRecord) -> Mark | None:
    last = record.events[-1]
    return last.outcome.winner if isinstance(last, Ended) else None


def _value(values: Values, *, of_all: bool) -> Value | None:
    """What a position is worth, as far as its moves tell; `of_all`: whether none is left out."""
    known = set(values.values())
    if 1 in known:
        return 1
    if None in known or not of_all:
        return None
    return max(value for value in known if value is not None)


def _negated(value: Value) -> Value:
    return 0 if value == 0 else -1 if value == 1 else 1
