from fractions import Fraction
from itertools import cycle, islice
from random import Random

import pytest

from ttt_engine import Mark, Position
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.learning.training import Punisher, train
from ttt_engine.strategies import Learner


def beaten(memory: Memory, learner: Mark, position: Position, moves: tuple[int, ...]) -> Fraction:
    """The same by plain search: every move of the opponent, every choice of the learner."""
    outcome = position.outcome()
    if outcome is not None:
        return Fraction(outcome.winner is learner.other)
    is_learners = position.turn is learner
    cells = (
        Learner(memory).think_after(position, moves).cells if is_learners else position.legal_moves
    )
    chances = [beaten(memory, learner, position.play(cell), (*moves, cell)) for cell in cells]
    return sum(chances, Fraction()) / len(chances) if is_learners else max(chances)


def trained(games: int, seed: int) -> Memory:
    memory = Memory()
    sides = islice(cycle(Mark), games)
    for _ in train(memory, sides, lambda position, _: position.legal_moves, Random(seed)):
        pass
    return memory


def test_who_has_learned_nothing_is_beaten_often() -> None:
    punisher = Punisher(Memory())
    assert punisher.chance(Mark.X) == Fraction(7, 15)
    assert punisher.chance(Mark.O) == Fraction(89, 96)


@pytest.mark.parametrize("mark", Mark)
@pytest.mark.parametrize("games", [1, 5, 30])
def test_its_chance_is_exact(games: int, mark: Mark) -> None:
    memory = trained(games, seed=games)
    opening = (4,) if mark is Mark.O else (4, 0)
    position = Position.after(opening)
    value = Punisher(memory)._chance(position, opening, mark)
    assert value == beaten(memory, mark, position, opening)


@pytest.mark.no_cover
def test_it_follows_what_the_learner_learns() -> None:
    """What it knows of the memory of before does not mislead it."""
    memory = Memory()
    punisher = Punisher(memory)
    random = Random(5)
    for _ in train(memory, islice(punisher.weak_sides(), 3), punisher.cells, random):
        fresh = Punisher(memory)
        for mark in Mark:
            assert punisher.chance(mark) == fresh.chance(mark)


def test_its_cells_are_the_best() -> None:
    memory = Memory()
    memory.learn(Lesson.of((0, 4, 8, 2), Mark.O))  # O now pursues the corner, and is forked by 6
    assert Punisher(memory).cells(Position.after((0, 4)), (0, 4)) == (8,)


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(3))
def test_it_makes_a_learner_unbeatable(seed: int) -> None:
    memory = Memory()
    punisher = Punisher(memory)
    lessons = list(train(memory, punisher.weak_sides(), punisher.cells, Random(seed)))
    assert 4 <= len(lessons) <= 60
    assert [punisher.chance(mark) for mark in Mark] == [0, 0]


def test_weak_opponents_do_not() -> None:
    """It wins too often to learn what is wrong with its moves."""
    chances = [Punisher(trained(games, seed=1)).chance(Mark.O) for games in (10, 100, 1000)]
    assert min(chances) > Fraction(1, 2)


def against_random(
    learner: Learner, mark: Mark, position: Position, moves: tuple[int, ...]
) -> float:
    """How often it loses to a player who moves by chance."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner is mark.other
    if position.turn is mark:
        cells = learner.think_after(position, moves).cells
    else:
        cells = position.legal_moves
    chances = [against_random(learner, mark, position.play(cell), (*moves, cell)) for cell in cells]
    return sum(chances) / len(chances)


@pytest.mark.no_cover
def test_how_often_it_loses_to_random_play() -> None:
    """The shares in docs/learn/learning.md."""
    assert against_random(Learner(), Mark.O, Position.start(), ()) == pytest.approx(0.061, abs=5e-4)
    losses = [
        against_random(Learner(trained(300, seed)), Mark.O, Position.start(), ())
        for seed in range(20)
    ]
    found = [sum(losses) / len(losses), min(losses), max(losses)]
    assert found == pytest.approx([0.044, 0.018, 0.069], abs=5e-4)
