import os
from collections.abc import Iterator
from random import Random as Chance

import pytest

from ttt_engine import TIC_TAC_TOE, CannotPlay, GameOver, Position, Rules
from ttt_engine.learning.memory import Lesson, Memory
from ttt_engine.strategies import (
    BruteForce,
    Learner,
    Minimax,
    OpenLines,
    Perfect,
    Random,
    RuleBased,
    Search,
    Strategy,
    Thought,
    consult,
)
from ttt_engine.tracing.steps import (
    Abandon,
    CellScored,
    Cut,
    Decided,
    DepthFinished,
    LeftOut,
    NodeEntered,
    NodeLeft,
    Remember,
    Rule,
    Step,
    TableHit,
)
from ttt_engine.tracing.trace import ThinksAloud, trace

BOARDS = [TIC_TAC_TOE, Rules(3, 3, 3, gravity=True), Rules(4, 3, 3), Rules(4, 4, 4), Rules(7, 6, 4)]
BOARDS += [Rules(7, 6, 4, gravity=True), Rules(5, 5, 4, gravity=True), Rules(9, 9, 5)]

POSITIONS = int(os.environ.get("TTT_TRACED", "60"))
"""The random positions of the suite; by hand 10 000."""


def learned() -> Memory:
    memory = Memory()
    chance = Chance(1)
    for _ in range(200):
        position = Position.start()
        moves: list[int] = []
        while position.outcome() is None:
            moves.append(chance.choice(position.legal_moves))
            position = position.play(moves[-1])
        outcome = position.outcome()
        assert outcome is not None
        memory.learn(Lesson.of(tuple(moves), outcome.winner))
    return memory


STRATEGIES: list[Strategy] = [
    Random(),
    RuleBased(),
    OpenLines(),
    Perfect(),
    Learner(learned()),
    BruteForce(),
    *(Minimax(level) for level in (3, 7, 9)),
    Search(0, seconds=0.005),
    Search(0, seconds=0.05),
]


def games(chance: Chance) -> Iterator[tuple[Position, tuple[int, ...]]]:
    """Random positions in which the game goes on, and the moves that led there."""
    while True:
        rules = chance.choice(BOARDS)
        moves: list[int] = []
        position = Position.start(rules)
        for _ in range(chance.randrange(rules.cells)):
            after = position.play(chance.choice(position.legal_moves))
            if after.outcome() is not None:
                break
            moves.append((after.x | after.o) ^ (position.x | position.o))
            position = after
        yield position, tuple(bit.bit_length() - 1 for bit in moves)


def decided(steps: list[Step]) -> Thought:
    last = steps[-1]
    assert isinstance(last, Decided)
    return last.thought


def test_a_trace_ends_in_the_thought_of_the_strategy() -> None:
    chance = Chance(33)
    for (position, moves), _ in zip(games(chance), range(POSITIONS), strict=False):
        for strategy in STRATEGIES:
            if strategy.plays(position.rules) and not is_slow(strategy, position):
                known = chance.choice((None, moves))
                steps = list(trace(position, strategy, 10**9, known))
                assert decided(steps) == consult(strategy, position, known)
                check_nesting(position, steps)


def is_slow(strategy: Strategy, position: Position) -> bool:
    """Whether a trace from an empty table takes too long for a suite."""
    empty = position.rules.cells - position.ply
    return isinstance(strategy, BruteForce | Minimax) and 7 < empty <= 12


def check_nesting(position: Position, steps: list[Step]) -> None:
    """Each node is a legal move at its place, and is left before those above it."""
    path = [position]
    for step in steps:
        match step:
            case NodeEntered(cell=cell):
                path.append(path[-1].play(cell))
            case NodeLeft() | Abandon():
                path.pop()
            case Cut(cells=cells):
                assert set(cells) <= set(path[-1].legal_moves)
            case _:
                pass
    assert path == [position]


def test_to_think_aloud_to_no_listener_is_to_think() -> None:
    for strategy in STRATEGIES:
        assert isinstance(strategy, ThinksAloud)
        position = Position.after((0, 4))
        assert strategy.think_aloud(position, None) == strategy.think(position)


def test_the_rules_that_do_not_fit_come_before_the_one_that_does() -> None:
    steps = list(trace(Position.after((0, 4, 8)), RuleBased()))
    rules = [Rule("win", ()), Rule("block", ()), Rule("centre", ()), Rule("corner", (2, 6))]
    assert steps == [*rules, Decided(Thought((2, 6), "corner"))]
    assert list(trace(Position.after((0, 4, 1)), RuleBased()))[:2] == [
        Rule("win", ()),
        Rule("block", (2,)),
    ]


def test_a_line_is_cut_off_and_a_position_is_found_in_the_table() -> None:
    position = Position.after((0, 4))
    for strategy in (Minimax(), Search(5)):
        kinds = {type(step) for step in trace(position, strategy)}
        assert {NodeEntered, NodeLeft, TableHit, Cut, Decided} <= kinds
    bounds = [step for step in trace(position, Search(5)) if isinstance(step, Cut)]
    assert all(step.high is not None for step in bounds)


def test_brute_force_adds_up_all_games() -> None:
    position = Position.after((0, 4, 8, 2, 6))
    steps = list(trace(position, BruteForce()))
    own = dict(top(steps))
    assert own == decided(steps).values


def top(steps: list[Step]) -> Iterator[tuple[int, float]]:
    """The cells of the position itself, and their values."""
    path: list[int] = []
    for step in steps:
        if isinstance(step, NodeEntered):
            path.append(step.cell)
        elif isinstance(step, NodeLeft):
            cell = path.pop()
            if not path:
                yield cell, step.value


def test_the_search_tells_each_round() -> None:
    steps = list(trace(Position.start(Rules(7, 6, 4, gravity=True)), Search(0)))
    rounds = [step for step in steps if isinstance(step, DepthFinished)]
    assert [step.depth for step in rounds] == list(range(1, len(rounds) + 1))
    assert Abandon() in steps
    assert decided(steps).reason == f"depth {rounds[-1].depth}"


def test_the_learner_tells_what_it_remembers() -> None:
    steps = list(trace(Position.start(), Learner(learned())))
    remembered = [step for step in steps if isinstance(step, Remember)]
    assert [step.cell for step in remembered] == list(range(9))
    assert {step.sequence for step in remembered} == {(0,), (1,), (4,)}
    empty = list(trace(Position.after((0, 4, 8)), Learner()))
    assert [step.rule for step in empty if isinstance(step, Rule)] == ["win", "block", "random"]


def test_scores_of_cells() -> None:
    for strategy in (OpenLines(), Perfect()):
        steps = list(trace(Position.after((0, 4)), strategy))
        scores = {step.cell: step.value for step in steps if isinstance(step, CellScored)}
        assert scores == decided(steps).values


def test_minimax_at_a_low_level_says_why_it_plays_at_random() -> None:
    assert list(trace(Position.start(), Minimax(3)))[:2] == [
        Rule("look to the end", ()),
        Rule("random", tuple(range(9))),
    ]


def test_a_limit_leaves_steps_out_but_not_the_decision() -> None:
    position = Position.after((0, 4))
    whole = list(trace(position, Minimax()))
    assert len(whole) > 100
    part = list(trace(position, Minimax(), 10))
    assert part == [*whole[:10], LeftOut(len(whole) - 11), whole[-1]]


def test_a_plug_in_has_its_decision_alone() -> None:
    class First:
        name = "first"

        def plays(self, _rules: Rules) -> bool:
            return True

        def think(self, position: Position) -> Thought:
            return Thought(position.legal_moves[:1], "first")

    assert list(trace(Position.start(), First())) == [Decided(Thought((0,), "first"))]


def test_no_trace_where_the_strategy_cannot_think() -> None:
    with pytest.raises(CannotPlay):
        next(trace(Position.start(Rules(4, 4, 4)), RuleBased()))
    with pytest.raises(GameOver):
        next(trace(Position.after((0, 3, 1, 4, 2)), Minimax()))
