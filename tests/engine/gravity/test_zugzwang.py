import pytest

from ttt_engine import Rules
from ttt_engine.bitboard import bitboard
from ttt_engine.gravity.ground import Columns

RULES = Rules(7, 6, 4, gravity=True)


def cell(column: int, height: int) -> int:
    """The cell at this height of a column, counted from 1 at the bottom, as players do."""
    return (RULES.rows - height) * RULES.columns + column


def run_out(own: list[int], other: list[int], taken: list[int] | None = None) -> int:
    free = RULES.full ^ bitboard(taken or [])
    return Columns(RULES).run_out(free, bitboard(own), bitboard(other))


def test_nobody_runs_out_where_no_line_waits() -> None:
    assert run_out([], []) == 0


@pytest.mark.parametrize("height", range(2, 7))
def test_the_first_player_wants_odd_heights_and_the_second_even_ones(height: int) -> None:
    # The first player is to move: on the empty board, or after an even number of moves.
    assert run_out([cell(2, height)], []) == (1 if height % 2 else 0)
    assert run_out([], [cell(2, height)]) == (0 if height % 2 else -1)


def test_with_the_other_to_move_it_is_the_other_way() -> None:
    taken = [cell(0, 1)]
    assert run_out([cell(2, 3)], [], taken) == 0
    assert run_out([cell(2, 4)], [], taken) == 1


def test_of_two_in_one_column_the_lower_decides() -> None:
    assert run_out([cell(2, 3)], [cell(2, 4)]) == 1
    assert run_out([cell(2, 5)], [cell(2, 4)]) == -1
    assert run_out([cell(2, 3)], [cell(2, 2)]) == -1


def test_where_both_win_who_must_move_below_it_loses() -> None:
    assert run_out([cell(2, 3)], [cell(2, 3)]) == 1
    assert run_out([cell(2, 4)], [cell(2, 4)]) == -1


def test_one_of_ones_own_is_given_up_before_the_game_is() -> None:
    assert run_out([], [cell(5, 3), cell(1, 3)]) == -1
    # Its own end is blocked; above it two cells are left, and it is to move below the other's.
    assert run_out([cell(1, 4)], [cell(5, 4)]) == -1
    # Three are left, and the other is to move below its own.
    assert run_out([cell(1, 3)], [cell(5, 3)]) == 0


def test_what_waits_above_a_block_comes_into_reach() -> None:
    assert run_out([cell(1, 4), cell(1, 5)], []) == 1  # two, one on the other
    assert run_out([cell(1, 2)], [cell(1, 4)]) == -1
    assert run_out([cell(1, 2)], [cell(1, 3)]) == 0
