import pytest

from ttt_client.model.strengths import RatedAi, Strength, rated
from ttt_protocol.state import Rules

NAMES = ("brute", "learner", "lines", "minimax", "perfect", "random", "rules", "search", "corners")
FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
GOMOKU = Rules(columns=15, rows=15, in_a_row=5)


def test_the_weakest_come_first_and_the_unrated_last() -> None:
    found = rated(Rules(), NAMES)
    assert found[0] == RatedAi("random", Strength.BEGINNER)
    assert RatedAi("minimax:9", Strength.PERFECT) in found
    assert found[-1] == RatedAi("corners", None)
    order = [*Strength, None]
    assert found == sorted(found, key=lambda ai: order.index(ai.strength))


@pytest.mark.parametrize("rules", [FOUR, GOMOKU])
def test_what_plays_at_random_there_is_never_strong(rules: Rules) -> None:
    by_name = {ai.ai: ai.strength for ai in rated(rules, NAMES)}
    assert not [ai for ai in by_name if ai.startswith("minimax")]
    assert by_name["random"] is Strength.BEGINNER
    assert by_name["search:9"] is Strength.STRONG
    assert Strength.PERFECT not in by_name.values()


def test_a_strategy_that_the_server_lacks_is_not_offered() -> None:
    assert rated(Rules(), ("random",)) == [RatedAi("random", Strength.BEGINNER)]
