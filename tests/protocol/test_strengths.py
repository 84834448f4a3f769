import re
from pathlib import Path

import pytest

from ttt_protocol.state import AiSetting, Rules
from ttt_protocol.strengths import RatedAi, Strength, ai_of, is_fit, rated

NAMES = (
    "brute",
    "guard",
    "learner",
    "lines",
    "minimax",
    "perfect",
    "random",
    "rules",
    "search",
    "corners",
)
FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
GOMOKU = Rules(columns=15, rows=15, in_a_row=5)
BOARDS = (Rules(), Rules(columns=4, rows=4, in_a_row=4), FOUR, GOMOKU, Rules(gravity=True))


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
    perfect = RatedAi("exact", Strength.PERFECT)
    assert perfect in rated(FOUR, (*NAMES, "exact"))
    assert perfect not in rated(FOUR, NAMES)


def test_a_strength_is_an_ai_on_each_board() -> None:
    assert ai_of(Strength.FAIR, Rules()) == AiSetting(strategy="guard")
    assert ai_of(Strength.STRONG, Rules()) == AiSetting(strategy="rules")
    assert ai_of(Strength.PERFECT, FOUR) == AiSetting(strategy="exact")
    assert ai_of(Strength.PERFECT, GOMOKU) == AiSetting(strategy="search", level=9)
    assert ai_of(Strength.PERFECT, Rules(gravity=True)) == AiSetting(strategy="search", level=9)
    assert ai_of(Strength.FAIR, FOUR) == AiSetting(strategy="search", level=4)
    assert ai_of(Strength.BEGINNER, Rules(columns=4, rows=4, in_a_row=4)).strategy == "lines"


def test_what_plays_well_on_few_boards_alone() -> None:
    fit = {name for name in NAMES if is_fit(name, Rules(columns=4, rows=3))}
    assert fit == {"brute", "guard", "lines", "random", "search", "corners"}
    assert {name for name in NAMES if is_fit(name, FOUR)} == {
        "guard",
        "random",
        "search",
        "corners",
    }
    assert all(is_fit(name, Rules()) for name in NAMES)


@pytest.mark.parametrize("rules", BOARDS)
def test_no_strength_is_of_an_ai_that_plays_at_random_there(rules: Rules) -> None:
    for strength in Strength:
        ai = ai_of(strength, rules)
        assert ai.strategy != "random"
        assert is_fit(ai.strategy, rules)


PAGE = Path(__file__).parents[2] / "server" / "ttt_server" / "web" / "js" / "model" / "strength.js"


def test_the_page_has_the_same_table() -> None:
    lines = dict(re.findall(r'^  "([0-9x]+g?)": \{(.*)\},$', PAGE.read_text(), re.MULTILINE))
    assert len(lines) == 6
    for board, line in lines.items():
        columns, rows, length = map(int, board.rstrip("g").split("x"))
        rules = Rules(columns=columns, rows=rows, in_a_row=length, gravity=board.endswith("g"))
        text = re.sub(r'ai\("(\w+)", (\d)\)|\{ strategy: "(\w+)" \}|LINES', _name, line)
        found = dict(re.findall(r"(\w+): ([\w:]+)", text))
        first: dict[str | None, str] = {}
        for ai in rated(rules, (*NAMES, "exact")):
            first.setdefault(ai.strength, ai.ai)
        first.pop(None)
        assert found == first, board


def test_the_page_knows_the_same_limits() -> None:
    text = PAGE.read_text()
    (classic,) = re.findall(r"CLASSIC_ONLY = \[(.*)\]", text)
    for name in re.findall(r"\w+", classic):
        assert [is_fit(name, rules) for rules in BOARDS] == [True, False, False, False, False]
    assert [is_fit("exact", rules) for rules in BOARDS] == [rules == FOUR for rules in BOARDS]
    exact = 'name === "exact") return columns === 7 && rows === 6 && length === 4 && gravity'
    assert exact in text
    (few,) = re.findall(r"FEW_CELLS_ONLY = \{(.*)\}", text)
    for name, most in re.findall(r"(\w+): (\d+)", few):
        for columns in range(3, 7):
            assert is_fit(name, Rules(columns=columns)) is (3 * columns <= int(most))


def _name(found: re.Match[str]) -> str:
    return f"{found[1]}:{found[2]}" if found[1] else found[3] or "lines"
