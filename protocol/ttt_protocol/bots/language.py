"""The interface of a language: its questions to a program, and the answers that it understands."""

from typing import NamedTuple, Protocol

from ttt_protocol.bots.turn import Answer, Choosing, GameEnd, Turn
from ttt_protocol.codes import Choice


class Heard(NamedTuple):
    """The outcome of a line of the program."""

    answer: Answer | Choice | None = None
    reply: bytes = b""
    """The lines to write next, if any."""


class Language(Protocol):
    """The state of one talk with one process, from its start to its end."""

    def ask(self, turn: Turn) -> bytes:
        """Return the lines that ask for a move.

        Raises:
            CannotPlay: this language has no words for such a board.
        """

    def choose(self, choosing: Choosing) -> bytes:
        """Return the lines that ask for a choice.

        Raises:
            CannotPlay: this language has no words for such a board.
        """

    def recall(self, question: Turn | Choosing) -> Answer | Choice | None:
        """Return the answer that needs no question, if there is one."""

    def hear(self, line: str) -> Heard:
        """Return what a line of the program leads to, after a question.

        Raises:
            BotFailed: `not understood`.
        """

    def tell_end(self, end: GameEnd) -> bytes:
        """Return the lines that tell how a game ended."""

    def say_goodbye(self) -> bytes:
        """Return the lines that ask the program to end."""


class CannotPlay(ValueError):
    """A language has no words for such a board; the message is for people."""
