import math
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ttt_engine.arena.ratings import Record, ratings

COUNTS = st.integers(0, 500)


def expected(one: float, other: float) -> float:
    return 1 / (1 + 10 ** ((other - one) / 400))


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], Record]]:
    players = draw(st.integers(2, 6))
    pairs = combinations(range(players), 2)
    return players, {pair: Record(draw(COUNTS), draw(COUNTS), draw(COUNTS)) for pair in pairs}


@example((3, {(0, 1): Record(), (0, 2): Record(losses=1), (1, 2): Record(losses=10)}))
@given(tables())
def test_everyone_has_the_points_that_the_ratings_expect(
    table: tuple[int, dict[tuple[int, int], Record]],
) -> None:
    """That is what makes them the likeliest ones; a drawn game is added to each pair's."""
    players, records = table
    rated = ratings(players, records)
    assert sum(rating.elo for rating in rated) == pytest.approx(0, abs=1e-4)
    surplus = [0.0] * players
    for (one, other), record in records.items():
        points = record.wins + record.draws / 2 + 0.5
        games = record.games + 1
        more = points - games * expected(rated[one].elo, rated[other].elo)
        surplus[one] += more
        surplus[other] -= more
    assert surplus == pytest.approx([0] * players, abs=1e-4)


def test_two_are_as_far_apart_as_their_score_says() -> None:
    one, other = ratings(2, {(0, 1): Record(wins=909, draws=0, losses=90)})
    assert one.elo - other.elo == pytest.approx(400, abs=1)
    # The variance of a difference is 1 / (n p q); each is half of it away from the middle.
    error = 400 / math.log(10) * 1.96 / math.sqrt(1000 * 10 / 121) / 2
    assert (one.error, other.error) == pytest.approx((error, error), rel=0.01)


def test_a_fourth_of_the_error_takes_sixteen_times_the_games() -> None:
    few = ratings(2, {(0, 1): Record(50, 0, 50)})[0].error
    many = ratings(2, {(0, 1): Record(800, 0, 800)})[0].error
    assert few / many == pytest.approx(4, rel=0.01)


def test_who_always_loses_is_weak_and_not_endlessly_so() -> None:
    strong, weak = ratings(2, {(0, 1): Record(wins=1000)})
    assert 1000 < strong.elo - weak.elo < 2000
    assert strong.error > 100


def test_it_comes_to_an_end_with_any_number_of_games() -> None:
    many = 10**15
    rated = ratings(3, {(0, 1): Record(wins=many), (0, 2): Record(3, 1, 2), (1, 2): Record()})
    assert rated[0].elo > rated[2].elo > rated[1].elo
    assert all(map(math.isfinite, (number for rating in rated for number in rating)))


def test_strength_passes_on() -> None:
    """The first and the third have not met, but the second has met both."""
    rated = ratings(3, {(0, 1): Record(750, 0, 250), (1, 2): Record(750, 0, 250)})
    assert rated[0].elo - rated[2].elo == pytest.approx(2 * 191, abs=2)
    assert rated[1].error < rated[0].error
