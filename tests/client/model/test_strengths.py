import re
from pathlib import Path

import pytest

import ttt_server
from ttt_client.model.options import parse_ai, parse_rules
from ttt_client.model.strengths import RatedAi, Strength, ai_of, rated
from ttt_protocol.state import AiSetting, Rules

NAMES = ("brute", "learner", "lines", "minimax", "perfect", "random", "rules", "search", "corners")
FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
GOMOKU = Rules(columns=15, rows=15, in_a_row=5)


def test_the_weakest_come_first_and_the_unrated_last() -> None:
    found = rated(Rules(), NAMES)
    assert found[0] == RatedAi("minimax:3", Strength.BEGINNER)
    assert RatedAi("minimax:9", Strength.PERFECT) in found
    assert found[-2:] == [RatedAi("random", None), RatedAi("corners", None)]
    order = [*Strength, None]
    assert found == sorted(found, key=lambda ai: order.index(ai.strength))


@pytest.mark.parametrize("rules", [FOUR, GOMOKU])
def test_what_plays_at_random_there_has_no_strength(rules: Rules) -> None:
    by_name = {ai.ai: ai.strength for ai in rated(rules, NAMES)}
    assert not [ai for ai in by_name if ai.startswith(("minimax", "brute", "rules"))]
    assert by_name["random"] is None
    assert by_name["search:9"] is Strength.STRONG
    assert Strength.PERFECT not in by_name.values()


def test_a_strategy_that_the_server_lacks_is_not_offered() -> None:
    assert rated(Rules(), ("random",)) == [RatedAi("random", None)]


def test_a_strength_is_an_ai_on_each_board() -> None:
    assert ai_of(Strength.FAIR, Rules()) == AiSetting(strategy="minimax", level=5)
    assert ai_of(Strength.STRONG, Rules()) == AiSetting(strategy="rules")
    assert ai_of(Strength.PERFECT, FOUR) == AiSetting(strategy="search", level=9)
    assert parse_ai("fair", FOUR) == AiSetting(strategy="search", level=4)


def test_the_page_offers_the_same() -> None:
    page = Path(ttt_server.__file__).parent / "web" / "js" / "model" / "strength.js"
    lines = dict(re.findall(r'^  "([0-9x]+g?)": \{(.*)\},$', page.read_text(), re.MULTILINE))
    assert len(lines) == 6
    for board, line in lines.items():
        text = re.sub(r'ai\("(\w+)", (\d)\)|\{ strategy: "(\w+)" \}|LINES', _name, line)
        for strength, ai in re.findall(r"(\w+): ([\w:]+)", text):
            rules = parse_rules(board)
            assert ai_of(Strength(strength), rules) == parse_ai(ai, rules), board


def _name(found: re.Match[str]) -> str:
    return f"{found[1]}:{found[2]}" if found[1] else found[3] or "lines"
