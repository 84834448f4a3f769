import pytest

from ttt_client.model.score import SeriesScore


def test_a_score_without_games_has_no_share() -> None:
    assert str(SeriesScore()) == "0 won, 0 drawn, 0 lost"


def test_games_are_counted() -> None:
    score = SeriesScore().with_(won=True, lost=False).with_(won=False, lost=False)
    assert score.with_(won=False, lost=True) == SeriesScore(1, 1, 1)


def test_the_interval_holds_the_share_and_ends_at_the_bounds() -> None:
    assert str(SeriesScore(2, 1, 0)) == "2 won, 1 drawn, 0 lost: 83 % (31 to 98)"
    assert SeriesScore(5, 0, 0).interval[1] == 1
    assert SeriesScore(0, 0, 5).interval[0] == 0
    low, high = SeriesScore(500, 0, 500).interval
    assert low == pytest.approx(0.469, abs=0.001)
    assert high == pytest.approx(0.531, abs=0.001)
