import pytest

from ttt_server.limits import lessons
from ttt_server.limits.lessons import LESSONS, LessonLimiter

HOUR_MS = 3_600_000
NOW = 1_700_000_000_000


@pytest.fixture
def limiter() -> LessonLimiter:
    return LessonLimiter()


def taken(limiter: LessonLimiter, one: str, other: str, now: int, times: int) -> int:
    return sum(limiter.takes(frozenset((one, other)), now) for _ in range(times))


def test_a_pair_teaches_so_often_in_any_hour(limiter: LessonLimiter) -> None:
    assert taken(limiter, "a", "b", NOW, 5) == 5
    assert taken(limiter, "b", "a", NOW + HOUR_MS - 1, 99) == LESSONS - 5
    assert taken(limiter, "a", "b", NOW + HOUR_MS, 99) == 5
    assert taken(limiter, "a", "b", NOW + 2 * HOUR_MS - 2, 99) == 0
    assert taken(limiter, "a", "b", NOW + 3 * HOUR_MS, 99) == LESSONS


def test_pairs_count_apart(limiter: LessonLimiter) -> None:
    for one, other in (("a", "b"), ("a", "a"), ("b", "b"), ("a", "c")):
        assert taken(limiter, one, other, NOW, 99) == LESSONS


def test_the_pairs_are_bounded(limiter: LessonLimiter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "_MOST_PAIRS", 2)
    for other in "bcd":
        assert taken(limiter, "a", other, NOW, 99) == LESSONS
    assert not limiter.takes(frozenset("ad"), NOW)
    assert limiter.takes(frozenset("ab"), NOW), "it taught longest ago"
