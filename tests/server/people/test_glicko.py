"""Glicko-2, against the paper and by what must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_server.people.rating import Skill, after_games

FIRST = Skill()


def test_the_worked_example_of_the_paper() -> None:
    games = (Skill(1400, 30), 1.0), (Skill(1550, 100), 0.0), (Skill(1700, 300), 0.0)
    after = after_games(Skill(1500, 200, 0.06), games)
    assert after.points == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_a_game_only_the_deviation_grows() -> None:
    after = after_games(Skill(1500, 200, 0.06), ())
    assert (after.points, after.volatility) == (1500, 0.06)
    assert after.deviation == pytest.approx(200.27, abs=0.01)


def test_a_surprise_makes_a_player_more_volatile() -> None:
    steady = Skill(1500, 50, 0.06)
    after = after_games(steady, [(Skill(2400, 30), 1.0)] * 5)
    assert after.volatility > 0.06
    assert after.points > 1500


def test_a_period_may_bring_the_volatility_far_down() -> None:
    wild = Skill(1500, 30, 1.2)
    assert after_games(wild, [(Skill(1500, 30), 0.5)] * 50).volatility < 1.2


ratings = st.builds(Skill, st.floats(600, 3000), st.floats(30, 350), st.floats(0.03, 0.12))


@given(ratings, ratings)
def test_a_win_never_costs_and_a_loss_never_gains(player: Skill, other: Skill) -> None:
    won, lost = (after_games(player, [(other, score)]) for score in (1.0, 0.0))
    assert won.points >= player.points >= lost.points
    assert all(0 < part < 4000 for part in won + lost)


def test_equals_win_what_the_other_loses() -> None:
    won, lost = (after_games(FIRST, [(FIRST, score)]) for score in (1.0, 0.0))
    assert won.points - 1500 == pytest.approx(1500 - lost.points)
    assert won.points == pytest.approx(1662.31, abs=0.01)
    assert won.deviation == lost.deviation == pytest.approx(290.32, abs=0.01)
