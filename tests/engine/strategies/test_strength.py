"""How strong the strategies are, exactly: walks through every game they can play."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from ttt_engine import Mark, Position, Rules
from ttt_engine.strategies import (
    BruteForce,
    Minimax,
    OpenLines,
    Perfect,
    Random,
    RuleBased,
    Strategy,
    make,
)


def results(
    strategy: Strategy, mark: Mark, weigh: Callable[[int], Fraction], rules: Rules | None = None
) -> tuple[Fraction, ...]:
    """Win, draw and loss of `strategy` as `mark` against every move of an opponent's.

    Each choice, of the opponent among the legal cells and of the strategy among its own, counts
    as `weigh` of the number of cells: 1/n for chances, 1 to count games.
    """
    known: dict[Position, tuple[Fraction, ...]] = {}

    def walk(position: Position) -> tuple[Fraction, ...]:
        outcome = position.outcome()
        if outcome is not None:
            ends = (mark, None, mark.other)
            return tuple(Fraction(outcome.winner is end) for end in ends)
        if position not in known:
            mine = position.turn is mark
            cells = strategy.think(position).cells if mine else position.legal_moves
            below = [walk(position.play(cell)) for cell in cells]
            known[position] = tuple(
                weigh(len(cells)) * sum(column) for column in zip(*below, strict=True)
            )
        return known[position]

    return walk(Position.start(rules) if rules else Position.start())


def chance(choices: int) -> Fraction:
    return Fraction(1, choices)


def count(_choices: int) -> Fraction:
    return Fraction(1)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("strategy", "mark", "chances", "games"),
    [
        (Random(), Mark.X, "737/1260 8/63 121/420", (131184, 46080, 77904)),
        (Random(), Mark.O, "121/420 8/63 737/1260", (77904, 46080, 131184)),
        (RuleBased(), Mark.X, "553/576 23/576 0", (344, 64, 0)),
        (RuleBased(), Mark.O, "2404/2835 397/2835 34/2835", (976, 464, 32)),
        (Minimax(), Mark.X, "75257/77760 2503/77760 0", (7056, 3584, 0)),
        (Minimax(), Mark.O, "2645/3402 757/3402 0", (2528, 3584, 0)),
        (BruteForce(), Mark.X, "41/48 7/48 0", (272, 56, 0)),
        (BruteForce(), Mark.O, "254/315 68/945 23/189", (650, 68, 107)),
        (OpenLines(), Mark.X, "83/84 1/84 0", (600, 56, 0)),
        (OpenLines(), Mark.O, "7844/8505 631/8505 2/567", (1440, 336, 32)),
        (Perfect(), Mark.X, "191/192 1/192 0", (9680, 16, 0)),
        (Perfect(), Mark.O, "866/945 79/945 0", (3264, 288, 0)),
    ],
)
def test_against_random_play(
    strategy: Strategy, mark: Mark, chances: str, games: tuple[int, ...]
) -> None:
    assert results(strategy, mark, chance) == tuple(map(Fraction, chances.split()))
    assert results(strategy, mark, count) == games


@pytest.mark.parametrize("mark", Mark)
@pytest.mark.parametrize("strategy", [Minimax(), Perfect()], ids=lambda one: one.name)
def test_never_loses(strategy: Strategy, mark: Mark) -> None:
    wins, draws, losses = results(strategy, mark, count)
    assert losses == 0
    assert wins > 0
    assert draws > 0


@pytest.mark.parametrize("mark", Mark)
def test_minimax_never_loses_with_gravity(mark: Mark) -> None:
    assert results(Minimax(), mark, count, Rules(gravity=True))[2] == 0


@pytest.mark.parametrize("mark", Mark)
def test_a_lower_level_can_be_beaten(mark: Mark) -> None:
    assert results(Minimax(4), mark, count)[2] > 0


def test_minimax_0_is_random() -> None:
    assert results(Minimax(0), Mark.O, chance) == results(Random(), Mark.O, chance)


SEEDS = json.loads(Path(__file__).with_name("seed_positions_3x3.json").read_bytes())


def test_no_worked_position_is_lost() -> None:
    assert len(SEEDS) == 23
    assert sum(seed["ours"] is not None for seed in SEEDS) == 15


@pytest.mark.parametrize(
    "seed",
    [seed for seed in SEEDS if seed["ours"]],
    ids=lambda seed: str(seed["id"]),
)
def test_worked_positions_of_the_tutorials(
    seed: dict[str, str | list[int]],
) -> None:
    name, moves, choices = seed["ours"], seed["moves_so_far"], seed["legal_choices"]
    assert isinstance(name, str)
    assert isinstance(moves, list)
    assert isinstance(choices, list)
    position = Position.after(moves)
    assert position.turn == seed["ai"]
    assert list(make(name).think(position).cells) == choices


@pytest.mark.parametrize(
    "seed",
    [seed for seed in SEEDS if seed["strategy"] in {"minimax", "depth"} and not seed["ours"]],
    ids=lambda seed: str(seed["id"]),
)
def test_minimax_differs_from_the_tutorials_on_purpose(
    seed: dict[str, str | list[int]],
) -> None:
    moves, choices = seed["moves_so_far"], seed["legal_choices"]
    assert isinstance(moves, list)
    assert isinstance(choices, list)
    thought = Minimax().think(Position.after(moves))
    if moves:
        # Theirs counts no depth, and lets a win at once go by for a later one.
        assert thought.reason == "win"
        assert not set(thought.cells) & set(choices)
    else:
        # Theirs takes one of equals; ours has them all.
        assert set(choices) < set(thought.cells)
