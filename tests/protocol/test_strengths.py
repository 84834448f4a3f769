import re
from pathlib import Path

import pytest

from ttt_protocol.notation import board_name, board_of
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
    row = r'^  "?([a-z0-9:]+x?[0-9x]*g?)"?: \{ (.*) \},$'
    lines = dict(re.findall(row, PAGE.read_text(), re.MULTILINE))
    assert len(lines) == 13
    for board, line in lines.items():
        rules = board_of(board)
        text = re.sub(r'ai\("(\w+)", (\d)\)|\{ strategy: "(\w+)" \}|([A-Z]+)', _name, line)
        found = dict(re.findall(r"(\w+): ([\w:]+)", text))
        first: dict[str | None, str] = {}
        for ai in rated(rules, (*NAMES, "mcts", "exact")):
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
    return f"{found[1]}:{found[2]}" if found[1] else found[3] or found[4].lower()


def variant(name: str, columns: int, rows: int, in_a_row: int) -> Rules:
    return Rules(columns=columns, rows=rows, in_a_row=in_a_row, variant=name)


VARIANTS = (
    variant("misere", 3, 3, 3),
    variant("misere", 7, 6, 4),
    variant("torus", 3, 3, 3),
    variant("torus", 5, 5, 4),
    variant("vanishing", 3, 3, 3),
    variant("vanishing", 5, 5, 4),
    variant("notakto", 3, 3, 3),
    variant("notakto", 4, 4, 4),
    variant("notakto", 5, 4, 4),
    variant("cube", 3, 9, 3),
    variant("ultimate", 9, 9, 3),
    variant("connect6", 19, 19, 6),
)
OURS = (
    "brute",
    "exact",
    "guard",
    "learner",
    "lines",
    "mcts",
    "minimax",
    "perfect",
    "random",
    "rules",
    "search",
)


@pytest.mark.parametrize("rules", VARIANTS, ids=board_name)
def test_each_variant_has_its_strengths(rules: Rules) -> None:
    for strength in Strength:
        ai = ai_of(strength, rules)
        assert ai.strategy != "random"
        assert is_fit(ai.strategy, rules)
    found = rated(rules, OURS)
    assert {one.strength for one in found} >= {*Strength} - {Strength.PERFECT}
    is_solved = is_fit("perfect", rules)
    assert (Strength.PERFECT in {one.strength for one in found}) is is_solved


def test_which_of_ours_play_which_variant() -> None:
    plays = {
        board_name(rules): [name for name in OURS if is_fit(name, rules)] for rules in VARIANTS
    }
    every = ["guard", "mcts", "random", "rules"]
    searched = [*every, "search"]
    exact = ["guard", "mcts", "minimax", "perfect", "random", "rules"]
    solved = ["guard", "mcts", "perfect", "random", "rules"]
    assert plays == {
        "misere:3x3x3": exact,
        "misere:7x6x4": every,
        "torus:3x3x3": [*exact, "search"],
        "torus:5x5x4": searched,
        "vanishing:3x3x3": solved,
        "vanishing:5x5x4": every,
        "notakto:3x3x3": exact,
        "notakto:4x4x4": solved,
        "notakto:5x4x4": every,
        "cube:3": searched,
        "ultimate": searched,
        "connect6": searched,
    }
