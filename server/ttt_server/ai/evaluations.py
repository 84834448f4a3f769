"""Evaluate positions on request: in a worker process, one at a time, each once.

The cache is that of all answers which took long to find.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, Protocol, TypeVar

from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_server.concurrency.fair_semaphore import BoundedLock

POSITION_S: Final = 0.5
"""The time limit of one position."""

PATIENCE_S: Final = 6.5
"""The longest wait for other positions. With its own, less than a request may take."""

MOST_WAITING: Final = 64
"""The most requests under way or waiting; one more is `TooBusy`."""

MOST_OF_AN_ADDRESS: Final = 16
"""The most of one address; one more is `KeyTooBusy`."""

MOST_KEPT: Final = 1024
"""Evaluations kept, by last request."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class AnswerCache(Generic[K, V]):
    """At most `most` answers, by question. The least recently used is dropped first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[K, V] = OrderedDict()

    def find(self, question: K) -> V | None:
        """Return the answer if it is kept."""
        if question not in self._answers:
            return None
        self._answers.move_to_end(question)
        return self._answers[question]

    def add(self, question: K, answer: V) -> V:
        """Keep an answer, and return it."""
        self._answers[question] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
        return answer


class Evaluator(Protocol):
    """Evaluates a position in about a given number of seconds, as `StrategyRunner` does."""

    async def evaluate(self, position: Position, seconds: float) -> Evaluation: ...


class Evaluations:
    """Evaluates one position at a time, so that a hint waits for one at most."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._turns = BoundedLock(MOST_WAITING, MOST_OF_AN_ADDRESS)
        self._kept: AnswerCache[Position, Evaluation] = AnswerCache(MOST_KEPT)

    async def evaluate(self, position: Position, *, key: str = "") -> Evaluation:
        """Evaluate a position in which the game goes on.

        Args:
            position: where the game goes on.
            key: requests with the same key, as an address, take turns with those of other keys.

        Raises:
            TooBusy: too many other requests are under way; `KeyTooBusy` if they have the same key.
            AiFailed: no worker gave an answer.
        """
        if (kept := self._kept.find(position)) is not None:
            return kept
        async with self._turns.take(PATIENCE_S, key):
            if (kept := self._kept.find(position)) is not None:
                return kept  # found meanwhile
            return self._kept.add(position, await self._evaluator.evaluate(position, POSITION_S))
