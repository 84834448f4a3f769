import math

import pytest

from ttt_engine.arena.ratings import Record
from ttt_engine.arena.sprt import BOUND, Sprt, Verdict, expected_score

TEST = Sprt(0, 20)


def test_the_bounds_are_those_of_five_percent() -> None:
    assert pytest.approx(math.log(19)) == BOUND


def test_the_score_of_a_difference_in_elo() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)


def test_without_games_nothing_speaks_for_either() -> None:
    assert TEST.ratio(Record()) == 0
    assert TEST.verdict(Record()) is None


def test_the_ratio_is_that_of_the_formula() -> None:
    # fishtest's: (s1 - s0) (2 s - s0 - s1) n / 2 var
    low, high = 0.5, expected_score(20)
    mean, variance = 0.55, (400 + 75) / 1000 - 0.55**2
    ratio = (high - low) * (2 * mean - low - high) * 1000 / (2 * variance)
    assert TEST.ratio(Record(400, 300, 300)) == pytest.approx(ratio)


def test_it_decides_for_either_side_and_waits_in_between() -> None:
    assert TEST.verdict(Record(400, 300, 300)) is Verdict.ACCEPTED
    assert TEST.verdict(Record(300, 300, 400)) is Verdict.REJECTED
    assert TEST.verdict(Record(10, 10, 9)) is None


def test_a_series_of_wins_alone_decides_too() -> None:
    assert TEST.verdict(Record(wins=40)) is Verdict.ACCEPTED
