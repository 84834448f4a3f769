"""Players who are away from their games."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.server.tournaments.rules.tournaments import Evening, names
from ttt_protocol.state import ClockSetting, SessionId
from ttt_protocol.tournament.settings import Form, Result, TournamentSettings
from ttt_server.tournaments.rules.advance import absent, ended_all

P1, P2 = names(2)


def evening_with_a_game() -> Evening:
    evening = Evening(Form.ROUND_ROBIN, [P1, P2], grace_s=30)
    evening.start()
    evening.step()
    return evening


def stay_away(evening: Evening, *players: SessionId, for_ms: int) -> None:
    evening.now += for_ms
    evening.take(absent(evening.it, 1, set(players), for_ms, evening.now))


def test_a_player_who_is_away_loses_after_the_grace() -> None:
    for seat in "XO":
        evening = evening_with_a_game()
        game = evening.it.game(1)
        stay_away(evening, game.X if seat == "X" else game.O, for_ms=29_999)
        assert evening.it.game(1).is_open
        stay_away(evening, game.X if seat == "X" else game.O, for_ms=30_000)
        assert evening.it.game(1).result is (Result.O if seat == "X" else Result.X)


def test_two_who_are_away_both_lose() -> None:
    evening = evening_with_a_game()
    stay_away(evening, P1, P2, for_ms=30_000)
    assert evening.it.game(1).result is Result.NEITHER
    assert evening.it[P1].losses == evening.it[P2].losses == 1


def test_nothing_follows_when_all_are_there_or_the_game_is_over() -> None:
    evening = evening_with_a_game()
    assert absent(evening.it, 1, set(), 0, evening.now) == ()
    stay_away(evening, P1, for_ms=30_000)
    assert absent(evening.it, 1, {P2}, 60_000, evening.now) == ()


def test_a_player_with_days_may_be_away() -> None:
    evening = Evening(Form.ROUND_ROBIN, [P1, P2], grace_s=30, days=3)
    evening.start()
    evening.step()
    stay_away(evening, P1, for_ms=86_400_000)
    assert evening.it.game(1).is_open


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"form": "swiss", "days": 3}, "days a move are for a round-robin"),
        (
            {"form": "round-robin", "days": 3, "clock": ClockSetting(initial_s=60)},
            "a game has a clock or days a move, not both",
        ),
    ],
)
def test_days_are_for_a_round_robin_without_a_clock(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TournamentSettings.model_validate({**fields, "form": Form(fields["form"])})


def test_games_that_end_together_have_their_results_in_one_decision() -> None:
    evening = Evening(Form.ROUND_ROBIN, names(4))
    evening.start()
    evening.step()
    results = [(1, Result.X, "line"), (1, Result.O, "line"), (2, Result.DRAW, "full")]
    decision = evening.take(ended_all(evening.it, results, evening.now))
    assert [event.seq for event in decision] == [evening.it.seq - 1, evening.it.seq]
    assert [game.result for game in evening.it.games] == [Result.X, Result.DRAW]
