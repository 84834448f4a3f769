import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Mark, Outcome, Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.strategies import OpenLines, Thought

BOARDS = [TIC_TAC_TOE, Rules(4, 3, 3), Rules(3, 5, 4), Rules(4, 4, 4), Rules(5, 5, 4)]


def plain_score(position: Position, cell: int) -> int:
    """The score of a cell that neither wins nor blocks, word for word."""
    own, other = (set(cells_of(side)) for side in position.sides)
    short = position.rules.in_a_row - 1
    score = 0
    for line in position.rules.lines.cells:
        if cell not in line or other & set(line):
            continue
        score += 1
        left = set(line) - own - {cell}
        if len(left) == 1:
            score += 1
            for theirs in position.rules.lines.cells:
                if left <= set(theirs) and not (own | {cell}) & set(theirs):
                    score -= len((other | left) & set(theirs)) == short
    return score


@given(st.sampled_from(BOARDS), st.data())
def test_the_first_step_that_applies(rules: Rules, data: st.DataObject) -> None:
    position = Position.start(rules)
    for _ in range(data.draw(st.integers(0, rules.cells - 1))):
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    thought = OpenLines().think(position)
    own, other = position.sides
    complete, cells = rules.lines.complete, position.legal_moves
    wins = tuple(cell for cell in cells if complete(own | 1 << cell))
    blocks = tuple(cell for cell in cells if complete(other | 1 << cell))
    if wins:
        assert thought == Thought(wins[:1], "win")
    elif blocks:
        assert thought == Thought(blocks, "block")
    else:
        scores = {cell: plain_score(position, cell) for cell in cells}
        best = tuple(cell for cell in cells if scores[cell] == max(scores.values()))
        assert thought == Thought(best, "open lines", scores)
        assert thought.values == scores


@pytest.mark.parametrize(
    ("moves", "scores"),
    [
        ([], [3, 2, 3, 2, 4, 2, 3, 2, 3]),
        ([1], [2, 0, 2, 2, 3, 2, 3, 1, 3]),
        # 0 and 8 lie on O's diagonal, whose other end gives X nothing; 2 and 6 give it a line.
        ([1, 4, 3], [2, 0, 2, 0, 0, 1, 2, 1, 2]),
        ([0, 4, 8], [0, 1, 0, 1, 0, 1, 0, 1, 0]),
    ],
)
def test_scores(moves: list[int], scores: list[int]) -> None:
    position = Position.after(moves)
    values = {cell: scores[cell] for cell in position.legal_moves}
    assert OpenLines().think(position).values == values


def test_the_lowest_win_but_every_block() -> None:
    assert OpenLines().think(Position.parse("X.XOXO.O.")) == Thought((1,), "win")
    assert OpenLines().think(Position.parse("XOX.XO..O")) == Thought((6,), "win")
    assert OpenLines().think(Position.parse("X.X.XO..O")) == Thought((1, 6), "block")


def test_some_edge_openings_beat_it_as_o() -> None:
    position = Position.start()
    for cell, answer in ((1, 4), (3, 8), (0, 2)):
        position = position.play(cell)
        assert answer in OpenLines().think(position).cells
        position = position.play(answer)
    assert position.play(6).outcome() == Outcome(Mark.X, (0, 3, 6))


def test_on_a_larger_board() -> None:
    rules = Rules(5, 5, 4)
    assert OpenLines().think(Position.start(rules)).cells == (12,)
    assert OpenLines().think(Position.after([12, 0, 13, 1], rules)).reason == "open lines"
    three = Position.after([12, 0, 13, 1, 11], rules)
    assert OpenLines().think(three) == Thought((10, 14), "block")


def test_any_board_without_gravity() -> None:
    assert OpenLines().plays(TIC_TAC_TOE)
    assert OpenLines().plays(Rules(19, 19, 5))
    assert not OpenLines().plays(Rules(7, 6, 4, gravity=True))
