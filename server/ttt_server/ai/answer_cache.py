"""Keeps answers that took long to find."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

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
