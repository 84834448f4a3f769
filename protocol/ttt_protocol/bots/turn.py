"""Questions to a program, its answers, and the end of a game."""

from collections.abc import Mapping
from typing import NamedTuple

from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.state import Mark, Rules


class BotTurn(NamedTuple):
    """A position in which the program is to move, or to choose in an opening."""

    game: int
    """A number that another game of the same program does not have."""
    rules: Rules
    seat: Mark
    """The program's side in this game."""
    board: str
    """`.`, `X` or `O` for each cell, row by row."""
    moves: tuple[int, ...]
    """The cells that were played, in order."""
    legal: tuple[int, ...]
    """The cells that may be played; none where a choice is due."""
    time_ms: int
    """The time for this move, in milliseconds."""
    left_ms: int | None = None
    """The time left for the rest of the game; None where there is no clock."""
    opening: Opening = Opening.NONE
    """How the game opens. A program may then place stones of both marks."""
    choices: tuple[Choice, ...] = ()
    """The choices that an opening offers in place of a move."""


class Answer(NamedTuple):
    """A move of a program, and its explanation."""

    cell: int
    reason: str | None = None
    values: Mapping[str, float] | None = None
    """Its own score of cells, by the cell."""


class GameEnd(NamedTuple):
    """The end of a game."""

    winner: Mark | None
    reason: Reason
