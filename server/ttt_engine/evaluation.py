"""Evaluate a position: for hints, draw offers to an AI, and analyses."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from ttt_engine import Position
from ttt_engine.outcome import Value, sign
from ttt_engine.strategies import Exact, Mcts, Minimax, Perfect, Search, Strategy, can_play

_SOLVED_CELLS = 9
"""The most empty cells for which minimax searches every continuation."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position for the side to move, and its best cells."""

    best: tuple[int, ...]
    """The best cells found, ascending, never empty."""

    values: Mapping[int, Value | None]
    """The value of each legal cell. None: not known."""

    value: Value
    """The value of the position, or the search's estimate if it is not solved."""

    reason: str
    """As in a thought."""


def evaluate(position: Position, seconds: float, clock: Callable[[], float]) -> Evaluation:
    """Evaluate exactly with nine empty cells or fewer, else by a search of at most `seconds`.

    Where the strategy `exact` plays it is exact, too, and in one position of a hundred takes longer
    than `seconds`; so where `perfect` plays a variant. Where `search` does not play, `mcts` does.

    Raises:
        GameOver: the game has its outcome.
    """
    solver = _solver_of(position)
    thought = None
    if solver is not None:
        with suppress(MemoryError):  # of a process with less than `exact` needs
            thought = solver.think(position)
    if thought is not None:
        values = {cell: sign(score) for cell, score in (thought.values or {}).items()}
        return Evaluation(thought.cells, values, values[thought.cells[0]], thought.reason)
    searching: Search | Mcts = Search(clock=clock, seconds=seconds)
    if position.rules.variant is not None and not can_play(searching, position.rules):
        searching = Mcts(clock=clock, seconds=seconds)
    found = searching.search(position)
    proven = found.values
    return Evaluation(
        best=found.cells,
        values={c: sign(proven[c]) if c in proven else None for c in position.legal_moves},
        value=sign(found.estimate if found.value is None else found.value),
        reason=found.reason,
    )


def _solver_of(position: Position) -> Strategy | None:
    """Return the strategy that gives each cell of the position its exact value, if one does."""
    rules = position.rules
    is_short = rules.cells - position.ply <= _SOLVED_CELLS
    perfect = () if rules.variant is None else (Perfect(),)
    solvers = (*perfect, *([Minimax()] if is_short else []), Exact())
    return next((solver for solver in solvers if can_play(solver, rules)), None)
