"""A talk with one process: bytes in, bytes out. The shell around it has the pipe and the clock."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from ttt_protocol.bots import gomocup
from ttt_protocol.bots.failures import flooded, illegal, not_offered
from ttt_protocol.bots.language import Answer, BotTurn, Language
from ttt_protocol.bots.words import JsonLines
from ttt_protocol.codes import Choice
from ttt_protocol.state import Rules

MOST_BYTES = 1 << 16
"""The most that a program may write for one move, or between two, messages not counted."""

GRACE_S = 0.25
"""The default tolerance: how long after its limit an answer still counts."""

START_S = 10.0
"""How much longer a program may take to start, or to make ready for another game."""


class BotProtocol(StrEnum):
    """The languages that a program may speak."""

    JSON = "json"
    GOMOCUP = "gomocup"


class Step(NamedTuple):
    """The outcome of the bytes that were read."""

    answer: Answer | Choice | None
    reply: bytes
    """To write next, if not empty."""
    is_asked: bool = False
    """Whether the reply asks the question, so that its time begins now."""


_LINE_END = re.compile(rb"[\r\n]")


class Conversation:
    """A talk with one process, from its start to its end.

    `ask` gives what to write. `receive` takes what was read, until it gives the answer. Bytes that
    come unasked go to `ignore`.

    Args:
        protocol: the language of the program.
        max_memory: the bytes that the program may use; 0 for no limit.
    """

    def __init__(self, protocol: BotProtocol, max_memory: int = 0) -> None:
        is_gomocup = protocol is BotProtocol.GOMOCUP
        self.language: Language = gomocup.Gomocup(max_memory) if is_gomocup else JsonLines()
        """It tells also the end of a game, says goodbye, and knows whether it is preparing."""
        self._question: BotTurn | None = None
        self._unread = b""
        """The beginning of a line."""
        self._is_stale = False
        """Whether that line began before the question, and so does not answer it."""
        self._size = 0
        self.unasked: str | None = None
        """The last line since the answer that is no message. The next question drops it."""

    def recall(self, question: BotTurn) -> Answer | Choice | None:
        """Return the answer that needs no question: it follows from an earlier one.

        Raises:
            BotFailed: `illegal`.
        """
        answer = self.language.recall(question)
        if answer is not None:
            _require_legal(answer, question)
        return answer

    def ask(self, question: BotTurn) -> bytes:
        """Return what to write to ask for a move, or a choice.

        Raises:
            CannotPlay: the language has no words for such a board.
            BotFailed: the program has written too much since its last answer.
        """
        written = self.language.ask(question)
        self._require_calm()
        self._question, self._size, self.unasked = question, 0, None
        self._is_stale = bool(self._unread)
        return written

    def receive(self, data: bytes) -> Step:
        """Take what the program wrote after a question.

        Raises:
            BotFailed: `not understood`, or `illegal`.
            CannotPlay: the program refuses the board.
            MustStartAgain: the program needs a new process for another game.
        """
        if (question := self._question) is None:
            raise RuntimeError("a question comes before an answer")
        answer, reply, was_preparing = None, b"", self.language.is_preparing
        for line in self._lines(data):
            if answer is not None:
                self.unasked = line
                continue
            heard = self.language.hear(line)
            reply += heard.reply
            if heard.answer is not None:
                answer, self._question, self._size = heard.answer, None, 0
                _require_legal(answer, question)
        if answer is None:
            self._require_calm()
        return Step(answer, reply, was_preparing and not self.language.is_preparing)

    def ignore(self, data: bytes) -> bool:
        """Take what the program wrote unasked; return whether it may write more."""
        for line in self._lines(data):
            self.unasked = line
        return self._written <= MOST_BYTES

    def _lines(self, data: bytes) -> Iterator[str]:
        """Yield the lines that end in the data, but no messages or lines of before the question."""
        *ends, rest = _LINE_END.split(self._unread + data)
        self._unread = rest[: MOST_BYTES + 1]  # the end of a longer line is dropped
        for end in ends:
            line = end.decode(errors="replace")
            is_stale, self._is_stale = self._is_stale, False
            if not self.language.is_aside(line):
                self._size += len(end)
                if not is_stale:
                    yield line

    @property
    def _written(self) -> int:
        """How many bytes came since the question, or since the answer, without messages."""
        is_aside = self.language.is_aside(self._unread.decode(errors="replace"))
        return self._size + (0 if is_aside else len(self._unread))

    def _require_calm(self) -> None:
        if self._written > MOST_BYTES:
            raise flooded(MOST_BYTES)


def require_playable(protocol: BotProtocol, rules: Rules) -> None:
    """Check that a language has words for a board.

    Raises:
        CannotPlay: it has none.
    """
    if protocol is BotProtocol.GOMOCUP:
        gomocup.require_playable(rules)


def _require_legal(answer: Answer | Choice, question: BotTurn) -> None:
    if isinstance(answer, Choice):
        if answer not in question.choices:
            raise not_offered(answer, question.choices)
    elif answer.cell not in question.legal:
        raise illegal(answer.cell, question.legal)
