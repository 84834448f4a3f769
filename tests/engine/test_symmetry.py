import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules, canonical, canonical_cells, symmetries
from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.symmetry import canonical_views

BOARDS = [Rules(), Rules(4, 4, 4), Rules(4, 3, 3), Rules(3, 5, 4), Rules(19, 19, 5)]
BOARDS += [Rules(gravity=True), Rules(7, 6, 4, gravity=True)]


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        (Rules(), 8),
        (Rules(5, 5, 4), 8),
        (Rules(4, 3, 3), 4),
        (Rules(3, 4, 3), 4),
        (Rules(gravity=True), 2),
        (Rules(7, 6, 4, gravity=True), 2),
    ],
)
def test_count(rules: Rules, count: int) -> None:
    assert len(set(symmetries(rules))) == len(symmetries(rules)) == count


def test_the_eight_of_3x3() -> None:
    assert set(symmetries(Rules())) == {
        (0, 1, 2, 3, 4, 5, 6, 7, 8),
        (2, 5, 8, 1, 4, 7, 0, 3, 6),  # quarter turns
        (8, 7, 6, 5, 4, 3, 2, 1, 0),
        (6, 3, 0, 7, 4, 1, 8, 5, 2),
        (2, 1, 0, 5, 4, 3, 8, 7, 6),  # mirrors
        (6, 7, 8, 3, 4, 5, 0, 1, 2),
        (0, 3, 6, 1, 4, 7, 2, 5, 8),
        (8, 5, 2, 7, 4, 1, 6, 3, 0),
    }


def test_gravity_keeps_down_where_it_is() -> None:
    assert symmetries(Rules(gravity=True)) == (
        (0, 1, 2, 3, 4, 5, 6, 7, 8),
        (2, 1, 0, 5, 4, 3, 8, 7, 6),
    )


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_they_are_a_group_that_begins_with_the_identity(rules: Rules) -> None:
    views = symmetries(rules)
    assert views[0] == tuple(range(rules.cells))
    for first in views:
        for second in views:
            assert tuple(second[cell] for cell in first) in views


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_lines_stay_lines(rules: Rules) -> None:
    lines = set(rules.lines.masks)
    for view in symmetries(rules):
        assert {bitboard(view[cell] for cell in line) for line in rules.lines.cells} == lines


def test_computed_once() -> None:
    assert symmetries(Rules(4, 3, 3)) is symmetries(Rules(4, 3, 3))


@given(st.sampled_from(BOARDS), st.data())
def test_all_images_have_one_canonical_form(rules: Rules, data: st.DataObject) -> None:
    position = Position.start(rules)
    moves: list[int] = []
    for _ in range(data.draw(st.integers(0, 12))):
        if position.outcome() is not None:
            break
        moves.append(data.draw(st.sampled_from(position.legal_moves)))
        position = position.play(moves[-1])
    images = [Position.after([view[cell] for cell in moves], rules) for view in symmetries(rules)]
    least = canonical(position)
    assert least in images
    assert (least.x, least.o) == min((image.x, image.o) for image in images)
    assert {canonical(image) for image in images} == {least}
    assert canonical(least) == least

    games = [tuple(view[cell] for cell in moves) for view in symmetries(rules)]
    assert {canonical_cells(game, rules) for game in games} == {min(games)}


def test_the_corners_are_one_opening() -> None:
    assert {canonical_cells((cell,), Rules()) for cell in (0, 2, 6, 8)} == {(0,)}
    assert {cells_of(canonical(Position.after([cell])).x) for cell in (1, 3, 5, 7)} == {(1,)}


@given(st.permutations(range(9)), st.integers(0, 8))
def test_the_views_of_a_canonical_sequence_make_it_longer(cells: list[int], ply: int) -> None:
    moves = tuple(cells[:ply])
    least, views = canonical_views(moves, Rules())
    assert least == canonical_cells(moves, Rules())
    assert views == tuple(
        view for view in symmetries(Rules()) if tuple(view[cell] for cell in moves) == least
    )
    longer = (*least, min(view[cells[ply]] for view in views))
    assert longer == canonical_cells((*moves, cells[ply]), Rules())
