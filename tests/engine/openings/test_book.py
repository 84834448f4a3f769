import pytest

from ttt_engine import Position, Rules
from ttt_engine.openings.choose import BOOK, DECIDED, lies_on, plain_worth


@pytest.mark.parametrize("board", ["13x13x5", "15x15x5!", "19x13x5", "19x19x5"])
def test_each_opening_lies_on_the_board_and_leaves_the_game_open(board: str) -> None:
    rules = Rules.parse(board)
    assert lies_on(rules)
    for opening in BOOK:
        position = Position.after(opening(rules), rules)
        assert position.outcome() is None
        assert abs(plain_worth(position)) < DECIDED


def test_no_opening_stands_there_twice() -> None:
    assert len(set(BOOK)) == len(BOOK)


@pytest.mark.parametrize("board", ["12x15x5", "15x15x4", "15x15x6", "15x15x5g"])
def test_other_boards(board: str) -> None:
    assert not lies_on(Rules.parse(board))


def test_lines_alone_do_not_judge_a_variant() -> None:
    assert plain_worth(Position.start(Rules.parse("ultimate"))) == 0
