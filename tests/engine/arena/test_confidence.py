import math
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine.arena.ratings import Interval, Record, elo, rate_interval, score_interval

COUNTS = st.integers(0, 2000)
RECORDS = st.builds(Record, COUNTS, COUNTS, COUNTS)


def test_a_record() -> None:
    record = Record(wins=3, draws=2, losses=1)
    assert record.games == 6
    assert record.score == pytest.approx(4 / 6)
    assert record.from_the_other_side == Record(1, 2, 3)
    assert record.with_(Record(1, 1, 1)) == Record(4, 3, 2)
    assert Record().score == 0.5


@pytest.mark.parametrize(
    ("hits", "games", "low", "high"),
    [
        # Newcombe (1998), table I, method 3: Wilson's without a correction.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_of_a_rate(hits: int, games: int, low: float, high: float) -> None:
    assert rate_interval(hits, games) == pytest.approx((low, high), abs=5e-5)


def test_nothing_played_nothing_known() -> None:
    assert rate_interval(0, 0) == Interval(0.0, 1.0)
    assert score_interval(Record()) == pytest.approx((0.0, 1.0), abs=0.35)


@given(RECORDS)
def test_intervals_hold_what_was_counted_and_mirror(record: Record) -> None:
    low, high = score_interval(record)
    assert 0 <= low <= record.score <= high <= 1
    mirrored = score_interval(record.from_the_other_side)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    for count in record:
        rates = rate_interval(count, record.games)
        assert 0 <= rates.low <= rates.high <= 1
        if record.games:
            assert rates.low <= count / record.games <= rates.high


@pytest.mark.parametrize(
    ("win", "draw"),
    [(0.5, 0), (0.1, 0), (0.3, 0.4), (0.05, 0.9), (0, 1), (0.8, 0.2), (0.6, 0.3), (0.01, 0.98)],
)
def test_the_interval_of_a_score_holds_it_as_often_as_it_says(win: float, draw: float) -> None:
    """Over all the results that fifty games can have, each with its probability."""
    games, score, held = 50, win + draw / 2, 0.0
    for wins in range(games + 1):
        for draws in range(games + 1 - wins):
            losses = games - wins - draws
            low, high = score_interval(Record(wins, draws, losses))
            if low <= score <= high:
                ways = comb(games, wins) * comb(games - wins, draws)
                held += ways * win**wins * draw**draws * (1 - win - draw) ** losses
    assert held >= 0.93


def test_draws_make_a_score_surer() -> None:
    drawn, fought = score_interval(Record(0, 100, 0)), score_interval(Record(50, 0, 50))
    assert drawn.half < fought.half / 4
    assert drawn.half > 0


@pytest.mark.parametrize(("score", "points"), [(0.5, 0), (10 / 11, 400), (1 / 11, -400)])
def test_elo(score: float, points: float) -> None:
    assert elo(score) == pytest.approx(points)


def test_elo_has_no_end() -> None:
    assert elo(1) == math.inf
    assert elo(0) == -math.inf
