"""Any position and its value: `/api/explore?rules=7x6x4g&moves=d6d5`.

The board is empty, or as `board=` has it, a letter a cell, row by row from the top left; `moves=`
are played on it, the names of their cells one after the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ttt_engine import IllegalMove, Invalid, InvalidPosition, Position
from ttt_engine import Rules as Board
from ttt_engine.evaluation import Evaluation
from ttt_engine.exceptions import Flaw
from ttt_engine.order import order_of
from ttt_engine.outcome import Value
from ttt_protocol.base import FromServer, Maybe
from ttt_protocol.state import BySeat, Mark, Rules
from ttt_server.ai.evaluations import Evaluations
from ttt_server.ai.runner import AiFailed
from ttt_server.core.room import wire_rules
from ttt_server.core.snapshot import shown
from ttt_server.endpoints.studies import read_fields, read_moves, read_rules
from ttt_server.transport.responses import HttpError


class FlawedPosition(FromServer):
    """A board that no game can reach."""

    rules: Rules
    board: str
    flaw: Flaw
    reason: str


class ExploredPosition(FromServer):
    """A position, and its value for the side to move as far as it is known."""

    rules: Rules
    board: str
    moves: tuple[int, ...] | None
    """Moves that lead here, as `start` takes them; `None` if none are known."""
    turn: Mark
    """The side to move, or that would move if the game were not over."""
    legal: tuple[int, ...]
    boards: Maybe[str] = None
    """This and the next two as in a game; absent where the variant has them not."""
    leaving: Maybe[BySeat[int | None]] = None
    marks: Maybe[int] = None
    winner: Mark | None
    line: tuple[int, ...] | None
    """Every cell of the winning line or lines."""
    over: bool
    best: tuple[int, ...]
    values: dict[str, Value | None]
    """Loss, draw or win for the side to move, by legal cell; `None` if unknown."""
    reason: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """The query: the rules are parsed; the board and the moves are checked later."""

    rules: Board
    board: str
    moves: tuple[int, ...]


async def explore(
    query: str, explorer: Evaluations, *, key: str = ""
) -> ExploredPosition | FlawedPosition:
    """Answer a query. `key` groups the askers that take turns, as `Evaluations` takes it.

    Raises:
        HttpError: 400 for what is no query, 503 if nothing could be found out.
        TooBusy: too many other requests are under way.
    """
    asked = _asked(query)
    try:
        base = Position.parse(asked.board, asked.rules)
    except InvalidPosition as error:
        wire = wire_rules(asked.rules)
        return FlawedPosition(rules=wire, board=asked.board, flaw=error.flaw, reason=str(error))
    position = _played(base, asked.moves)
    is_over = position.outcome() is not None
    found = None if is_over else await _evaluated(explorer, position, key)
    return _explored(base, position, asked.moves, found)


def _played(position: Position, moves: Iterable[int]) -> Position:
    try:
        for cell in moves:
            position = position.play(cell)
    except IllegalMove as error:
        raise HttpError(400, f"moves: {error}") from None
    return position


async def _evaluated(explorer: Evaluations, position: Position, key: str) -> Evaluation:
    try:
        return await explorer.evaluate(position, key=key)
    except AiFailed as failure:
        raise HttpError(503, str(failure)) from None


def _explored(
    base: Position, position: Position, moves: tuple[int, ...], found: Evaluation | None
) -> ExploredPosition:
    before, outcome = order_of(base), position.outcome()
    values = {} if found is None else found.values
    return ExploredPosition(
        rules=wire_rules(position.rules),
        board=position.board,
        moves=None if before is None else (*before, *moves),
        turn=Mark(position.turn),
        **{"legal": position.legal_moves} | shown(position),
        winner=None if outcome is None or outcome.winner is None else Mark(outcome.winner),
        line=None if outcome is None else outcome.line,
        over=outcome is not None,
        best=() if found is None else found.best,
        values={str(cell): value for cell, value in sorted(values.items())},
        reason="" if found is None else found.reason,
    )


def _asked(query: str) -> _Asked:
    given = read_fields(query)
    if unknown := set(given) - {"rules", "board", "moves"}:
        raise HttpError(400, f"{len(unknown)} unknown fields; known are rules, board, moves")
    try:
        rules = read_rules(given)
        moves = read_moves(given.get("moves", ""), rules)
    except Invalid as error:
        raise HttpError(400, str(error)) from None
    return _Asked(rules, given.get("board", "." * rules.cells), moves)
