"""Where a longer row does not win, against a checker that walks the rows cell by cell."""

import random
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_engine import GridPosition, InvalidPosition, Mark, Position, Rules
from ttt_engine.bitboard import bitboard
from ttt_engine.lines import lines_of
from ttt_engine.search.budget import Budget
from ttt_engine.search.proof import Proof
from ttt_engine.search.result import search
from ttt_engine.search.state import board_of
from ttt_engine.strategies import make
from ttt_engine.threats.board import threat_board_of

SIX = Rules(15, 15, 5, exact=True)


def rows_of(bits: int, columns: int, rows: int) -> list[list[int]]:
    """Return the longest runs of cells in each row, column and diagonal."""
    ways = ((1, 0), (0, 1), (1, 1), (-1, 1))
    found = []
    for right, down in ways:
        for row in range(rows):
            for column in range(columns):
                if 0 <= column - right < columns and 0 <= row - down < rows:
                    continue  # no beginning
                whole, at = [], (column, row)
                while 0 <= at[0] < columns and 0 <= at[1] < rows:
                    whole.append(at[1] * columns + at[0])
                    at = at[0] + right, at[1] + down
                there = groupby(whole, lambda cell: bits >> cell & 1)
                found += [list(run) for is_there, run in there if is_there]
    return found


def winning(bits: int, columns: int, rows: int, in_a_row: int) -> int:
    runs = (run for run in rows_of(bits, columns, rows) if len(run) == in_a_row)
    return bitboard({cell for run in runs for cell in run})


shapes = st.tuples(st.integers(3, 8), st.integers(3, 8), st.integers(3, 8)).filter(
    lambda shape: shape[2] <= max(shape[:2])
)


@settings(max_examples=100)
@given(shapes, st.data())
def test_any_set_agrees_with_a_walk_along_the_rows(
    shape: tuple[int, int, int], data: st.DataObject
) -> None:
    columns, rows, _ = shape
    full = (1 << columns * rows) - 1
    # Two sets joined hold many marks, so that long rows are frequent.
    bits = data.draw(st.integers(0, full)) | data.draw(st.integers(0, full))
    lines = lines_of(*shape, exact=True)
    expected = winning(bits, *shape)
    assert lines.completed(bits) == expected
    assert lines.complete(bits) == (expected != 0)
    ends = lines.ends(bits)
    for cell in range(columns * rows):
        completes = winning(bits | 1 << cell, *shape) >> cell & 1
        assert ends >> cell & 1 == (completes and not bits >> cell & 1)


def test_six_in_a_row_do_not_win() -> None:
    x, o = [0, 1, 2, 4, 5, 3], [30, 32, 60, 62, 90]
    moves = [cell for pair in zip(x, [*o, 224], strict=True) for cell in pair][:-1]
    assert Position.after(moves, Rules(15, 15, 5)).outcome() is not None
    position = Position.after(moves, SIX)
    assert position.outcome() is None
    assert position.turn is Mark.O


def test_five_in_a_row_win_beside_a_longer_row() -> None:
    column, longer = (0, 15, 30, 45, 60), (60, 61, 62, 63, 64, 65)
    x, o = bitboard({*column, *longer}), bitboard(range(100, 117, 2))
    outcome = GridPosition(SIX, x, o).outcome()
    assert outcome is not None
    assert outcome.line == column


def test_a_position_after_a_line_is_refused_and_after_a_longer_row_is_not() -> None:
    rules = Rules(5, 3, 3, exact=True)
    assert Position.parse("XXXX.OO.OO.....", rules).turn is Mark.X
    with pytest.raises(InvalidPosition, match="after a line"):
        Position.parse("XXX..OO.O......", rules)


@pytest.mark.parametrize("name", ["search", "minimax", "lines", "random"])
def test_strategies_complete_a_line_and_no_longer_row(name: str) -> None:
    # Cell 2 would make six in a row, cell 34 makes five.
    x = [0, 1, 3, 4, 5, 30, 31, 32, 33]
    o = [60, 62, 64, 66, 100, 102, 104, 106, 120]
    position = GridPosition(SIX, bitboard(x), bitboard(o))
    thought = make(name, 9).think(position)
    assert 34 in thought.cells
    if name not in {"random", "minimax"}:  # with so many empty cells minimax plays at random
        assert thought.cells == (34,)


@settings(max_examples=40)
@given(st.sampled_from(["4x3x3!", "5x3x3!", "4x4x3!g", "5x3x3!g"]), st.data())
def test_the_search_finds_the_value_of_a_full_look(text: str, data: st.DataObject) -> None:
    rules = Rules.parse(text.replace("!g", "g!"))
    position = Position.start(rules)
    while rules.cells - position.ply > 9 and position.outcome() is None:
        position = position.play(data.draw(st.sampled_from(position.legal_moves)))
    if position.outcome() is not None:
        return
    exact = make("minimax", 9).think(position)
    assert exact.values is not None
    searched = make("search", 5, seconds=1.0).think(position)
    best = max(exact.values.values())
    sign = (best > 0) - (best < 0)
    for cell in searched.cells:
        value = exact.values[cell]
        assert (value > 0) - (value < 0) == sign


def too_long(position: Position) -> list[int]:
    """Return the cells with which the side to move makes a row that is too long, and no line."""
    rules, (own, _) = position.rules, position.sides
    longer = lines_of(rules.columns, rules.rows, rules.in_a_row)
    return [
        cell
        for cell in position.legal_moves
        if longer.completed(own | 1 << cell) >> cell & 1
        and not rules.lines.complete(own | 1 << cell)
    ]


def long_rows(rules: Rules, chance: random.Random) -> Position:
    """Play without a win, with rows that are too long where possible; return the last position."""
    position = Position.start(rules)
    while True:
        own, _ = position.sides
        quiet = [c for c in position.legal_moves if not rules.lines.complete(own | 1 << c)]
        cells = too_long(position) or quiet
        if not cells or rules.cells - position.ply == 1:
            return position
        position = position.play(chance.choice(cells))


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["15x15x5!", "7x7x4!", "5x5x4!", "7x6x4g!", "5x5x3!"])
def test_the_search_plays_on_where_rows_get_too_long(text: str) -> None:
    chance = random.Random(text)
    rules = Rules.parse(text)
    longer = lines_of(rules.columns, rules.rows, rules.in_a_row)
    seen = False
    for _ in range(3):
        position = long_rows(rules, chance)
        seen = seen or any(map(longer.complete, position.sides))
        assert search(position, Budget(200)).cells[0] in position.legal_moves
    assert seen
    position = Position.start(rules)
    for _ in range(4):
        position = position.play(chance.choice(position.legal_moves))
    while position.outcome() is None:
        position = position.play(search(position, Budget(100)).cells[0])


def attack(position: Position) -> None:
    """Check that the side to move wins by threats, whatever the other side answers."""
    board = threat_board_of(position.rules)
    proof = Proof(board, Budget(10_000))
    node = proof.prove(board.state(position))
    assert not node.proof
    after = position.play(proof.first(node))
    if after.outcome() is None:
        for cell in after.legal_moves:
            answered = after.play(cell)
            assert answered.outcome() is None
            attack(answered)


def test_a_win_by_threats_is_one_where_rows_get_too_long() -> None:
    chance = random.Random(4)
    rules = Rules(6, 6, 4, exact=True)
    board = threat_board_of(rules)
    won = 0
    while won < 12:
        position = Position.start(rules)
        for _ in range(chance.randrange(8, 25)):
            position = position.play(chance.choice(position.legal_moves))
            if position.outcome() is not None:
                break
        else:
            node = Proof(board, Budget(10_000)).prove(board.state(position))
            if not node.proof and 3 <= node.plies <= 5:
                attack(position)
                won += 1


@pytest.mark.parametrize("own", ["XXX.XX", "XXXXXX", "XXX.XXX"])
def test_a_row_that_gets_too_long(own: str) -> None:
    x = [7 * 15 + 3 + at for at, cell in enumerate(own) if cell == "X"]
    o = [0, 14, 30, 44, 60, 74][: len(x)]
    position = GridPosition(SIX, bitboard(x), bitboard(o))
    state = board_of(SIX).state(position)
    threats = threat_board_of(SIX).state(position)
    assert threat_board_of(SIX).threats(threats)[0].ends == state.own_ends
    result = search(position, Budget(500))
    assert result.cells[0] in position.legal_moves
    assert result.reason != "win"
    for cell in too_long(position):
        assert search(position.play(cell), Budget(200)).cells
