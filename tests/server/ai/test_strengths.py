"""The table of strengths, held against the engine: who is rated on a board plays there."""

from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.strategies import can_play, is_ours, make, names
from ttt_protocol.notation import board_of
from ttt_protocol.strengths import Strength, ai_of, is_fit

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


@pytest.mark.parametrize("text", [board for board in BOARDS if board != "connect6"])
def test_a_fair_ai_wins_and_blocks_in_one(text: str) -> None:
    rules, random, seen = Rules.parse(text), Random(4), 0
    ai = ai_of(Strength.FAIR, board_of(text))
    strategy = make(ai.strategy, ai.level)
    while seen < 12:
        position = Position.start(rules)
        while position.outcome() is None:
            wins, safe = _wins_and_safe(position)
            if wins or 0 < len(safe) < len(position.legal_moves):
                assert set(strategy.think(position).cells) <= set(wins or safe), position
                seen += 1
            position = position.play(random.choice(position.legal_moves))


def _wins_and_safe(position: Position) -> tuple[list[int], list[int]]:
    """Return the cells that win, and those after which the other side neither has won nor can."""
    wins: list[int] = []
    safe: list[int] = []
    for cell in position.legal_moves:
        after = position.play(cell)
        end = after.outcome()
        if end is not None:
            wins += [cell] if end.winner is position.turn else []
            safe += [cell] if end.winner is None else []
            continue
        ends = (after.play(answer).outcome() for answer in after.legal_moves)
        if not any(end is not None and end.winner is after.turn for end in ends):
            safe.append(cell)
    return wins, safe
