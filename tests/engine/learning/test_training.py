from itertools import cycle, islice
from random import Random

import pytest

from ttt_engine import Mark, Position
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.learning.training import train
from ttt_engine.strategies import Learner, Minimax


def first(position: Position, _moves: tuple[int, ...]) -> tuple[int, ...]:
    return position.legal_moves[:1]


def lessons(seed: int, games: int = 20) -> list[Lesson]:
    return list(train(Memory(), islice(cycle(Mark), games), first, Random(seed)))


def test_a_seed_replays_it() -> None:
    assert lessons(7) == lessons(7)
    assert lessons(7) != lessons(8)


def test_it_learns_each_game_when_it_is_over() -> None:
    memory = Memory()
    school = train(memory, cycle(Mark), first, Random(1))
    for games in range(1, 6):
        lesson = next(school)
        assert memory.games == games
        assert memory.tally(lesson.cells).games >= 1
        outcome = Position.after(lesson.cells).outcome()
        assert outcome is not None
        assert outcome.winner is lesson.winner


@pytest.mark.parametrize("mark", Mark)
def test_each_side_has_its_player(mark: Mark) -> None:
    turns: list[Mark] = []

    def seen(position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        assert Position.after(moves) == position
        turns.append(position.turn)
        return Minimax().think(position).cells

    memory = Memory()
    for lesson in train(memory, [mark] * 3, seen, Random(0)):
        assert lesson.winner is not mark
    assert set(turns) == {mark.other}


def test_two_learners_may_share_a_memory() -> None:
    memory = Memory()

    def other(position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        return Learner(memory).think_after(position, moves).cells

    assert len(list(train(memory, [Mark.X] * 10, other, Random(3)))) == 10
    assert memory.games == 10
