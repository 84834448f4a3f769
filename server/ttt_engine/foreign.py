"""The variants of plug-ins, held to the contract: what they give is checked before it is used.

Whatever a plug-in does becomes a `BrokenVariant`, whose text says what it did.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from ttt_engine.exceptions import BrokenVariant, InvalidPosition, OtherBoard
from ttt_engine.outcome import Mark, Outcome
from ttt_engine.position import Position, marks_on
from ttt_engine.rules import Rules

T = TypeVar("T")

Limit = Callable[[Callable[[], Any]], Any]
"""Runs a call, and raises `TimeoutError` if it takes too long."""

_REASONS: Final = ("line", "full", "repetition", "long")

_limits: list[Limit] = []
"""The limit of this process, if it has one."""


def limit_by(limit: Limit) -> None:
    """Run the code of plug-ins under this limit from now on."""
    _limits[:] = [limit]


def start(variant: Any, rules: Rules) -> "ForeignPosition":
    """Return the first position of a plug-in's variant.

    Raises:
        BrokenVariant: it failed, or broke the contract.
    """
    return _guarded(rules, "start", lambda: look(variant.start(rules)))


def parse(variant: Any, board: str, rules: Rules) -> "ForeignPosition":
    """Return the position of a board.

    Raises:
        InvalidPosition: as the variant says.
        BrokenVariant: it failed, or broke the contract.
    """
    return _guarded(rules, "parse", lambda: look(variant.parse(board, rules)))


@dataclass(slots=True, unsafe_hash=True)
class ForeignPosition(Position):
    """A position of a plug-in, with all that it says, asked once and checked."""

    _forbidden = OtherBoard, "{} may not be played now"

    inner: Any
    rules: Rules = field(hash=False)
    board: str = field(compare=False)
    turn: Mark = field(compare=False)
    ply: int = field(compare=False)
    legal_moves: tuple[int, ...] = field(compare=False)
    ended: Outcome | None = field(compare=False)
    boards: str | None = field(compare=False)
    leaving: tuple[int | None, int | None] | None = field(compare=False)
    marks: int | None = field(compare=False)

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        """Pickle the plug-in's position; the rest is asked again."""
        return look, (self.inner,)

    @property
    def x(self) -> int:
        return marks_on(self.board)[0]

    @property
    def o(self) -> int:
        return marks_on(self.board)[1]

    @property
    def legal(self) -> tuple[int, ...] | None:
        free = tuple(cell for cell, letter in enumerate(self.board) if letter == ".")
        return None if self.legal_moves == free else self.legal_moves

    def outcome(self) -> Outcome | None:
        return self.ended

    def play(self, cell: int) -> "ForeignPosition":
        if cell not in self.legal_moves:
            self._refuse(cell)
        return _guarded(self.rules, "play", lambda: look(self.inner.play(cell), self.ply + 1))


def look(inner: Any, ply: int | None = None) -> ForeignPosition:
    """Return all that a plug-in's position says.

    Raises:
        ValueError: it breaks the contract; the text says how.
    """
    if not isinstance(inner, Position):
        raise ValueError(f"it gave {type(inner).__name__}, not a Position")  # noqa: TRY004
    rules: Rules = inner.rules
    said: tuple[Any, ...] = inner.board, inner.turn, inner.legal_moves, inner.outcome()
    board, turn, legal, outcome = said
    if not isinstance(board, str) or len(board) != rules.cells or not set(board) <= set(".XO"):
        raise ValueError(f"board is not {rules.cells} letters of . X O")
    if not isinstance(turn, Mark):
        raise ValueError("turn is no Mark")  # noqa: TRY004 - all faults of a plug-in are alike
    if ply is not None and inner.ply != ply:
        raise ValueError(f"ply is {inner.ply!r} after {ply} moves")
    if not isinstance(legal, tuple) or any(type(cell) is not int for cell in legal):
        raise ValueError("legal_moves is not a tuple of cells")
    if legal != tuple(sorted(set(legal))):
        raise ValueError("legal_moves are not ascending")
    if any(not 0 <= cell < rules.cells or board[cell] != "." for cell in legal):
        raise ValueError("legal_moves has a cell that is taken or off the board")
    if (outcome is None) is not bool(legal):
        raise ValueError("there are legal moves after the end, or none before it")
    if outcome is not None and not _is_sound(outcome, rules):
        raise ValueError("outcome is no Outcome of winner, line and reason")
    shown = inner.boards, inner.leaving, inner.marks
    return ForeignPosition(inner, rules, board, turn, inner.ply, legal, outcome, *shown)


def _is_sound(outcome: Any, rules: Rules) -> bool:
    if not isinstance(outcome, Outcome):
        return False
    fields: tuple[Any, ...] = outcome.winner, outcome.line or (), outcome.reason
    winner, line, reason = fields
    is_known = reason in _REASONS and (winner is None or isinstance(winner, Mark))
    return is_known and set(range(rules.cells)) >= set(line)


def _guarded(rules: Rules, what: str, work: Callable[[], T]) -> T:
    try:
        made: T = _limits[0](work) if _limits else work()
    except InvalidPosition:
        raise
    except TimeoutError:
        raise BrokenVariant(f"{rules.variant}: {what} takes too long") from None
    except ValueError as error:
        raise BrokenVariant(f"{rules.variant}: {what}: {error}") from error
    except BaseException as error:  # a plug-in can fail in any way
        raise BrokenVariant(f"{rules.variant}: {what} fails: {type(error).__name__}") from error
    return made
