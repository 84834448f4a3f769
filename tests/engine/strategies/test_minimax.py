import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, InvalidLevel, Position, Rules
from ttt_engine.strategies import Minimax, Thought


def plain_score(position: Position) -> int:
    """What `Scores` promises, by the plainest search there is."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else -1 - position.rules.cells + position.ply
    return max(-plain_score(position.play(cell)) for cell in position.legal_moves)


BOARDS = [TIC_TAC_TOE, Rules(gravity=True), Rules(4, 3, 3), Rules(3, 5, 4), Rules(4, 4, 3)]
BOARDS += [Rules(5, 4, 4, gravity=True), Rules(7, 6, 4, gravity=True)]


@given(st.sampled_from(BOARDS), st.integers(0, 6), st.data())
def test_values_are_exact(rules: Rules, empty: int, data: st.DataObject) -> None:
    position = Position.start(rules)
    while position.ply < rules.cells - empty:
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    if rules.cells - position.ply > 7 or not position.legal_moves:
        return
    thought = Minimax().think(position)
    values = {cell: -plain_score(position.play(cell)) for cell in position.legal_moves}
    assert thought.values == values
    assert thought.cells == tuple(c for c in values if values[c] == max(values.values()))


def test_the_empty_board_is_a_draw_wherever_one_begins() -> None:
    thought = Minimax().think(Position.start())
    assert thought == Thought(tuple(range(9)), "depth 9, 0", dict.fromkeys(range(9), 0))


def test_against_a_corner_only_the_centre_holds() -> None:
    thought = Minimax().think(Position.after([0]))
    assert (thought.cells, thought.reason) == ((4,), "depth 8, 0")


@pytest.mark.parametrize(
    ("moves", "cells", "reason"),
    [
        ([0, 3, 1, 4], (2,), "win"),
        ([8, 6, 5, 0], (2,), "win"),  # 3 blocks, and wins later
        ([0, 4, 1, 2, 7], (6,), "win"),
        ([0, 4, 8], (1, 3, 5, 7), "depth 6, 0"),
        ([0, 1], (3, 4, 6), "depth 7, +1"),
        ([0, 1, 4], (8,), "depth 6, -1"),  # lost, but the block makes it last
    ],
)
def test_best_cells(moves: list[int], cells: tuple[int, ...], reason: str) -> None:
    thought = Minimax().think(Position.after(moves))
    assert (thought.cells, thought.reason) == (cells, reason)


def test_a_win_at_once_is_worth_one_more_than_the_cells_left() -> None:
    thought = Minimax().think(Position.after([0, 3, 1, 4]))
    assert thought.values == {2: 5, 5: 0, 6: -4, 7: -4, 8: -4}


@pytest.mark.parametrize(
    ("board", "rules", "values"),
    [
        # A win at 4 or 5 takes three plies, at 0 and 2 five, at 7 seven.
        (
            "...O..X.X.O.",
            Rules(4, 3, 3),
            {0: 4, 1: -5, 2: 4, 4: 6, 5: 6, 7: 2, 9: 0, 11: -3},
        ),
        # Lost whatever O plays, but the block at 10 lasts longest.
        (
            "O.X...X.....",
            Rules(4, 3, 3),
            {1: -8, 3: -8, 4: -8, 5: -8, 7: -8, 8: -8, 9: -8, 10: -6, 11: -8},
        ),
        # The same on a board where a game is longer than ten plies.
        (
            "OOX..XOX.OX.OX..OXXXOOX.XO.XOO",
            Rules(6, 5, 4),
            {3: 6, 4: 0, 8: 0, 11: 4, 14: 0, 15: 0, 23: 0, 26: 0},
        ),
        (
            "XOX.X.OOX.O.XX.OO.X..XXOOXX.OO",
            Rules(6, 5, 4),
            {3: -6, 5: -8, 9: -8, 11: -8, 14: -8, 17: -8, 19: -8, 20: -8, 27: -8},
        ),
    ],
)
def test_wins_sooner_and_loses_later(board: str, rules: Rules, values: dict[int, int]) -> None:
    thought = Minimax().think(Position.parse(board, rules))
    best = max(values.values())
    assert thought.values == values
    assert thought.cells == tuple(cell for cell in values if values[cell] == best)
    assert thought.reason == f"depth {len(values)}, {'+' if best > 0 else '-'}1"


@pytest.mark.parametrize("level", range(10))
def test_searches_only_what_its_level_allows(level: int) -> None:
    position = Position.start()
    for cell in (0, 4, 8, 2, 6, 3, 5, 7):
        empty = 9 - position.ply
        thought = Minimax(level).think(position)
        if empty > level:
            assert thought == Thought(position.legal_moves, "random")
        else:
            assert thought == Minimax().think(position)
            assert thought.values is not None
        position = position.play(cell)


def test_level_counts_empty_cells_on_every_board() -> None:
    position = Position.start(Rules(4, 3, 3))
    assert Minimax().think(position) == Thought(tuple(range(12)), "random")
    assert Minimax().think(position.play(0).play(1).play(2)).reason.startswith("depth 9")


def test_with_gravity_it_chooses_among_columns() -> None:
    rules = Rules(gravity=True)
    thought = Minimax().think(Position.after([6, 3, 7], rules))
    assert thought.cells == (8,)
    assert Minimax().think(Position.after([6, 7, 3, 4], rules)) == Thought(
        (0,), "win", Minimax().think(Position.after([6, 7, 3, 4], rules)).values
    )


@pytest.mark.parametrize("level", [-1, 10])
def test_no_such_level(level: int) -> None:
    with pytest.raises(InvalidLevel):
        Minimax(level)


def test_plays_every_board() -> None:
    assert all(Minimax().plays(rules) for rules in BOARDS)


def test_what_is_looked_up_is_of_its_own_board_and_level() -> None:
    plain, gravity = (Position.start(Rules(gravity=gravity)) for gravity in (False, True))
    for _ in range(2):
        assert Minimax(9).think(plain).cells == tuple(range(9))
        assert Minimax(8).think(plain).reason == "random"
        assert set(Minimax(9).think(gravity).cells) <= {6, 7, 8}
