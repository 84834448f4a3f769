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
    ],
)
def test_they_end_as_often_for_each_side_as_games_move_by_move(text: str) -> None:
    random, start = Random(1), Position.start(Rules.parse(text))
    quick = Counter(start.playout(random) for _ in range(COUNT))
    by_moves = Counter(Position.playout(start, random) for _ in range(COUNT))
    for winner in {*quick, *by_moves}:
        assert abs(quick[winner] - by_moves[winner]) < 0.15 * COUNT


@pytest.mark.parametrize("text", ["3x3x3", "cube:3"])
def test_a_game_that_is_over_has_its_winner(text: str) -> None:
    random = Random(2)
    position = Position.start(Rules.parse(text))
    while (outcome := position.outcome()) is None:
        position = position.play(random.choice(position.legal_moves))
    assert position.playout(random) == outcome.winner


@pytest.mark.parametrize("text", ["4x4x4", "cube:3"])
def test_the_same_seed_gives_the_same_ends(text: str) -> None:
    start = Position.start(Rules.parse(text))
    ends = [[start.playout(random) for _ in range(8)] for random in (Random(5), Random(5))]
    assert ends[0] == ends[1]


def test_a_full_board_without_a_line_is_a_draw() -> None:
    random, start = Random(3), Position.start(Rules.parse("4x4x4"))
    assert None in [start.playout(random) for _ in range(50)]
