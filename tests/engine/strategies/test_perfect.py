from fractions import Fraction
from functools import cache

import pytest

from ttt_engine import TIC_TAC_TOE, Mark, Position, Rules
from ttt_engine.strategies import Minimax, Perfect, Thought

Chances = tuple[int, Fraction, Fraction]


@cache
def plain_chances(position: Position, mark: Mark) -> Chances:
    """The value for `mark`, and its chances of a win and of a draw against random play."""
    outcome = position.outcome()
    if outcome is not None:
        drawn = outcome.winner is None
        value = 0 if drawn else 1 if outcome.winner is mark else -1
        return value, Fraction(outcome.winner is mark), Fraction(drawn)
    below = [plain_chances(position.play(cell), mark) for cell in position.legal_moves]
    if position.turn is mark:
        return max(below)
    values, wins, draws = zip(*below, strict=True)
    return min(values), sum(wins, Fraction()) / len(below), sum(draws, Fraction()) / len(below)


def positions() -> list[Position]:
    """All that can be reached, and in which the game goes on."""
    found = {Position.start(): None}
    for position in (walk := list(found)):
        for cell in position.legal_moves:
            after = position.play(cell)
            if after not in found and after.outcome() is None:
                found[after] = None
                walk.append(after)
    return list(found)


def test_every_position() -> None:
    everywhere = positions()
    assert len(everywhere) == 5478 - 958
    for position in everywhere:
        chances = {
            cell: plain_chances(position.play(cell), position.turn) for cell in position.legal_moves
        }
        thought = Perfect().think(position)
        best = tuple(cell for cell in chances if chances[cell] == max(chances.values()))
        assert thought == Thought(
            best, "book", {cell: float(value + win) for cell, (value, win, _) in chances.items()}
        )
        assert set(best) <= keeping_the_value(position)


def keeping_the_value(position: Position) -> set[int]:
    """The cells whose score has the sign of the best one's, by minimax."""
    values = Minimax().think(position).values
    assert values is not None

    def sign(score: float) -> int:
        return (score > 0) - (score < 0)

    return {cell for cell in values if sign(values[cell]) == sign(max(values.values()))}


@pytest.mark.parametrize(
    ("moves", "cells"),
    [
        ([], (0, 2, 6, 8)),
        ([0], (4,)),
        ([0, 4, 8], (1, 3, 5, 7)),
        ([0, 3, 1, 4], (2,)),  # to win later is as sure, but to win now is as good
    ],
)
def test_cells(moves: list[int], cells: tuple[int, ...]) -> None:
    assert Perfect().think(Position.after(moves)).cells == cells


def test_values_say_what_is_lost_and_how_likely_it_is_found_out() -> None:
    values = Perfect().think(Position.after([0])).values
    assert values is not None
    assert values[4] == pytest.approx(14 / 15)
    assert all(-1 < values[cell] < 0 for cell in values if cell != 4)


def test_3x3_only() -> None:
    assert Perfect().plays(TIC_TAC_TOE)
    assert not Perfect().plays(Rules(gravity=True))
    assert not Perfect().plays(Rules(4, 3, 3))
