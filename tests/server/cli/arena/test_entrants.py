from pathlib import Path

import pytest

from ttt_engine import TIC_TAC_TOE, CannotPlay, Rules
from ttt_engine.arena.contestant import Contestant
from ttt_server.cli.arena.entrants import Command, NoProgram, command_of, entrants

GOMOKU = Rules(15, 15, 5)


def named(*words: str, rules: Rules = TIC_TAC_TOE) -> list[Contestant]:
    return list(entrants(list(words), rules, []))


def test_a_strategy_has_no_command() -> None:
    assert named("minimax:5") == [Contestant("minimax", 5)]
    assert command_of(Contestant("minimax", 5)) is None


def test_a_program_is_its_command_and_its_language() -> None:
    (program,) = named("exec:sh 'my bot.sh' --fast")
    assert str(program) == "exec:sh 'my bot.sh' --fast"
    assert command_of(program) == Command(("sh", "my bot.sh", "--fast"), "json")
    (engine,) = named("gomocup:sh engine", rules=GOMOKU)
    assert command_of(engine) == Command(("sh", "engine"), "gomocup")


def test_a_program_may_have_a_level() -> None:
    program, argument = named("exec:sh bot:3", "exec:sh 'bot:3'")
    assert program == Contestant("exec:sh bot", 3)
    assert str(program) == "exec:sh bot:3"
    assert command_of(program) == Command(("sh", "bot"), "json")
    assert argument.level is None
    assert command_of(argument) == Command(("sh", "bot:3"), "json")


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("exec:", "name a program"),
        ("exec:'", "No closing quotation"),
        ("exec:./nothing-there", "./nothing-there is not there"),
    ],
)
def test_what_is_no_program(word: str, why: str) -> None:
    with pytest.raises(NoProgram, match=why):
        named(word)


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "bot").touch()
    with pytest.raises(NoProgram, match="is not executable"):
        named(f"exec:{tmp_path}/bot")


def test_an_engine_needs_five_in_a_row() -> None:
    with pytest.raises(CannotPlay, match="five in a row"):
        named("gomocup:sh")
