import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import TIC_TAC_TOE, Mark, Outcome, Position, Rules
from ttt_engine.strategies import BruteForce, Thought

BOARDS = [TIC_TAC_TOE, Rules(gravity=True), Rules(4, 3, 3, gravity=True), Rules(3, 4, 3)]


def plain_balance(position: Position) -> int:
    """What `Balances` promises, by going through every game."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    return sum(-plain_balance(position.play(cell)) for cell in position.legal_moves)


@given(st.sampled_from(BOARDS), st.data())
def test_values_are_exact(rules: Rules, data: st.DataObject) -> None:
    position = Position.start(rules)
    for _ in range(rules.cells - data.draw(st.integers(1, 6))):
        after = position.play(data.draw(st.sampled_from(position.legal_moves)))
        if after.outcome() is not None:
            break
        position = after
    if rules.cells - position.ply > 7:
        return
    thought = BruteForce().think(position)
    values = {cell: -plain_balance(position.play(cell)) for cell in position.legal_moves}
    assert thought.values == values
    first = next(cell for cell in values if values[cell] == max(values.values()))
    assert thought.cells == (first,)


@pytest.mark.parametrize(
    ("moves", "cell", "values"),
    [
        ([0], 4, "-1292 -700 -1292 -124 -966 -700 -966 -716"),
        ([0, 4, 8], 2, "6 12 6 6 12 6"),
        ([], 4, "6756 4056 6756 4056 10032 4056 6756 4056 6756"),
    ],
)
def test_balances(moves: list[int], cell: int, values: str) -> None:
    position = Position.after(moves)
    numbers = [int(value) for value in values.split()]
    expected = dict(zip(position.legal_moves, numbers, strict=True))
    thought = BruteForce().think(position)
    assert thought == Thought((cell,), f"wins minus losses: {max(numbers):+}", expected)
    assert thought.values == expected


def test_the_corner_trap_beats_it_as_o() -> None:
    position = Position.start()
    for cell, answer in ((0, 4), (8, 2), (6, 3)):
        position = position.play(cell)
        assert BruteForce().think(position).cells == (answer,)  # rather than block
        position = position.play(answer)
    assert position.play(7).outcome() == Outcome(Mark.X, (6, 7, 8))


@pytest.mark.no_cover
def test_the_largest_board() -> None:
    # Four columns of three: what a cell is worth is the same seen in a mirror.
    rules = Rules(4, 3, 3)
    corner, edge, side, centre = 1918632, 2132604, 172740, 3185604
    values = [corner, edge, edge, corner, side, centre, centre, side, corner, edge, edge, corner]
    thought = BruteForce().think(Position.start(rules))
    assert thought.values == dict(enumerate(values))
    assert thought.cells == (5,)


def test_with_gravity_it_chooses_among_columns() -> None:
    thought = BruteForce().think(Position.start(Rules(4, 3, 3, gravity=True)))
    assert thought.values == {8: 7146, 9: 2798, 10: 2798, 11: 7146}
    assert thought.cells == (8,)


def test_up_to_twelve_cells() -> None:
    assert BruteForce().plays(TIC_TAC_TOE)
    assert BruteForce().plays(Rules(3, 4, 4, gravity=True))
    assert not BruteForce().plays(Rules(5, 3, 3))
    assert not BruteForce().plays(Rules(4, 4, 4))
