"""The guard: it wins, blocks, and otherwise plays anything."""

import pytest

from ttt_engine.position import Position
from ttt_engine.rules import Rules
from ttt_engine.strategies import Guard, Perfect
from ttt_engine.strategy import Thought
from ttt_engine.tracing.steps import Rule, Step


@pytest.mark.parametrize(
    ("board", "thought"),
    [
        ("XX.OO....", Thought((2,), "win")),
        ("XX..O....", Thought((2,), "block")),
        ("X...O....", Thought((1, 2, 3, 5, 6, 7, 8), "free choice")),
    ],
)
def test_it_wins_blocks_or_plays_anything(board: str, thought: Thought) -> None:
    assert Guard().think(Position.parse(board)) == thought


def test_where_pieces_fall_it_blocks_only_what_can_be_played() -> None:
    rules = Rules.parse("7x6x4g")
    position = Position.start(rules)
    for cell in (35, 41, 36, 40, 37):
        position = position.play(cell)
    assert Guard().think(position) == Thought((38,), "block")
    hangs = Position.start(rules)
    for cell in (35, 28, 36, 29, 38, 31):  # O has three in the second row, over an empty d6
        hangs = hangs.play(cell)
    assert Guard().think(hangs) == Thought((37,), "win")


def test_it_tells_the_rules_in_their_order() -> None:
    told: list[Step] = []
    Guard().think_aloud(Position.parse("XX..O...."), told.append)
    assert told == [Rule("win", ()), Rule("block", (2,))]


def test_a_fork_beats_it() -> None:
    """Perfect play does not lose to it, and its free choices do lose somewhere."""
    losses = _losses(Position.start(Rules()), is_guard=False)
    assert losses > 0


def _losses(position: Position, *, is_guard: bool) -> int:
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1
    thought = (Guard() if is_guard else Perfect()).think(position)
    cells = thought.cells if is_guard else thought.cells[:1]
    return sum(_losses(position.play(cell), is_guard=not is_guard) for cell in cells)
