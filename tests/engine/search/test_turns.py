from itertools import combinations
from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.search.budget import Budget
from ttt_engine.search.negamax import LIMIT, WON, Found
from ttt_engine.search.result import search, see_at_once
from ttt_engine.search.turns import TurnState, TurnTree, turn_board_of
from ttt_engine.tracing.steps import DepthFinished, Step

RULES = Rules.parse("connect6")
BOARD = turn_board_of(RULES)
NEAR = [row * 19 + column for row in range(6, 13) for column in range(6, 13)]
"""Cells in the middle, where stones meet."""


def begun(*cells: int) -> Position:
    return Position.after(cells, RULES)


def look(state: TurnState, depth: int) -> Found:
    tree = TurnTree(BOARD, Budget(10**6), [], None)
    return tree.look(state, depth, -LIMIT, LIMIT)


@pytest.mark.parametrize("seed", range(4))
def test_a_turn_leads_to_the_state_of_its_position(seed: int) -> None:
    random, position = Random(seed), begun(180)
    while position.outcome() is None and position.ply < 40:
        state = BOARD.state(position)
        if state.own_hot:
            break
        free = [cell for cell in NEAR if cell in position.legal_moves]
        turn = tuple(sorted(random.sample(free, 2)))
        placed = BOARD.after(state, turn)
        for cell in turn:
            position = position.play(cell)
        expected = BOARD.state(position)
        assert placed[:3] == expected[:3]
        assert set(placed.own_hot) == set(expected.own_hot)
        assert set(placed.other_hot) == set(expected.other_hot)


def test_blocks_are_all_pairs_that_leave_no_hot_line() -> None:
    # O has two rows of four, each with room on one side or both.
    position = begun(180, 20, 21, 0, 361 - 1, 22, 23, 18, 342, 58, 59, 72, 324, 60, 61)
    state = BOARD.state(position)
    assert len(state.other_hot) > 2
    found = set[frozenset[int]]()
    for turn in BOARD.blocks(state):
        found.add(frozenset(turn))
    free = cells_of(bitboard(cell for line in state.other_hot for cell in cells_of(line)))
    for pair in combinations([cell for cell in free if cell in position.legal_moves], 2):
        stops = all(line & bitboard(pair) for line in state.other_hot)
        assert stops is any(one <= set(pair) for one in found)


def test_four_in_a_row_win_at_once() -> None:
    position = begun(180, 0, 18, 181, 182, 342, 360, 183, 230, 19, 37)
    plain = see_at_once(position)
    assert plain is not None
    assert (plain.value, plain.reason) == (1, "win")
    assert set(plain.cells) == {178, 179, 184, 185}
    assert search(position, Budget(1)) == plain
    won = WON + len(position.legal_moves) - position.marks  # type: ignore[operator]  # it has marks
    assert look(BOARD.state(position), 1) == Found(won, proven=True)


def test_three_hot_lines_apart_are_lost() -> None:
    rows = [(row * 19 + 8, row * 19 + 9, row * 19 + 10, row * 19 + 11) for row in (2, 9, 16)]
    o = [cell for row in rows for cell in row]
    x = [0, 18, 342, 360, 4, 14, 346, 356, 76, 94, 266, 284, 171]
    moves = [x[0]]
    for turn in range(6):
        moves += [*o[2 * turn : 2 * turn + 2], *x[2 * turn + 1 : 2 * turn + 3]]
    position = Position.after(moves[:-2], RULES)
    plain = see_at_once(position)
    assert plain is not None
    assert (plain.value, plain.reason) == (-1, "block")
    assert set(plain.values.values()) == {-1}
    assert list(BOARD.blocks(BOARD.state(position)._replace(stones=1))) == []
    assert look(BOARD.state(position), 1) == Found(4 - WON - len(position.legal_moves), True)


def test_a_search_blocks_and_says_how_deep() -> None:
    # O has four, open at both ends: X must have a stone on each side.
    position = begun(180, 100, 101, 0, 18, 102, 103)
    result = search(position, Budget(3000))
    assert result.value is None
    assert min(result.cells) in {98, 99}
    assert max(result.cells) in {104, 105}
    assert result.reason.startswith("depth ")
    second = position.play(result.cells[0])
    after_one = search(second, Budget(3000))
    assert len(after_one.cells) == 1
    assert BOARD.after(BOARD.state(second), after_one.cells).own_hot == ()


def test_a_forced_win_is_proven() -> None:
    # With a stone more in each row, X has two rows of four: O cannot stop both.
    x, o = [180, 181, 182, 256, 257, 258, 0], [18, 342, 360, 4, 14, 346, 356, 76]
    moves = [x[0]]
    for turn in range(3):
        moves += [*o[2 * turn : 2 * turn + 2], *x[2 * turn + 1 : 2 * turn + 3]]
    position = Position.after([*moves, *o[6:]], RULES)
    result = search(position, Budget(10_000))
    assert (result.value, result.reason) == (1, "depth 1, +1")
    assert result.values == dict.fromkeys(result.cells, 1)
    for cell in result.cells:
        position = position.play(cell)
    plain = see_at_once(position)
    assert plain is not None
    assert plain.value == -1


def test_the_first_stone_lies_in_the_middle() -> None:
    assert search(begun(), Budget(3000)).cells == (180,)


def test_where_nobody_can_win_it_is_a_draw() -> None:
    state = BOARD.state(begun(180))
    closed = state.board._replace(own_open=0, other_open=0)
    assert look(state._replace(board=closed), 3) == Found(0, proven=True)
    full = state._replace(own=RULES.full, other=0)
    assert look(full, 3) == Found(0, proven=True)


def test_it_tells_of_its_rounds() -> None:
    steps = list[Step]()
    result = search(begun(180), Budget(3000), steps.append)
    rounds = [step for step in steps if isinstance(step, DepthFinished)]
    assert rounds
    assert rounds[-1].cell in result.cells
    assert result == search(begun(180), Budget(3000))
