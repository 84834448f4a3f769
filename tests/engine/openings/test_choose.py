from random import Random

import pytest

from ttt_engine import Mark, Position, Rules
from ttt_engine.openings.choose import BOOK, CLOSE, DECIDED, choose, place, plain_worth, worth_by
from ttt_engine.openings.opening import Choice, Opening
from ttt_engine.strategies import make, names

X, O = Mark.X, Mark.O  # noqa: E741 - its name on the board
STAY, SWAP, MORE = Choice
FOUR = Rules(7, 6, 4, gravity=True)
GOMOKU = Rules(15, 15, 5)


@pytest.mark.parametrize(
    ("value", "seat", "choices", "made"),
    [
        (CLOSE + 1, O, (STAY, SWAP, MORE), STAY),  # O is to move and ahead
        (-CLOSE - 1, O, (STAY, SWAP, MORE), SWAP),
        (CLOSE, O, (STAY, SWAP, MORE), MORE),
        (CLOSE, O, (STAY, SWAP), STAY),
        (0, O, (STAY, SWAP, MORE), STAY),
        (DECIDED, X, (STAY, SWAP), SWAP),
        (-DECIDED, X, (STAY, SWAP), STAY),
    ],
)
def test_the_side_that_is_ahead(
    value: int, seat: Mark, choices: tuple[Choice, ...], made: Choice
) -> None:
    position = Position.start(GOMOKU).play(0)
    assert choose(position, choices, seat, lambda _position: value) is made


@pytest.mark.parametrize(
    ("first", "made"), [(35, STAY), (36, STAY), (37, SWAP), (38, SWAP), (41, STAY)]
)
def test_the_search_knows_the_first_stones_of_four_in_a_row(first: int, made: Choice) -> None:
    # At d6 X wins, at c6 it draws, at a6 and b6 it loses; a look of a second sees the tendency.
    worth = worth_by(make("search", seconds=1.0))
    if first != 37:  # a draw, where either choice is right
        assert choose(Position.start(FOUR).play(first), (STAY, SWAP), O, worth) is made


@pytest.mark.parametrize(("first", "made"), [(4, SWAP), (0, STAY), (1, STAY)])
def test_by_plain_sight_the_middle_is_worth_most(first: int, made: Choice) -> None:
    assert choose(Position.start().play(first), (STAY, SWAP), O, plain_worth) is made


def test_a_first_stone_that_is_neither_too_good_nor_too_bad() -> None:
    assert place(Position.start(), 1, plain_worth) == (0, 2, 6, 8)
    assert place(Position.start(), 1, worth_by(make("minimax", 9))) == tuple(range(9))  # all draw


@pytest.mark.parametrize("board", ["15x15x5!", "20x20x5", "13x13x5", "9x9x5", "6x5x4", "4x4x4"])
def test_the_stones_of_swap2(board: str) -> None:
    rules, random = Rules.parse(board) if board != "20x20x5" else Rules(19, 19, 5), Random(board)
    opening, position = Opening.begin("swap2"), Position.start(rules)
    for made in (MORE, STAY):
        while not opening.to_choose(position.ply):
            cells = place(position, opening.stones, plain_worth)
            assert set(cells) <= set(position.legal_moves)
            assert cells == tuple(sorted(cells))
            position = position.play(random.choice(cells))
        assert position.outcome() is None
        opening = opening.chosen(made)
    assert position.ply == 5
    assert abs(plain_worth(position)) < DECIDED


def test_the_book_is_followed_as_long_as_it_goes() -> None:
    random = Random(1)
    for _ in range(20):
        position, moves = Position.start(GOMOKU), list[int]()
        while len(moves) < 3:
            moves.append(random.choice(place(position, 3, plain_worth)))
            position = position.play(moves[-1])
        assert tuple(moves) in {opening(GOMOKU) for opening in BOOK}


def test_a_first_stone_that_the_book_has_not_is_gone_on_from() -> None:
    position = Position.start(GOMOKU).play(0)
    cells = place(position, 3, plain_worth)
    assert set(cells) <= {row * 15 + column for row in range(3) for column in range(3)}


@pytest.mark.parametrize("name", names())
def test_every_strategy_has_an_opinion(name: str) -> None:
    rules = Rules()
    strategy = make(name, seconds=0.01)
    position = Position.start(rules).play(4)
    if not strategy.plays(rules):
        return
    assert isinstance(worth_by(strategy)(position), int)


@pytest.mark.parametrize(
    ("name", "board", "worth"),
    [
        ("minimax", "XX.OO....", DECIDED),
        ("minimax", "XX.O.....", -DECIDED),
        ("brute", "XX.OO....", DECIDED),
        ("search", "XX.OO....", DECIDED),
        ("search", "XOXXOOOX.", 0),
        ("minimax", "XOXXOOOX.", 0),
    ],
)
def test_a_certain_worth(name: str, board: str, worth: int) -> None:
    position = Position.parse(board)
    assert worth_by(make(name))(position) == worth


def test_without_an_opinion_plain_sight_decides() -> None:
    blind = make("minimax", 0)  # plays at random until the board is full
    position = Position.start(Rules(4, 4, 4)).play(5)
    assert worth_by(blind)(position) == plain_worth(position)


def test_plain_sight_knows_a_line_that_is_there() -> None:
    assert plain_worth(Position.parse("XX.OO....")) == DECIDED
