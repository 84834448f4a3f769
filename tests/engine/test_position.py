import copy
import pickle
from dataclasses import FrozenInstanceError
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import (
    DRAW,
    CellTaken,
    FloatingCell,
    GameOver,
    IllegalMove,
    InvalidPosition,
    Mark,
    Outcome,
    OutOfBoard,
    Position,
    Rules,
)

GRAVITY = Rules(gravity=True)
CONNECT_FOUR = Rules(7, 6, 4, gravity=True)
GOMOKU = Rules(19, 19, 5)
BOARDS = [Rules(), GRAVITY, CONNECT_FOUR, Rules(4, 4, 3), Rules(5, 3, 5), Rules(3, 7, 4)]
BOARDS += [
    Rules(4, 3, 3, gravity=True),
    Rules(9, 8, 3),
    Rules(6, 6, 5),
    Rules(8, 5, 3, gravity=True),
]


def test_start() -> None:
    position = Position.start()
    assert position.board == "........."
    assert position.rules == Rules()
    assert position.ply == 0
    assert position.turn is Mark.X
    assert position.outcome() is None
    assert position.legal_moves == tuple(range(9))


def test_play_returns_a_new_position() -> None:
    start = Position.start()
    first = start.play(4)
    assert start.board == "........."
    assert first.board == "....X...."
    assert (first.turn, first.ply) == (Mark.O, 1)
    assert first.legal_moves == (0, 1, 2, 3, 5, 6, 7, 8)
    second = first.play(0)
    assert second.board == "O...X...."
    assert (second.turn, second.ply) == (Mark.X, 2)


def test_sides_begin_with_the_side_to_move() -> None:
    position = Position.after([0, 4, 8])
    assert (position.x, position.o) == (0b100_000_001, 0b10_000)
    assert position.sides == (position.o, position.x)
    assert position.play(2).sides == (position.x, position.o | 1 << 2)


def test_a_value() -> None:
    assert Position.after([0, 4, 8]) == Position.after([8, 4, 0]) == Position.parse("X...O...X")
    assert hash(Position.after([0, 4, 8])) == hash(Position.after([8, 4, 0]))
    assert Position.start() != Position.start(GRAVITY)
    assert len({Position.after([0, 4, 8]), Position.after([8, 4, 0])}) == 1
    with pytest.raises(FrozenInstanceError):
        Position.start().x = 1  # type: ignore[misc]  # that it is refused is the test


@pytest.mark.parametrize("moves", [[], [0, 4, 8], [0, 3, 1, 4, 2]])
def test_copies_are_equal_and_know_their_outcome(moves: list[int]) -> None:
    position = Position.after(moves)
    for twin in (
        copy.deepcopy(position),
        pickle.loads(pickle.dumps(position)),  # noqa: S301 - pickled here
    ):
        assert twin == position
        assert twin.outcome() == position.outcome()


def test_the_smallest_board_keeps_its_positions_and_no_other_does() -> None:
    for rules in (Rules(), GRAVITY):
        position = Position.start(rules)
        assert position.play(8) is position.play(8) is Position.start(rules).play(8)
        assert position.play(8).play(7).play(6) is position.play(6).play(7).play(8)
    assert Position.start().play(8) != Position.start(GRAVITY).play(8)
    large = Position.start(CONNECT_FOUR)
    assert large.play(38) == large.play(38)
    assert large.play(38) is not large.play(38)


@pytest.mark.parametrize("rules", [Rules(), GRAVITY, CONNECT_FOUR])
def test_a_move_that_is_known_is_no_other(rules: Rules) -> None:
    position = Position.start(rules)
    last = rules.cells - 1
    position.play(last)
    with pytest.raises(OutOfBoard):
        position.play(-1)
    with pytest.raises(TypeError):
        position.play(float(last))  # type: ignore[arg-type]  # that it is refused is the test


def test_drawing() -> None:
    assert str(Position.after([0, 4])) == "  a b c\n1 X . .\n2 . O .\n3 . . ."


def test_drawing_a_high_board() -> None:
    drawn = str(Position.after([0, 29], Rules(3, 10, 3))).split("\n")
    assert drawn[:2] == ["   a b c", " 1 X . ."]
    assert drawn[-1] == "10 . . O"


# Outcomes


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        ([0, 3, 1, 4, 2], Outcome(Mark.X, (0, 1, 2))),
        ([0, 3, 1, 4, 8, 5], Outcome(Mark.O, (3, 4, 5))),
        ([2, 0, 4, 1, 6], Outcome(Mark.X, (2, 4, 6))),
        ([0, 1, 2, 4, 3, 5, 7, 6, 8], DRAW),
        ([0, 1, 2, 3, 4, 5, 7, 6, 8], Outcome(Mark.X, (0, 4, 8))),  # on the ninth move
        ([0, 3, 1, 5, 4, 6, 8], Outcome(Mark.X, (0, 4, 8))),
        ([1, 3, 2, 4, 6, 5], Outcome(Mark.O, (3, 4, 5))),
        ([1, 3, 2, 5, 4, 7, 8, 6, 0], Outcome(Mark.X, (0, 1, 2, 4, 8))),  # two lines at once
    ],
)
def test_outcome(moves: list[int], outcome: Outcome) -> None:
    assert Position.after(moves[:-1]).outcome() is None
    position = Position.after(moves)
    assert position.outcome() == outcome
    assert position.legal_moves == ()


def test_a_run_longer_than_needed() -> None:
    board = "XXXX.XXXX" + "." * 10 + "O" * 4 + "." * 5 + "O" * 4
    position = Position.parse(board + "." * (361 - len(board)), GOMOKU)
    after = position.play(4)
    assert position.outcome() is None
    assert after.outcome() == Outcome(Mark.X, tuple(range(9)))


def test_lines_in_all_four_directions_at_once() -> None:
    arms = [(right, down) for right in (-1, 0, 1) for down in (-1, 0, 1) if (right, down) != (0, 0)]
    centre = 9 * 19 + 9
    star = sorted(
        centre + distance * (right + 19 * down) for right, down in arms for distance in (1, 2)
    )
    letters = ["."] * 361
    for cell in star:
        letters[cell] = "X"
    for cell in range(0, 32, 2):
        letters[cell] = "O"
    position = Position.parse("".join(letters), GOMOKU)
    assert position.play(centre).outcome() == Outcome(Mark.X, tuple(sorted([*star, centre])))


def test_lines_do_not_go_round_an_edge() -> None:
    assert Position.parse("..XX.....OO.", Rules(4, 3, 3)).play(4).outcome() is None
    assert Position.parse("...X......O.", Rules(4, 3, 3)).play(4).outcome() is None


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ([0, 8, 1, 9, 2], (0, 1, 2)),
        ([0, 1, 4, 2, 8], (0, 4, 8)),
        ([1, 0, 6, 2, 11], (1, 6, 11)),
        ([2, 0, 5, 1, 8], (2, 5, 8)),
        ([3, 0, 6, 1, 9], (3, 6, 9)),
    ],
)
def test_lines_on_a_rectangle(moves: list[int], line: tuple[int, ...]) -> None:
    assert Position.after(moves, Rules(4, 3, 3)).outcome() == Outcome(Mark.X, line)


# Gravity


def test_marks_fall() -> None:
    position = Position.start(CONNECT_FOUR)
    assert position.legal_moves == tuple(range(35, 42))
    assert position.play(38).legal_moves == (31, 35, 36, 37, 39, 40, 41)


def test_a_full_column_has_no_legal_move() -> None:
    position = Position.after([6, 3, 0], GRAVITY)
    assert position.legal_moves == (7, 8)


def test_a_win_with_gravity() -> None:
    position = Position.after([35, 36, 28, 29, 21, 22, 14], CONNECT_FOUR)
    assert position.outcome() == Outcome(Mark.X, (14, 21, 28, 35))
    assert position.legal_moves == ()


# What may not be played, and what is no position


@pytest.mark.parametrize(
    ("position", "cell", "error"),
    [
        (Position.start(), -1, OutOfBoard),
        (Position.start(), 9, OutOfBoard),
        (Position.start(), 2**64, OutOfBoard),
        (Position.after([4]), 4, CellTaken),
        (Position.after([4, 0]), 4, CellTaken),
        (Position.start(GRAVITY), 0, FloatingCell),
        (Position.start(GRAVITY), 5, FloatingCell),
        (Position.start(GRAVITY), 9, OutOfBoard),
        (Position.after([7], GRAVITY), 7, CellTaken),
        (Position.after([7], GRAVITY), 1, FloatingCell),
        # The first that fails is the answer:
        (Position.after([0, 3, 1, 4, 2]), 9, GameOver),
        (Position.after([0, 3, 1, 4, 2]), 0, GameOver),
        (Position.after([0, 3, 1, 4, 2]), 8, GameOver),
        (Position.after([0, 1, 2, 4, 3, 5, 7, 6, 8]), 0, GameOver),
    ],
)
def test_illegal(position: Position, cell: int, error: type[IllegalMove]) -> None:
    with pytest.raises(IllegalMove) as caught:
        position.play(cell)
    assert caught.type is error


def test_after_stops_at_the_first_illegal_move() -> None:
    with pytest.raises(CellTaken, match="b2 is taken"):
        Position.after([4, 4, 99])


@pytest.mark.parametrize(
    ("board", "rules", "reason"),
    [
        ("", Rules(), "0 cells on a board of 9"),
        ("........", Rules(), "8 cells"),
        ("..........", Rules(), "10 cells"),
        ("x........", Rules(), "one of"),
        ("........\n", Rules(), "one of"),
        ("O........", Rules(), "in turn"),
        ("XX.......", Rules(), "2 X and 0 O"),
        ("XXXOOO...", Rules(), "after a line"),
        ("OOOXX.X..", Rules(), None),
        ("OOOXX.XX.", Rules(), "after a line"),
        ("XXXOO.O..", Rules(), "after a line"),
        ("X........", GRAVITY, "floats"),
        ("......XO.", GRAVITY, None),
        ("O.....X..", GRAVITY, "floats"),
        ("...O..X..", GRAVITY, None),
    ],
)
def test_parse(board: str, rules: Rules, reason: str | None) -> None:
    if reason is None:
        assert Position.parse(board, rules).board == board
    else:
        with pytest.raises(InvalidPosition, match=reason):
            Position.parse(board, rules)


# Any game on any board


def naive_outcome(board: str, rules: Rules, mark: Mark) -> Outcome | None:
    """What the board says when `mark` has moved, by a walk from each cell each way."""
    cells = set()
    for row in range(rules.rows):
        for column in range(rules.columns):
            for right, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                walk = [
                    (row + down * step, column + right * step) for step in range(rules.in_a_row)
                ]
                if all(
                    0 <= at[0] < rules.rows
                    and 0 <= at[1] < rules.columns
                    and board[at[0] * rules.columns + at[1]] == mark
                    for at in walk
                ):
                    cells |= {at[0] * rules.columns + at[1] for at in walk}
    if cells:
        return Outcome(mark, tuple(sorted(cells)))
    return None if "." in board else Outcome(None, None)


def naive_legal_moves(board: str, rules: Rules) -> tuple[int, ...]:
    empty = [cell for cell, letter in enumerate(board) if letter == "."]
    if rules.gravity:
        lowest = {cell % rules.columns: cell for cell in empty}
        empty = sorted(lowest.values())
    return tuple(empty)


@given(st.sampled_from(BOARDS), st.randoms(use_true_random=False))
def test_a_random_game_agrees_with_a_naive_look(rules: Rules, random: Random) -> None:
    position = Position.start(rules)
    board = position.board
    for ply in range(min(rules.cells, 60)):
        mark = Mark.O if ply % 2 else Mark.X
        assert position.turn is mark
        assert position.ply == ply
        assert position.legal_moves == naive_legal_moves(board, rules)
        cell = random.choice(position.legal_moves)
        position = position.play(cell)
        board = board[:cell] + mark + board[cell + 1 :]
        assert position.board == board
        assert position.outcome() == naive_outcome(board, rules, mark)
        if position.outcome():
            break
    else:
        assert rules.cells > 60
    again = Position.parse(board, rules)
    assert again == position
    assert again.outcome() == position.outcome()


@given(st.text(alphabet=".XO", min_size=9, max_size=9), st.booleans())
def test_a_board_is_read_as_written_or_refused(board: str, gravity: bool) -> None:
    try:
        position = Position.parse(board, Rules(gravity=gravity))
    except InvalidPosition:
        return
    assert position.board == board


@given(st.sampled_from(BOARDS), st.lists(st.integers(-2, 400), max_size=30))
def test_a_move_is_legal_or_refused(rules: Rules, cells: list[int]) -> None:
    position = Position.start(rules)
    for cell in cells:
        if cell in position.legal_moves:
            position = position.play(cell)
        else:
            with pytest.raises(IllegalMove):
                position.play(cell)
