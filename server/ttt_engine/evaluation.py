"""What a position is worth: for hints, and for an AI that is offered a draw."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ttt_engine import Position
from ttt_engine.outcome import Value
from ttt_engine.strategies import Minimax, Search

_COUNTED_CELLS = 9
"""With no more empty cells, every continuation is looked at."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """For the side to move: its best cells, and what each is worth, where that is known.

    `values`: by legal cell. `value`: of the position; the search's opinion where it is not solved.
    """

    best: tuple[int, ...]
    values: Mapping[int, Value | None]
    value: Value
    reason: str


def evaluate(position: Position, seconds: float, clock: Callable[[], float]) -> Evaluation:
    """Exact where every continuation can be looked at; elsewhere what a search can prove.

    Raises:
        GameOver: if there is nothing left to judge.
    """
    if position.rules.cells - position.ply <= _COUNTED_CELLS:
        thought = Minimax().think(position)
        values = {cell: _sign(score) for cell, score in (thought.values or {}).items()}
        return Evaluation(thought.cells, values, values[thought.cells[0]], thought.reason)
    found = Search(clock=clock, seconds=seconds).judge(position)
    proven = found.values
    return Evaluation(
        best=found.cells,
        values={c: _sign(proven[c]) if c in proven else None for c in position.legal_moves},
        value=_sign(found.estimate if found.value is None else found.value),
        reason=found.reason,
    )


def _sign(score: float) -> Value:
    if score == 0:
        return 0
    return 1 if score > 0 else -1
