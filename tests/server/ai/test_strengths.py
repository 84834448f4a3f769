"""The table of strengths, held against the engine: who is rated on a board plays there."""

import pytest

from ttt_engine import Rules
from ttt_engine.strategies import can_play, is_ours, make, names
from ttt_protocol.exports.notation import board_of
from ttt_protocol.strengths import is_fit

BOARDS = (
    "3x3x3",
    "misere:3x3x3",
    "misere:4x4x3",
    "torus:3x3x3",
    "torus:4x4x4",
    "cube:3",
    "notakto:3x3x3",
    "notakto:4x4x4",
    "notakto:5x5x4",
    "vanishing:3x3x3",
    "vanishing:4x4x3",
    "ultimate",
    "connect6",
)


@pytest.mark.parametrize("text", BOARDS)
def test_the_table_knows_where_each_of_ours_plays(text: str) -> None:
    rules = Rules.parse(text)
    for name in filter(is_ours, names()):
        if name == "exact":  # only where its solver is installed
            continue
        is_late = name in {"minimax", "brute"} and rules.cells > 9  # it would play at random
        plays = can_play(make(name), rules) and not is_late
        assert is_fit(name, board_of(text)) is plays, name
