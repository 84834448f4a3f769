"""Our strategies in the variants: legal moves, known values, and who beats whom."""

from random import Random

import pytest

from ttt_engine import CannotPlay, Position, Rules
from ttt_engine.evaluation import evaluate
from ttt_engine.strategies import (
    OWN_NAMES,
    Guard,
    Mcts,
    Minimax,
    Perfect,
    RuleBased,
    Strategy,
    can_play,
    make,
)
from ttt_engine.strategies.perfect import solver_of, vanishing_table
from ttt_engine.tracing.steps import CellScored, NodeEntered, NodeLeft, Rule, Step, TableHit

VARIANTS = [
    "misere:3x3x3",
    "misere:7x6x4g",
    "torus:3x3x3",
    "torus:5x5x4",
    "cube:3",
    "notakto:3x3x3",
    "notakto:4x4x4",
    "vanishing:3x3x3",
    "vanishing:5x5x4",
    "ultimate",
]
SOLVED = {
    "misere:3x3x3": 0,
    "torus:3x3x3": 1,
    "notakto:3x3x3": 1,
    "notakto:4x4x4": -1,
    "vanishing:3x3x3": 1,
}
"""The value for the first player, both sides playing perfectly."""


def begun(text: str, *cells: int) -> Position:
    return Position.after(cells, Rules.parse(text))


def play_on(strategy: Strategy, position: Position, random: Random) -> None:
    """Let a strategy play some moves of both sides, after a random one."""
    position = position.play(random.choice(position.legal_moves))
    for _ in range(24):
        if position.outcome() is not None:
            return
        thought = strategy.think(position)
        assert set(thought.cells) <= set(position.legal_moves)
        position = position.play(random.choice(thought.cells))


@pytest.mark.no_cover
@pytest.mark.parametrize("text", VARIANTS)
@pytest.mark.parametrize("name", sorted(OWN_NAMES))
def test_who_plays_a_variant_never_makes_an_illegal_move(name: str, text: str) -> None:
    level = {"level": 0} if name in {"mcts", "search"} else {}
    strategy = make(name, **level)
    if not can_play(strategy, Rules.parse(text)):
        with pytest.raises(CannotPlay):
            strategy.think(begun(text))
        return
    play_on(strategy, begun(text), Random(1))
    play_on(strategy, begun(text), Random(2))


@pytest.mark.parametrize(("text", "value"), SOLVED.items())
def test_perfect_knows_the_value_of_the_first_position(text: str, value: int) -> None:
    values = Perfect().think(begun(text)).values or {}
    best = max(values.values())
    assert (best > 0) - (best < 0) == value
    evaluated = evaluate(begun(text), 0.0, lambda: 0.0)
    assert evaluated.value == value
    assert None not in evaluated.values.values()


@pytest.mark.parametrize("text", SOLVED)
def test_perfect_never_loses_what_it_holds(text: str) -> None:
    random, held = Random(2), SOLVED[text]
    for name in ("random", "guard", "rules"):
        other, position = make(name), begun(text)
        while (outcome := position.outcome()) is None:
            is_perfect = (position.turn == "X") is (held >= 0)
            cells = (Perfect() if is_perfect else other).think(position).cells
            position = position.play(random.choice(cells))
        winner = None if outcome.winner is None else outcome.winner.value
        assert winner in ({"X"} if held > 0 else {"O"} if held < 0 else {"X", None})


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["misere:3x3x3", "torus:3x3x3"])
def test_perfect_and_minimax_agree(text: str) -> None:
    random = Random(3)
    for _ in range(6):
        position = begun(text)
        while position.outcome() is None:
            assert Perfect().think(position).cells == Minimax(9).think(position).cells
            position = position.play(random.choice(position.legal_moves))


def test_the_positions_of_vanishing_that_can_be_reached() -> None:
    """They are 66 682, and X wins in 13 plies from a side alone: centre and corners draw."""
    table = vanishing_table()
    assert len(table) == 66_682
    assert table[(), ()] == 13
    first = [table[(), (cell,)] for cell in range(9)]
    assert first == [0, 12, 0, 12, 0, 12, 0, 12, 0]


def test_vanishing_is_won_in_thirteen_plies() -> None:
    position = begun("vanishing:3x3x3")
    while position.outcome() is None:
        position = position.play(Perfect().think(position).cells[0])
    assert position.ply == 13


def test_vanishing_counts_a_draw_by_repetition() -> None:
    position = begun("vanishing:3x3x3", 4)
    while (outcome := position.outcome()) is None:
        thought = Perfect().think(position)
        assert max((thought.values or {}).values()) == 0
        position = position.play(thought.cells[0])
    assert (outcome.winner, outcome.reason) == (None, "repetition")


def test_only_small_boards_are_solved() -> None:
    for text in ("vanishing:4x4x3", "notakto:5x5x4", "misere:4x4x4", "torus:4x4x4", "cube:3"):
        assert solver_of(Rules.parse(text)) is None
        assert not can_play(Perfect(), Rules.parse(text))
    assert not can_play(Perfect(), Rules(gravity=True))


def test_minimax_is_exact_once_few_cells_are_left() -> None:
    assert Minimax(3).think(begun("cube:3")).reason == "random"
    position = begun("misere:3x3x3", 4, 0, 8, 1)
    thought = Minimax(9).think(position)
    assert thought.reason.startswith("depth 5")
    assert max((thought.values or {}).values()) < 9


def test_minimax_tells_its_nodes_in_a_variant() -> None:
    told: list[Step] = []
    position = begun("misere:3x3x3", 4, 0, 8, 1, 3)
    thought = Minimax(9).think_aloud(position, told.append)
    entered = [step for step in told if isinstance(step, NodeEntered)]
    left = [step for step in told if isinstance(step, NodeLeft)]
    assert len(entered) == len(left) > 4
    assert [step for step in told if isinstance(step, TableHit)]
    assert thought == Minimax(9).think(position)


def test_perfect_tells_its_scores_in_a_variant() -> None:
    told: list[Step] = []
    thought = Perfect().think_aloud(begun("torus:3x3x3", 4), told.append)
    assert [step for step in told if isinstance(step, CellScored)]
    assert told[-1] == Rule("book", thought.cells)


def test_guard_blocks_a_line_over_the_edge() -> None:
    thought = Guard().think(begun("torus:3x3x3", 0, 1, 5))
    assert (thought.cells, thought.reason) == ((7,), "block")


def test_guard_does_not_complete_a_line_that_loses() -> None:
    thought = Guard().think(begun("misere:3x3x3", 0, 4, 1, 5))
    assert (thought.cells, thought.reason) == ((3, 6, 7, 8), "avoid")


def test_rules_in_a_variant_force_avoid_and_prefer_open_lines() -> None:
    told: list[Step] = []
    assert RuleBased().think_aloud(begun("cube:3"), told.append).cells == (13,)
    assert told[-1] == Rule("open lines", (13,))
    avoided = RuleBased().think(begun("misere:3x3x3", 0, 4, 1, 5))
    assert (avoided.cells, avoided.reason) == ((3, 6, 7, 8), "avoid")
    free = RuleBased().think(begun("misere:3x3x3"))
    assert (free.cells, free.reason) == (tuple(range(9)), "free choice")
    assert RuleBased().think(begun("torus:3x3x3", 0, 4, 1, 6)).reason == "win"


def test_rules_force_a_side_that_can_only_lose() -> None:
    random = Random(5)
    forced = 0
    for _ in range(200):
        position = begun("misere:3x3x3")
        while position.outcome() is None:
            thought = RuleBased().think(position)
            if thought.reason == "force":
                forced += 1
                after = position.play(thought.cells[0])
                ends = [after.play(cell).outcome() for cell in after.legal_moves]
                assert all(end is not None and end.winner is position.turn for end in ends)
            position = position.play(random.choice(thought.cells))
    assert forced


def test_hints_of_a_large_variant_say_what_they_know() -> None:
    looks = iter(range(10**6))
    evaluated = evaluate(begun("cube:3", 0, 1, 13), 40, lambda: float(next(looks)))
    assert evaluated.best == (26,)
    assert set(evaluated.values) == set(begun("cube:3", 0, 1, 13).legal_moves)


def test_guard_sees_the_line_of_small_boards_in_ultimate() -> None:
    random, seen = Random(3), 0
    for _ in range(40):
        position = begun("ultimate")
        while position.outcome() is None:
            ends = {
                cell: end.winner
                for cell in position.legal_moves
                if (end := position.play(cell).outcome()) is not None
            }
            if position.turn in ends.values():
                thought = Guard().think(position)
                assert thought.reason == "win"
                assert all(ends[cell] is position.turn for cell in thought.cells)
                seen += 1
            position = position.play(random.choice(position.legal_moves))
    assert seen > 10


@pytest.mark.parametrize(
    ("cells", "found", "reason"),
    [
        ((0, 100, 101, 1, 2, 102, 103, 3, 22), (98, 99, 104, 105), "win"),
        ((0, 100, 101, 1, 2, 102, 103), (99, 104), "block"),  # they stop most lines
        ((0, 100, 101, 1, 2, 102, 103, 99), (104, 105), "block"),
    ],
)
def test_guard_thinks_of_the_two_stones_of_a_turn(
    cells: tuple[int, ...], found: tuple[int, ...], reason: str
) -> None:
    thought = Guard().think(begun("connect6", *cells))
    assert (thought.cells, thought.reason) == (found, reason)


def test_all_play_connect6() -> None:
    strategies = [make(name) for name in ("guard", "rules", "minimax", "random")]
    for strategy in (*strategies, Mcts(playouts=4)):
        position = begun("connect6", 180, 181)
        assert set(strategy.think(position).cells) <= set(position.legal_moves)


@pytest.mark.parametrize("name", ["guard", "rules"])
def test_in_notakto_a_line_is_avoided(name: str) -> None:
    thought = make(name).think(begun("notakto:4x4x4", 0, 5, 10))
    assert thought.reason == "avoid"
    assert 15 not in thought.cells


def test_rules_extend_a_row_in_connect6() -> None:
    thought = RuleBased().think(begun("connect6", 180, 0, 18, 181, 182, 342, 360))
    assert thought.reason == "open lines"
    assert set(thought.cells) <= {178, 179, 183, 184}
