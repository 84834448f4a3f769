from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Mark, Position, symmetries
from ttt_engine.learning.memory import WHOLE_GAMES, Lesson, Memory, Tally
from ttt_engine.symmetry import canonical_views

WINNERS = st.sampled_from([Mark.X, Mark.O, None])
CELLS = st.permutations(range(9)).flatmap(
    lambda cells: st.integers(0, 9).map(lambda ply: tuple(cells[:ply]))
)
"""The cells of a game, resigned at some time: a memory does not ask whether it could be played."""
GAMES = st.lists(st.tuples(CELLS, WINNERS), max_size=8)


def whole_games(position: Position, cells: tuple[int, ...] = ()) -> Iterator[tuple[Lesson, int]]:
    """Every game there is from here, one of its views, and how many views it has."""
    least, views = canonical_views(cells, TIC_TAC_TOE)
    if least != cells:
        return
    outcome = position.outcome()
    if outcome is not None:
        yield Lesson(cells, outcome.winner), 8 // len(views)
    for cell in position.legal_moves:
        yield from whole_games(position.play(cell), (*cells, cell))


@given(CELLS, WINNERS, st.sampled_from(symmetries(TIC_TAC_TOE)))
def test_a_lesson_is_the_same_from_every_side(
    cells: tuple[int, ...], winner: Mark | None, view: tuple[int, ...]
) -> None:
    lesson = Lesson.of(cells, winner)
    assert Lesson.of(tuple(view[cell] for cell in cells), winner) == lesson
    assert lesson.winner is winner
    assert lesson.cells == min(
        tuple(image[cell] for cell in cells) for image in symmetries(TIC_TAC_TOE)
    )


@pytest.mark.no_cover
def test_all_games_there_are() -> None:
    memory = Memory()
    games = 0
    for lesson, views in whole_games(Position.start()):
        assert Lesson.of(lesson.cells, lesson.winner) == lesson
        memory.learn(lesson, views)
        games += 1
    assert games == memory.whole_games == WHOLE_GAMES == 31_896
    assert memory.games == 255_168
    assert memory.tally(()) == Tally(x=131_184, o=77_904, draws=46_080)
    assert sum(memory.tally((cell,)).games for cell in (0, 1, 4)) == 255_168, "corner, side, centre"
    assert memory.tally((2,)).games == 0, "this corner is that corner"


@given(GAMES)
def test_every_beginning_is_counted(games: list[tuple[tuple[int, ...], Mark | None]]) -> None:
    memory = Memory()
    lessons = [Lesson.of(*game) for game in games]
    for lesson in lessons:
        memory.learn(lesson)
    assert memory.games == len(games)
    for lesson in lessons:
        for ply in range(len(lesson.cells) + 1):
            prefix = lesson.cells[:ply]
            alike = [each.winner for each in lessons if each.cells[:ply] == prefix]
            found = Counter(alike)
            assert memory.tally(prefix) == Tally(found[Mark.X], found[Mark.O], found[None])


@given(GAMES)
def test_order_and_repetition_make_no_difference(
    games: list[tuple[tuple[int, ...], Mark | None]],
) -> None:
    one, other = Memory(), Memory()
    lessons = [Lesson.of(*game) for game in games]
    for lesson in lessons:
        one.learn(lesson)
    for lesson, times in reversed(Counter(lessons).items()):
        other.learn(lesson, times)
    prefixes = {lesson.cells[:ply] for lesson in lessons for ply in range(10)}
    assert all(one.tally(prefix) == other.tally(prefix) for prefix in prefixes)


def test_a_copy_grows_by_itself() -> None:
    memory = Memory()
    memory.learn(Lesson.of((4, 0), Mark.X))
    copy = memory.copy()
    copy.learn(Lesson.of((4, 0), Mark.X))
    assert (memory.tally((4,)).x, copy.tally((4,)).x) == (1, 2)


def test_what_was_never_seen() -> None:
    memory = Memory()
    assert memory.games == memory.whole_games == 0
    assert memory.tally((0, 4)) == Tally(0, 0, 0)


def test_a_game_that_was_resigned_is_seen_but_is_not_whole() -> None:
    memory = Memory()
    memory.learn(Lesson.of((), Mark.O))
    memory.learn(Lesson.of((4, 0, 2, 6, 8), Mark.X))
    assert (memory.games, memory.whole_games) == (2, 0)
    memory.learn(Lesson.of((4, 0, 2, 3, 6), Mark.X))
    memory.learn(Lesson.of((4, 2, 0, 5, 8), Mark.X))  # the same, in a mirror
    assert (memory.games, memory.whole_games) == (4, 1)


@pytest.mark.parametrize(
    ("winner", "tally"), [(Mark.X, (2, 0, 0)), (Mark.O, (0, 2, 0)), (None, (0, 0, 2))]
)
def test_tally(winner: Mark | None, tally: tuple[int, int, int]) -> None:
    memory = Memory()
    memory.learn(Lesson((0,), winner))
    memory.learn(Lesson((0,), winner))
    found = memory.tally((0,))
    assert found == tally
    assert found.games == 2
    assert (found.won_by(Mark.X), found.won_by(Mark.O)) == tally[:2]
