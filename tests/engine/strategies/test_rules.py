import pytest

from ttt_engine import TIC_TAC_TOE, Mark, Outcome, Position, Rules
from ttt_engine.strategies import RuleBased, Thought


@pytest.mark.parametrize(
    ("moves", "cells", "reason"),
    [
        ([], (4,), "centre"),
        ([0], (4,), "centre"),
        ([4], (0, 2, 6, 8), "corner"),
        ([4, 0, 8], (2, 6), "corner"),
        ([0, 1, 4], (8,), "block"),
        ([0, 4, 1, 3, 8], (5,), "win"),  # rather than block 2
        ([0, 3, 1, 4], (2,), "win"),
        ([4, 0, 8, 2, 1, 7, 6], (3, 5), "side"),
    ],
)
def test_the_first_rule_that_applies(moves: list[int], cells: tuple[int, ...], reason: str) -> None:
    assert RuleBased().think(Position.after(moves)) == Thought(cells, reason)


@pytest.mark.parametrize(
    ("board", "cell", "reason"),
    [
        ("XX.XOO.O.", 6, "win"),  # a row at 2, a column at 6
        ("XX.XO...O", 6, "block"),  # the same
        ("XO.XX..O.", 8, "block"),  # a row at 5, a column at 6, a diagonal at 8
        ("X.XOXO.O.", 6, "win"),  # a row at 1, the diagonals at 8 and at 6
    ],
)
def test_of_several_lines_the_last_decides(board: str, cell: int, reason: str) -> None:
    thought = RuleBased().think(Position.parse(board))
    assert (thought.cells, thought.reason) == ((cell,), reason)


def test_a_fork_as_o_loses() -> None:
    after_trap = Position.after([0, 4, 8])
    assert RuleBased().think(after_trap).cells == (2, 6)
    for answer, fork in ((2, 6), (6, 2)):
        position = after_trap.play(answer).play(fork)
        for block in RuleBased().think(position).cells:
            ends = [
                after.outcome()
                for cell in position.play(block).legal_moves
                if (after := position.play(block).play(cell)).outcome()
            ]
            assert any(end is not None and end.winner is Mark.X for end in ends)
    assert Position.after([0, 4, 8, 2, 6, 7, 3]).outcome() == Outcome(Mark.X, (0, 3, 6))


def test_3x3_only() -> None:
    assert RuleBased().plays(TIC_TAC_TOE)
    assert not RuleBased().plays(Rules(gravity=True))
    assert not RuleBased().plays(Rules(4, 3, 3))
