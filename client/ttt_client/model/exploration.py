"""A position that is explored: its moves as a tree, and what a server tells of it. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ttt_client.model.typed import TypedMove, cell_of
from ttt_client.model.variants import mark_of, shape_of, turn_at
from ttt_protocol.codec import BadMessage
from ttt_protocol.codes import Reason
from ttt_protocol.notation import board_name
from ttt_protocol.state import Game, Mark, Outcome, Rules

FLAWS = {
    "size": "this board has another number of cells",
    "letters": "a cell is empty, X or O",
    "turns": "X moves first, and then each in turn: the number of marks is wrong",
    "floating": "a piece hangs in the air",
    "line": "play cannot have gone on after a line",
}
"""Why no game can reach this position, by the server's word for it."""


@dataclass(eq=False)
class Tried:
    """A move that was tried, and those that were tried after it, the main line first."""

    cell: int
    mark: Mark
    before: "Tried | None"
    after: list["Tried"] = field(default_factory=list)

    @property
    def line(self) -> tuple["Tried", ...]:
        """The moves from the start to this one."""
        return (*(() if self.before is None else self.before.line), self)


@dataclass(frozen=True, slots=True)
class Explored:
    """The server's answer about a position."""

    turn: Mark = Mark.X
    legal: tuple[int, ...] = ()
    best: tuple[int, ...] = ()
    values: Mapping[int, int | None] = field(default_factory=dict)
    reason: str = ""
    outcome: Outcome | None = None
    board: str | None = None
    """The board of the position, where marks do not simply take turns and stay."""
    flaw: str | None = None
    """Why no game can reach this position."""


class Exploration:
    """A board, the moves that were tried on it, and the place among them."""

    def __init__(self, rules: Rules, board: str | None = None) -> None:
        self.rules = rules
        self.base = board or "." * (rules.columns * rules.rows)
        self.first: list[Tried] = []
        """The first moves that were tried."""
        self.at: Tried | None = None
        """The move after which the position is shown; `None` before the first."""

    @property
    def board(self) -> str:
        cells = list(self.base)
        for move in self._line:
            cells[move.cell] = move.mark.value
        return "".join(cells)

    @property
    def query(self) -> dict[str, str]:
        """The position as the server's addresses have it."""
        query = {"rules": board_name(self.rules)}
        if self.base.strip("."):
            query["board"] = self.base
        name = shape_of(self.rules).name
        return query | {"moves": "".join(name(move.cell) for move in self._line)}

    def game(self, told: Explored) -> Game:
        """Return the position as a game that can be drawn."""
        moves = tuple(move.cell for move in self._line)
        board = told.board or self.board
        # Where pieces fall, or every free cell may be played, each client knows them.
        is_plain = self.rules.variant is None or self.rules.gravity
        is_told = not is_plain and 0 < len(told.legal) < board.count(".")
        legal = told.legal if is_told else None
        shown = position(board, told.turn)
        return replace(shown, moves=moves, outcome=told.outcome, legal=legal)

    def play(self, cell: int, side: Mark) -> None:
        """Try a move of a side: go to the one that is there, or add it."""
        tried = self._after
        known = next((move for move in tried if move.cell == cell), None)
        if known is None:
            known = Tried(cell, mark_of(self.rules, side), self.at)
            tried.append(known)
        self.at = known

    def play_all(self, cells: tuple[int, ...]) -> None:
        """Play these cells, each by the side whose turn it is."""
        for cell in cells:
            ply = len(self._line) + len(self.base.replace(".", ""))
            self.play(cell, turn_at(self.rules, ply))

    def back(self) -> None:
        if self.at is not None:
            self.at = self.at.before

    def forward(self) -> None:
        if self._after:
            self.at = self._after[0]

    def to_start(self) -> None:
        self.at = None

    def forward_to_end(self) -> None:
        while self._after:
            self.forward()

    def cut(self) -> None:
        """Drop the move and all after it."""
        if (dropped := self.at) is not None:
            self.at = dropped.before
            self._after.remove(dropped)

    def promote(self) -> None:
        """Make the move the main line of the moves that were tried in its place."""
        if (move := self.at) is not None:
            beside = self.first if move.before is None else move.before.after
            beside.remove(move)
            beside.insert(0, move)

    def set(self, cell: int, letter: str, told: Explored) -> None:
        """Put a mark on a cell, or take it off. The board is the start from then on."""
        board = told.board or self.board
        self.base = board[:cell] + letter + board[cell + 1 :]
        self.first, self.at = [], None

    def lines(self) -> Iterator[tuple[int, tuple[Tried, ...]]]:
        """Yield the moves line by line, each with its depth: the main line comes first."""
        for place, move in enumerate(self.first):
            yield from _lines(move, min(place, 1))

    @property
    def _line(self) -> tuple[Tried, ...]:
        return () if self.at is None else self.at.line

    @property
    def _after(self) -> list[Tried]:
        return self.first if self.at is None else self.at.after


def position(board: str, turn: Mark) -> Game:
    """Return a position as a game that can be drawn."""
    ply = len(board.replace(".", ""))
    return Game(number=1, board=board, turn=turn, ply=ply, moves=(), outcome=None, clock=None)


def wanted_cell(move: TypedMove, rules: Rules, legal: tuple[int, ...]) -> int | None:
    """Return the legal cell that a typed move means; `None` if it means none."""
    cell = cell_of(move, rules)
    if cell is None or not rules.gravity:
        return cell if cell in legal else None
    return next((each for each in legal if each % rules.columns == cell % rules.columns), None)


def read_explored(body: bytes) -> Explored:
    """Return what the server tells of a position.

    Raises:
        BadMessage: if the body is something else.
    """
    try:
        told: dict[str, Any] = json.loads(body)
        if "flaw" in told:
            return Explored(flaw=FLAWS.get(told["flaw"]) or str(told["reason"]))
        line = None if told["line"] is None else tuple(map(int, told["line"]))
        winner = None if told["winner"] is None else Mark(told["winner"])
        reason = Reason.FULL if winner is None else Reason.LINE
        return Explored(
            turn=Mark(told["turn"]),
            legal=tuple(map(int, told["legal"])),
            best=tuple(map(int, told["best"])),
            values={int(cell): value for cell, value in told["values"].items()},
            reason=str(told["reason"]),
            outcome=Outcome(winner=winner, reason=reason, line=line) if told["over"] else None,
            board=told.get("board"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadMessage("no position") from None


def _lines(first: Tried, depth: int) -> Iterator[tuple[int, tuple[Tried, ...]]]:
    """Yield the line of a move, then the variations that depart from it, one deeper."""
    line = [first]
    while line[-1].after:
        line.append(line[-1].after[0])
    yield depth, tuple(line)
    for move in line:
        for other in move.after[1:]:
            yield from _lines(other, depth + 1)
