"""What is said in any language: questions to a program, and the answers that it understands."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

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


class HeardLine(NamedTuple):
    """The outcome of a line of the program."""

    answer: Answer | Choice | None = None
    reply: bytes = b""
    """The lines to write next, if any."""


class Language(Protocol):
    """The state of one talk with one process, from its start to its end."""

    variants: frozenset[str] = frozenset()
    """The variants that the program says it plays; `*` for all."""

    @property
    def is_preparing(self) -> bool:
        """Whether something comes before the question that was asked last."""
        return False

    def is_aside(self, line: str) -> bool:
        """Return whether a line, or its beginning, answers nothing: it may come at any time."""

    def ask(self, turn: BotTurn) -> bytes:
        """Return the lines that ask for a move or a choice.

        Raises:
            CannotPlay: this language has no words for such a board.
        """

    def recall(self, turn: BotTurn) -> Answer | Choice | None:  # noqa: ARG002 - most ask each
        """Return the answer that needs no question, if there is one."""
        return None

    def hear(self, line: str) -> HeardLine:
        """Return what follows from a line that the program wrote after a question.

        Raises:
            BotFailed: `not understood`.
            CannotPlay: the program refuses the board.
            MustStartAgain: the program needs a new process for another game.
        """

    def tell_end(self, end: GameEnd) -> bytes:  # noqa: ARG002 - a language may have no words for it
        """Return the lines that tell how a game ended."""
        return b""

    def say_goodbye(self) -> bytes:
        """Return the lines that ask the program to end; none where the end of the input does."""
        return b""


class UnplayableBoard(ValueError):
    """A program, or its language, does not know such a board; the message is for people."""


class MustStartAgain(Exception):
    """A program needs a new process for another game; the question is asked there."""
