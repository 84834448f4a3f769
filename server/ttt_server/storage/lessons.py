"""Lessons as text: the cells of a game in the order of play, then the winner, as in `04182X`."""

from collections.abc import Iterable
from typing import Final

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson

HOUR_MS: Final = 3_600_000
"""Lessons are forgotten by whole hours of Unix time."""


def lesson_text(lesson: Lesson) -> str:
    """Return a lesson as text; a draw has no winner at the end."""
    return "".join(map(str, lesson.cells)) + (lesson.winner or "")


def parse_lesson(text: str) -> Lesson:
    """Parse a lesson.

    Raises:
        ValueError: if it is none.
    """
    cells = text.rstrip("XO")
    winner = text[len(cells) :]
    return Lesson(tuple(map(int, cells)), Mark(winner) if winner else None)


def tallied_text(lessons: Iterable[tuple[Lesson, int]]) -> str:
    """Return lessons with how often each was learned: `04182X:3 0481:1`."""
    return " ".join(f"{lesson_text(lesson)}:{times}" for lesson, times in lessons)


def parse_tallied(text: str) -> Iterable[tuple[Lesson, int]]:
    """Parse lessons with how often each was learned.

    Raises:
        ValueError: if they are none.
    """
    for part in text.split():
        lesson, _, times = part.rpartition(":")
        yield parse_lesson(lesson), int(times)
