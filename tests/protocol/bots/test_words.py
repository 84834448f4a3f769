import json

import pytest

from tests.protocol.bots.examples import build_choosing, build_turn
from ttt_protocol.bots.failures import BotFailed, FailureKind
from ttt_protocol.bots.language import Answer, GameEnd, HeardLine
from ttt_protocol.bots.words import JsonLines
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.state import Mark, Rules


def written(data: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.splitlines()]


def test_a_game_begins_with_hello_and_the_next_turn_does_not() -> None:
    language = JsonLines()
    hello, turn = written(language.ask(build_turn()))
    rules = {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False}
    assert hello == {
        "type": "hello",
        "protocol": "ttt-bot/1",
        "rules": rules,
        "seat": "X",
        "game": 1,
    }
    assert turn == {
        "type": "turn",
        "board": ".........",
        "moves": [],
        "legal": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "time_ms": 1000,
    }
    (again,) = written(language.ask(build_turn(4, 0, left_ms=5000)))
    assert (again["moves"], again["left_ms"]) == ([4, 0], 5000)
    assert written(language.ask(build_turn(game=2)))[0]["game"] == 2


def test_an_answer_is_a_cell_with_what_it_tells_of_it() -> None:
    language = JsonLines()
    assert language.hear('{"cell":4}') == HeardLine(Answer(4))
    told = language.hear('{"cell": 4, "reason": "centre", "values": {"4": 1, "0": -0.5}}')
    assert told.answer == Answer(4, "centre", {"4": 1, "0": -0.5})
    assert language.hear(f'{{"cell": 4, "reason": "{"so" * 999}"}}').answer == Answer(4, "so" * 999)
    assert language.is_aside("  ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("four", "not understood: 'four', which is not JSON"),
        ("[4]", """not understood: '[4]', must be like {"cell":4}"""),
        ('{"cell":"4"}', "cell: must be a whole number"),
        ('{"cell":4.5}', "cell: must be a whole number"),
        ('{"cell":4,"move":4}', 'must be like {"cell":4}'),
        ("{}", "cell: is missing"),
    ],
)
def test_what_is_no_answer_is_not_understood(line: str, words: str) -> None:
    with pytest.raises(BotFailed) as caught:
        JsonLines().hear(line)
    assert words in str(caught.value)
    assert caught.value.kind is FailureKind.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"variants":["ultimate","cube"]}', {"ultimate", "cube"}),
        ('{"variants": "*"}', {"*"}),
        ('{"variants":[]}', set()),
    ],
)
def test_an_answer_to_hello_names_variants_and_is_no_move(line: str, named: set[str]) -> None:
    language = JsonLines()
    assert language.variants == frozenset()
    language.ask(build_turn())
    assert language.hear(line) == HeardLine()
    assert language.variants == named
    assert language.hear('{"cell":4}').answer == Answer(4)


@pytest.mark.parametrize(
    "line", ['{"variants":"ultimate"}', '{"variants":[3]}', '{"variants":"*","cell":4}']
)
def test_variants_that_are_no_names_are_not_understood(line: str) -> None:
    with pytest.raises(BotFailed, match="variants") as caught:
        JsonLines().hear(line)
    assert caught.value.kind is FailureKind.NOT_UNDERSTOOD


def test_the_end_of_a_game_is_told_and_the_end_of_the_input_is_goodbye() -> None:
    (over,) = written(JsonLines().tell_end(GameEnd(Mark.O, Reason.LINE)))
    assert over == {"type": "over", "winner": "O", "reason": "line"}
    assert JsonLines().say_goodbye() == b""


def test_a_choice_is_asked_for_after_a_greeting() -> None:
    language = JsonLines()
    hello, choose = map(json.loads, language.ask(build_choosing()).splitlines())
    assert (hello["type"], hello["seat"], hello["opening"]) == ("hello", "O", "pie")
    assert choose == {
        "type": "choose",
        "board": "X........",
        "moves": [0],
        "choices": ["stay", "swap"],
        "time_ms": 1000,
    }
    assert language.recall(build_choosing()) is None
    assert language.hear('{"choice":"swap"}') == HeardLine(Choice.SWAP)


def test_who_changed_seats_is_greeted_again() -> None:
    language = JsonLines()
    language.ask(build_choosing())
    again = build_turn(0, seat=Mark.X, opening=Opening.PIE)
    hello, _ = map(json.loads, language.ask(again).splitlines())
    assert (hello["type"], hello["seat"], hello["game"]) == ("hello", "X", 1)
    assert len(language.ask(again).splitlines()) == 1


def test_a_program_that_knows_no_openings_stays() -> None:
    language = JsonLines()
    language.ask(build_choosing())
    assert language.hear('{"cell":4}') == HeardLine(Choice.STAY)
    for line, why in (
        ("swap", "which is not JSON"),
        ('{"choice":"go"}', "choice: must be"),
        ("{}", "choice: is missing"),
        ("[]", 'must be like {"choice":"stay"}'),
    ):
        with pytest.raises(BotFailed, match=f"not understood: .*{why}"):
            language.hear(line)


def test_a_variant_and_what_may_be_played_are_told() -> None:
    rules = Rules(columns=9, rows=9, in_a_row=3, variant="ultimate")
    asked = build_turn()._replace(rules=rules, board="." * 81, moves=(), legal=(0, 1))
    hello, turn = written(JsonLines().ask(asked))
    told = {"columns": 9, "rows": 9, "in_a_row": 3, "gravity": False}
    assert hello["rules"] == told | {"variant": "ultimate"}
    assert turn["legal"] == [0, 1]
    plain, _ = written(JsonLines().ask(build_turn()))
    assert plain["rules"] == told | {"columns": 3, "rows": 3}
