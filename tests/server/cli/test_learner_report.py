from itertools import islice
from random import Random

from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.learning.training import Punisher, train
from ttt_server.cli.learner import as_object, as_text


def trained(games: int | None = None) -> Memory:
    memory = Memory()
    punisher = Punisher(memory)
    for _ in train(memory, islice(punisher.weak_sides(), games), punisher.cells, Random(0)):
        pass
    return memory


def test_of_one_that_has_seen_nothing() -> None:
    assert as_object(Memory(), 0) == {
        "trained": 0,
        "games": 0,
        "whole_games": 0,
        "whole_games_there_are": 31896,
        "beaten": {"X": 7 / 15, "O": 89 / 96},
        "beaten_exactly": {"X": "7/15", "O": "89/96"},
        "unbeatable": False,
    }
    assert as_text(Memory(), 0).splitlines() == [
        "games seen         0",
        "whole games known  0 of 31896",
        "Its best opponent beats it",
        "  as X: 46.67 % (7/15)",
        "  as O: 92.71 % (89/96)",
    ]


def test_of_one_that_is_unbeatable() -> None:
    memory = trained()
    told = as_object(memory, memory.games)
    assert told["unbeatable"] is True
    assert told["beaten"] == {"X": 0, "O": 0}
    words = as_text(memory, memory.games).splitlines()
    assert words[0] == f"trained in {memory.games} games"
    assert words[-1] == "No opponent can beat it."


def test_games_that_were_resigned_are_seen_and_not_known() -> None:
    memory = Memory()
    memory.learn(Lesson.of((4, 0), Mark.X))
    told = as_object(memory, 0)
    assert (told["games"], told["whole_games"]) == (1, 0)
