"""Playouts: games at random, in the way that suits each variant."""

from collections import Counter
from random import Random

import pytest

from ttt_engine import Position, Rules

COUNT = 300


@pytest.mark.parametrize(
    "text",
    [
        "3x3x3",
        "4x4x3g",
        "misere:4x4x3",
        "torus:4x4x3",
        "cube:3",
        "notakto:3x3x3",
        "vanishing:3x3x3",
        "ultimate",
    ],
)
def test_they_end_as_often_for_each_side_as_games_move_by_move(text: str) -> None:
    random, start = Random(1), Position.start(Rules.parse(text))
    if text == "vanishing:3x3x3":
        start = start.play(4)  # O moves first
    quick = Counter(start.playout(random) for _ in range(COUNT))
    by_moves = Counter(Position.playout(start, random) for _ in range(COUNT))
    for winner in {*quick, *by_moves}:
        assert abs(quick[winner] - by_moves[winner]) < 0.15 * COUNT


@pytest.mark.parametrize("text", ["3x3x3", "cube:3", "vanishing:3x3x3", "ultimate", "connect6"])
def test_a_game_that_is_over_has_its_winner(text: str) -> None:
    random = Random(2)
    position = Position.start(Rules.parse(text))
    while (outcome := position.outcome()) is None:
        position = position.play(random.choice(position.legal_moves))
    assert position.playout(random) == outcome.winner


@pytest.mark.parametrize("text", ["4x4x4", "ultimate", "vanishing:5x5x4", "connect6", "cube:3"])
def test_the_same_seed_gives_the_same_ends(text: str) -> None:
    start = Position.start(Rules.parse(text))
    ends = [[start.playout(random) for _ in range(8)] for random in (Random(5), Random(5))]
    assert ends[0] == ends[1]


def test_a_full_board_without_a_line_is_a_draw() -> None:
    random = Random(3)
    drawn = {
        text: any(Position.start(Rules.parse(text)).playout(random) is None for _ in range(200))
        for text in ("4x4x4", "ultimate", "notakto:3x3x3")
    }
    assert drawn == {"4x4x4": True, "ultimate": True, "notakto:3x3x3": False}


def test_vanishing_marks_may_never_make_a_line() -> None:
    """On a board of 25 cells four in a row are rare at random: some games end by their length."""
    random, start = Random(4), Position.start(Rules.parse("vanishing:5x5x5"))
    assert None in [start.playout(random) for _ in range(20)]


def test_the_last_stone_of_connect6_may_make_no_six() -> None:
    """In stripes of two no row has six: with one free cell, the game is drawn."""
    board = "".join("XO"[(row // 2 + column) % 2] for row in range(19) for column in range(19))
    rules = Rules.parse("connect6")
    x = [cell for cell, mark in enumerate(board) if mark == "X"]
    o = [cell for cell, mark in enumerate(board) if mark == "O"]
    position = Position.start(rules)
    while x and o:
        position = position.play((x if position.turn == "X" else o).pop())
    assert position.outcome() is None
    assert position.playout(Random(7)) is None
