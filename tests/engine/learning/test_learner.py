from collections.abc import Sequence
from functools import cache
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, CannotPlay, GameOver, Mark, Position, Rules, symmetries
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.learning.training import Punisher, train
from ttt_engine.strategies import Learner, Thought, consult, make

Game = tuple[tuple[int, ...], Mark | None]


def after(*moves: int, seen: Sequence[Game] = ()) -> Thought:
    """What a learner that has seen these games thinks after these moves."""
    memory = Memory()
    for cells, winner in seen:
        memory.learn(Lesson.of(cells, winner))
    return consult(make("learner", memory=memory), Position.after(moves), moves)


def test_it_wins() -> None:
    assert after(0, 3, 1, 4) == Thought((2,), "win")
    assert after(0, 3, 1, 4, 8) == Thought((5,), "win")


def test_it_takes_every_way_to_win() -> None:
    assert after(0, 1, 2, 5, 6, 7).cells == (3, 4)


def test_it_blocks() -> None:
    assert after(0, 4, 1) == Thought((2,), "block")
    assert after(0, 4, 8, 1) == Thought((7,), "block")
    assert after(0, 1, 2, 4, 7, 6, 8) == Thought((5,), "block")


def test_it_blocks_any_of_several() -> None:
    assert after(0, 1, 8, 5, 6) == Thought((3, 4, 7), "block")


def test_what_it_has_seen_does_not_keep_it_from_winning_or_blocking() -> None:
    lost_by_winning: Sequence[Game] = [((0, 3, 1, 4, 2), Mark.O)] * 3
    assert after(0, 3, 1, 4, seen=lost_by_winning) == Thought((2,), "win")
    assert after(0, 4, 1, seen=[((0, 4, 1, 2), Mark.X)]) == Thought((2,), "block")


def test_at_random() -> None:
    assert after() == Thought(tuple(range(9)), "random")
    assert after(4) == Thought((0, 1, 2, 3, 5, 6, 7, 8), "random")


def test_it_pursues_a_win() -> None:
    seen: Sequence[Game] = [((0, 4), Mark.X), ((1, 4), Mark.X), ((1, 4), Mark.X), ((4, 0), None)]
    thought = after(seen=seen)
    assert (thought.cells, thought.reason) == ((1, 3, 5, 7), "pursue a win"), "the most often won"


def test_it_pursues_wins_and_not_losses() -> None:
    seen: Sequence[Game] = [((0,), Mark.X)] * 2 + [((0,), Mark.O)] * 2 + [((4,), Mark.X)]
    assert after(seen=seen).cells == (4,)


def test_the_other_side_counts_otherwise() -> None:
    seen: Sequence[Game] = [((4, 0), Mark.O), ((4, 1), Mark.X)]
    thought = after(4, seen=seen)
    assert (thought.cells, thought.reason) == ((0, 2, 6, 8), "pursue a win")


def test_it_pursues_a_draw() -> None:
    seen: Sequence[Game] = [
        *[((4, 0), None)] * 2,
        ((4, 0), Mark.X),
        *[((4, 1), None)] * 3,
        *[((4, 1), Mark.X)] * 3,
    ]
    thought = after(4, seen=seen)
    assert (thought.cells, thought.reason) == ((0, 2, 6, 8), "pursue a draw")


def test_it_avoids_a_loss() -> None:
    thought = after(4, seen=[((4, 1), Mark.X)])
    assert (thought.cells, thought.reason) == ((0, 2, 6, 8), "avoid a loss")


def test_it_avoids_the_most_losses() -> None:
    seen: Sequence[Game] = [((4, 1), Mark.X)] * 3 + [((4, 0), Mark.X)] * 2 + [((4, 0), Mark.O)]
    thought = after(4, seen=seen)
    assert (thought.cells, thought.reason) == ((0, 2, 6, 8), "avoid a loss")


def test_a_win_is_pursued_before_a_draw() -> None:
    seen: Sequence[Game] = [((0,), Mark.X)] + [((4,), None)] * 5
    assert after(seen=seen).reason == "pursue a win"


def test_a_drawn_cell_that_lost_as_often_is_no_better_than_another() -> None:
    thought = after(seen=[((4,), None), ((4,), Mark.O)])
    assert (thought.cells, thought.reason) == ((0, 1, 2, 3, 5, 6, 7, 8), "avoid a loss")


def test_order_makes_a_difference() -> None:
    seen: Sequence[Game] = [((0, 4, 8, 1), Mark.O)]
    assert after(0, 4, 8, seen=seen).cells == (1, 3)
    assert after(8, 4, 0, seen=seen).cells == (5, 7), "the same, turned; on the same board"


def test_values_are_balances_of_what_was_seen() -> None:
    seen: Sequence[Game] = [((0,), Mark.X)] * 2 + [((0,), Mark.O), ((0,), None), ((4,), None)]
    values = after(seen=seen).values
    assert values == {0: 0.25, 2: 0.25, 6: 0.25, 8: 0.25, 4: 0}


def test_the_board_alone_tells_two_moves() -> None:
    memory = Memory()
    for lesson in (Lesson.of((4, 0), None), Lesson.of((0, 4, 1), Mark.X)):
        memory.learn(lesson)
    learner = Learner(memory)
    for moves in ((), (4,), (6,)):
        position = Position.after(moves)
        assert learner.think(position) == learner.think_after(position, moves)
    assert learner.think(Position.after((4, 0))).reason == "random"
    assert learner.think(Position.after((0, 4, 1))).reason == "block"


def test_it_plays_where_it_can() -> None:
    learner = Learner()
    assert learner.plays(TIC_TAC_TOE)
    assert not learner.plays(Rules(gravity=True))
    assert not learner.plays(Rules(4, 3, 3))
    with pytest.raises(CannotPlay):
        learner.think_after(Position.start(Rules(4, 4, 4)), ())
    with pytest.raises(GameOver):
        learner.think_after(Position.after((0, 3, 1, 4, 2)), (0, 3, 1, 4, 2))


@cache
def trained() -> Learner:
    memory = Memory()
    for _ in train(memory, [Mark.O] * 4, Punisher(memory).cells, Random(0)):
        pass
    return Learner(memory)


@given(st.permutations(range(9)), st.integers(0, 8), st.sampled_from(symmetries(TIC_TAC_TOE)))
def test_it_thinks_the_same_from_every_side(
    cells: list[int], ply: int, view: tuple[int, ...]
) -> None:
    position, moves = Position.start(), tuple(cells[:ply])
    for cell in moves:
        assume(position.outcome() is None)
        position = position.play(cell)
    assume(position.outcome() is None)
    turned = tuple(view[cell] for cell in moves)
    thought = trained().think_after(position, moves)
    image = trained().think_after(Position.after(turned), turned)
    assert image.cells == tuple(sorted(view[cell] for cell in thought.cells))
    assert image.reason == thought.reason
