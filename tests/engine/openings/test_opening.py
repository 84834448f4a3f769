import pytest

from ttt_engine import Mark, Rules
from ttt_engine.openings.opening import Choice, Opening, why_not

X, O = Mark.X, Mark.O  # noqa: E741 - its name on the board
STAY, SWAP, MORE = Choice


def course(opening: Opening, plies: int) -> list[tuple[Mark, tuple[Choice, ...]]]:
    """The side to act at each ply, and what it may choose."""
    return [(opening.to_act(ply, (X, O)[ply % 2]), opening.to_choose(ply)) for ply in range(plies)]


def test_pie() -> None:
    opening = Opening.begin("pie")
    assert course(opening, 2) == [(X, ()), (O, (STAY, SWAP))]
    for choice in STAY, SWAP:
        after = opening.chosen(choice)
        assert after.stage is None
        assert after.is_swapped is (choice is SWAP)
        assert course(after, 4)[1:] == [(O, ()), (X, ()), (O, ())]


def test_swap2() -> None:
    opening = Opening.begin("swap2")
    assert course(opening, 4) == [(X, ()), (X, ()), (X, ()), (O, (STAY, SWAP, MORE))]
    assert course(opening.chosen(SWAP), 5)[3:] == [(O, ()), (X, ())]
    more = opening.chosen(MORE)
    assert not more.is_swapped
    assert course(more, 6)[3:] == [(O, ()), (O, ()), (X, (STAY, SWAP))]
    assert course(more.chosen(STAY), 7)[5:] == [(O, ()), (X, ())]
    assert (opening.stones, more.stones) == (3, 5)


def test_the_stones_that_a_side_places_before_the_other_chooses() -> None:
    opening = Opening.begin("swap2")
    assert [opening.to_place(ply) for ply in range(4)] == [3, 2, 1, 0]
    more = opening.chosen(MORE)
    assert [more.to_place(ply) for ply in (3, 4, 5)] == [2, 1, 0]
    assert opening.chosen(STAY).to_place(3) == 0


def test_what_a_player_is_asked_for() -> None:
    more = Opening.begin("swap2").chosen(MORE)
    assert more.setup(4, X) == ("swap2", O, 5, ())
    assert more.setup(5, O) == ("swap2", X, 5, (STAY, SWAP))
    assert Opening.begin("pie").setup(0, X) == ("pie", X, 1, ())


def test_placed_by_the_player_in_the_seat_of_now() -> None:
    more = Opening.begin("swap2").chosen(MORE)
    assert [more.placed_by(ply) for ply in range(6)] == [X, X, X, O, O, None]
    swapped = more.chosen(SWAP)
    assert [swapped.placed_by(ply) for ply in range(6)] == [O, O, O, X, X, None]


def test_chosen_by_the_player_in_the_seat_of_now() -> None:
    more = Opening.begin("swap2").chosen(MORE)
    assert more.chosen_by(3) == (O, MORE)
    swapped = more.chosen(SWAP)
    assert (swapped.chosen_by(3), swapped.chosen_by(5)) == ((X, MORE), (O, SWAP))
    assert swapped.chosen_by(4) is None


@pytest.mark.parametrize(
    ("kind", "board", "words"),
    [
        ("pie", "3x3x3", None),
        ("pie", "7x6x4g", None),
        ("swap2", "15x15x5!", None),
        ("swap2", "4x4x4", None),
        ("swap2", "7x6x4g", "without gravity"),
        ("swap2", "3x3x3", "4 in a row"),
    ],
)
def test_the_boards_of_an_opening(kind: str, board: str, words: str | None) -> None:
    found = why_not(kind, Rules.parse(board))
    assert (found is None) if words is None else words in str(found)
