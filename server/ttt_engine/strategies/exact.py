"""Four in a row on 7x6, exactly: by the solver bitbully, where it is installed."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from ttt_engine.builtin import Solver, told
from ttt_engine.exceptions import CannotPlay
from ttt_engine.outcome import sign
from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.search.negamax import depth_reason
from ttt_engine.strategy import Thought, best_of, require_playable
from ttt_engine.tracing.steps import Tell

FOUR_IN_A_ROW: Final = Rules(7, 6, 4, gravity=True)
"""The only board that the solver knows."""

_LACKS: Final = (
    "exact needs the solver: pip install 'ttt-rooms[solver]'; without it search:9 plays strongest"
)


class Exact(Solver):
    """Plays four in a row perfectly: a win as soon, and a loss as late as possible.

    The values of a thought are exact, on the scale of `minimax`: a win scores 1 plus the number of
    empty cells at its end, a loss the same below 0, a draw 0.
    """

    name = "exact"
    about = "Plays four in a row on 7x6 perfectly, from the first move on."
    boards = "7x6x4g, with the extra package `solver`"

    def plays(self, rules: Rules) -> bool:
        return rules == FOUR_IN_A_ROW and _is_installed()

    @property
    def lacks(self) -> str | None:
        """The package that it needs before it plays any board; None if it has all."""
        return None if _is_installed() else _LACKS

    def think_aloud(self, position: Position, tell: Tell | None) -> Thought:
        if self.lacks is not None:
            raise CannotPlay(self.lacks)
        require_playable(self, position)
        values = _scores(position)
        cells = best_of(values)
        reason = _reason(values[cells[0]], position.rules.cells - position.ply)
        return told(Thought(cells, reason, values), tell)


@cache
def _is_installed() -> bool:
    return find_spec("bitbully") is not None


@cache
def _solver() -> tuple[Any, Any]:
    """Return the solver with its book of openings, which takes a second to read, and its boards."""
    bitbully = import_module("bitbully")
    return bitbully.BitBully(), bitbully.Board


def _scores(position: Position) -> dict[int, int]:
    """Return the score of each legal cell, ascending by cell."""
    solver, make_board = _solver()
    columns, board = position.rules.columns, position.board
    numbers = [".XO".index(letter) for letter in board]
    rows = [numbers[start : start + columns] for start in range(0, len(numbers), columns)]
    found = solver.score_all_moves(make_board(rows))
    return {cell: _score(found[cell % columns], position.ply) for cell in position.legal_moves}


def _score(found: int, ply: int) -> int:
    """Turn a score of the solver into one of `minimax`.

    The solver counts the marks that the winner has left at the end, the last one among them.
    """
    if not found:
        return 0
    moves_first = not ply % 2
    empty = 2 * abs(found) - 2 + ((found > 0) is moves_first)
    return 1 + empty if found > 0 else -1 - empty


def _reason(best: int, empty: int) -> str:
    if best == empty:
        return "win"
    return depth_reason(empty + 1 - abs(best) if best else empty, sign(best))
