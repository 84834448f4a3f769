"""A talk with one process: bytes in, bytes out. The shell around it has the pipe and the clock."""

from enum import StrEnum
from typing import NamedTuple, assert_never

from ttt_protocol.bots.failures import flooded, illegal, not_offered
from ttt_protocol.bots.gomocup import Gomocup
from ttt_protocol.bots.gomocup import require_playable as require_gomocup
from ttt_protocol.bots.language import Language
from ttt_protocol.bots.turn import Answer, Choosing, GameEnd, Turn
from ttt_protocol.bots.words import JsonLines
from ttt_protocol.codes import Choice
from ttt_protocol.state import Rules

MOST_BYTES = 1 << 16
"""The most that a program may write for one move, or between two."""

GRACE_S = 0.25
"""How long after its limit an answer still counts; then the process is killed."""

START_S = 10.0
"""How much longer the first answer of a new process may take: for its start."""

MOST_STDERR = 1024
"""The bytes of a program's standard error that belong to a move, or to a crash."""


class BotProtocol(StrEnum):
    """The languages that a program may speak."""

    JSON = "json"
    GOMOCUP = "gomocup"


class Step(NamedTuple):
    """The outcome of the bytes that were read."""

    answer: Answer | Choice | None
    reply: bytes
    """To write next, if not empty."""


class Conversation:
    """A talk with one process, from its start to its end.

    `ask` gives what to write. `receive` takes what was read, until it gives the answer. Bytes that
    come unasked go to `ignore`.
    """

    def __init__(self, protocol: BotProtocol) -> None:
        self._language = _language(protocol)
        self._question: Turn | Choosing | None = None
        self._unread = bytearray()
        self._size = 0

    def recall(self, question: Turn | Choosing) -> Answer | Choice | None:
        """Return the answer that needs no question: it follows from an earlier one.

        Raises:
            BotFailed: `illegal`.
        """
        answer = self._language.recall(question)
        if answer is not None:
            _require_legal(answer, question)
        return answer

    def ask(self, question: Turn | Choosing) -> bytes:
        """Return what to write to ask for a move, or a choice.

        Raises:
            CannotPlay: the language has no words for such a board.
            BotFailed: the program has flooded its output in the meantime.
        """
        language = self._language
        if isinstance(question, Turn):
            written = language.ask(question)
        else:
            written = language.choose(question)
        self._require_calm()
        self._question, self._size = question, 0
        self._unread.clear()
        return written

    def receive(self, data: bytes) -> Step:
        """Take what the program wrote after a question.

        Raises:
            BotFailed: `not understood`, or `illegal`.
        """
        if self._question is None:
            raise RuntimeError("a question comes before an answer")
        self._unread += data
        self._size += len(data)
        reply = b""
        while (end := self._unread.find(b"\n")) >= 0:
            line = self._unread[:end].decode(errors="replace").rstrip("\r")
            del self._unread[: end + 1]
            answer, more = self._language.hear(line)
            reply += more
            if answer is not None:
                _require_legal(answer, self._question)
                self._size = len(self._unread)
                return Step(answer, reply)
        self._require_calm()
        return Step(None, reply)

    def ignore(self, data: bytes) -> bool:
        """Take what the program wrote unasked; return whether it may go on to write."""
        self._size += len(data)
        return self._size <= MOST_BYTES

    def tell_end(self, end: GameEnd) -> bytes:
        """Return what to write when a game is over."""
        return self._language.tell_end(end)

    def say_goodbye(self) -> bytes:
        """Return what to write before the end of the input."""
        return self._language.say_goodbye()

    def _require_calm(self) -> None:
        if self._size > MOST_BYTES:
            raise flooded(MOST_BYTES)


def require_playable(protocol: BotProtocol, rules: Rules) -> None:
    """Check that a language has words for a board.

    Raises:
        CannotPlay: it has none.
    """
    if protocol is BotProtocol.GOMOCUP:
        require_gomocup(rules)


def _require_legal(answer: Answer | Choice, question: Turn | Choosing) -> None:
    match question, answer:
        case Turn(legal=legal), Answer(cell=cell):
            if cell not in legal:
                raise illegal(cell, legal)
        case Choosing(choices=choices), Choice():
            if answer not in choices:
                raise not_offered(answer, choices)
        case _:  # pragma: no cover - a language answers what it was asked
            raise TypeError(answer)


def _language(protocol: BotProtocol) -> Language:
    match protocol:
        case BotProtocol.JSON:
            return JsonLines()
        case BotProtocol.GOMOCUP:
            return Gomocup()
        case _:  # pragma: no cover - the enumeration is closed
            assert_never(protocol)
