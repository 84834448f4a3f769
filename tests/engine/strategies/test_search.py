from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from ttt_engine import InvalidLevel, Position, Rules
from ttt_engine.search.proof import KeptProofs
from ttt_engine.search.result import SearchResult
from ttt_engine.strategies import Search, Strategy, Thought, make

SEVEN, NINE = Rules(7, 7, 5), Rules(9, 9, 5)
CONNECT_FOUR = Rules(7, 6, 4, gravity=True)


class Clock:
    """Goes on by a second at every look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks


@pytest.mark.parametrize(
    ("moves", "rules", "cells", "reason"),
    [
        ([0, 3, 1, 4], Rules(), (2,), "win"),
        ([0, 4, 1], Rules(), (2,), "block"),
        ([16, 9, 17, 10, 18, 11, 30, 12], SEVEN, (8, 13), "block"),
        ([16, 9, 17, 10, 18, 11, 19], SEVEN, (15, 20), "block"),
        ([40, 0, 41, 1, 42, 2, 43], NINE, (39, 44), "block"),
        ([40, 0, 41, 1, 42, 2, 43, 3], NINE, (39, 44), "win"),
        ([38, 37, 31, 30, 24, 23], CONNECT_FOUR, (17,), "win"),
        ([38, 37, 31, 30, 24], CONNECT_FOUR, (17,), "block"),
    ],
)
def test_wins_and_blocks_at_once(
    moves: list[int], rules: Rules, cells: tuple[int, ...], reason: str
) -> None:
    thought = Search(0).think(Position.after(moves, rules))
    assert (thought.cells, thought.reason) == (cells, reason)


@pytest.mark.parametrize(
    ("moves", "rules", "cells"),
    [
        ([23, 0, 24, 6, 25, 48], SEVEN, {22, 26}),  # an open four
        ([40, 0, 41, 8, 42, 72], NINE, {39, 43}),
        ([40, 0, 41, 8, 32, 72, 50, 7], NINE, set(range(81))),  # two open threes, or a four
        ([38, 35, 39, 36], CONNECT_FOUR, {37, 40}),  # three on the floor, open at both ends
    ],
)
def test_makes_double_threats(moves: list[int], rules: Rules, cells: set[int]) -> None:
    search = Search(3)
    position = Position.after(moves, rules)
    thought = search.think(position)
    assert set(thought.cells) <= cells
    for _ in range(3):  # and wins, whatever the answer
        position = position.play(search.think(position).cells[0])
        if position.outcome() is not None:
            return
        position = position.play(search.think(position).cells[0])
    raise AssertionError("no win")


def test_stops_a_double_threat() -> None:
    # Three in a row, open at both ends: any answer elsewhere, and the next move makes four.
    thought = Search(3).think(Position.after([23, 0, 24, 6, 25], SEVEN))
    assert set(thought.cells) <= {21, 22, 26, 27}


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "rules",
    [
        *("3x3x3", "3x3x3g", "4x4x4", "5x5x4", "3x19x3", "3x19x19", "19x3x4g", "6x6x5", "7x6x4g"),
        *("7x7x7", "9x9x5", "15x15x5", "19x19x5", "19x19x19", "19x19x5g", "19x19x10g"),
    ],
)
def test_legal_on_every_board(rules: str) -> None:
    random, search = Random(rules), Search(0)
    position = Position.start(Rules.parse(rules))
    assert search.plays(position.rules)
    for _ in range(15):
        if position.outcome() is not None:
            break
        cells = search.think(position).cells
        assert set(cells) <= set(position.legal_moves)
        # Its own moves, and any.
        choice = cells if random.random() < 0.5 else position.legal_moves
        position = position.play(random.choice(choice))


def test_plays_in_the_middle() -> None:
    assert Search(0).think(Position.start(Rules(19, 19, 5))).cells == (180,)
    assert Search(0).think(Position.start(CONNECT_FOUR)).cells == (38,)


def test_solved() -> None:
    assert Search(5).think(Position.start()) == Thought(
        tuple(range(9)), "depth 9, 0", dict.fromkeys(range(9), 0)
    )
    won = Search().search(Position.start(Rules(4, 4, 3)))
    assert won.value == 1
    assert won.reason == "depth 3, +1"


def test_a_block_takes_no_thought_but_a_search() -> None:
    position = Position.after([0, 4, 1])
    block = Search().think(position)
    assert (block.cells, block.reason) == ((2,), "block")
    assert block.values == dict.fromkeys((3, 5, 6, 7, 8), -1)
    lost = dict.fromkeys((3, 5, 6, 7, 8), -1)
    assert Search().search(position) == SearchResult(0, (2,), {2: 0, **lost}, "block")


def test_nothing_proven_no_values() -> None:
    assert Search(0).think(Position.start(NINE)).values is None


def test_the_same_thought_without_a_clock() -> None:
    position = Position.after([40, 30, 41], NINE)
    assert Search(3).think(position) == Search(3).think(position)


LONG_WIN = Position.after(
    [140, 154, 142, 128, 127, 139, 112, 97, 143, 124, 141, 144, 169, 155], Rules(15, 15, 5)
)
"""More than a thought of a thousand positions can prove, but two can."""


@pytest.mark.parametrize("think", [Search.think, Search.search])
def test_with_a_clock_it_goes_on_with_its_proofs(
    think: Callable[[Search, Position], Thought | SearchResult],
) -> None:
    search = Search(clock=Clock(), seconds=15)
    thoughts = [think(search, LONG_WIN) for _ in range(3)]
    assert [bool(thought.values) for thought in thoughts] == [False, False, True]


def test_with_a_clock_it_goes_on_with_given_proofs() -> None:
    proofs = KeptProofs()
    for _ in range(3):
        thought = Search(clock=Clock(), seconds=15, kept=proofs).think(LONG_WIN)
    assert thought.values


def test_without_a_clock_nothing_is_left_of_earlier_thoughts() -> None:
    search = Search(0, kept=KeptProofs())
    thoughts = [search.think(LONG_WIN) for _ in range(3)]
    assert thoughts == [Search(0).think(LONG_WIN)] * 3
    assert search.search(LONG_WIN) == Search(0).search(LONG_WIN)


def test_levels_take_twenty_milliseconds_to_two_seconds() -> None:
    seconds = [Search(level).seconds for level in range(10)]
    assert (seconds[0], seconds[9]) == (pytest.approx(0.02), pytest.approx(2))
    ratios = [high / low for low, high in pairwise(seconds)]
    assert ratios == [pytest.approx(100 ** (1 / 9))] * 9
    assert Search(seconds=7.5).seconds == 7.5


@pytest.mark.parametrize("level", [-1, 10])
def test_no_such_level(level: int) -> None:
    with pytest.raises(InvalidLevel):
        Search(level)


@pytest.mark.parametrize("rules", ["7x7x5", "19x19x5", "7x6x4g"])
def test_the_clock_ends_it(rules: str) -> None:
    clock = Clock()
    position = Position.start(Rules.parse(rules))
    thought = Search(3, clock=clock, seconds=50).think(position)
    # One to begin with, and one that says it is time, a little before its end.
    assert clock.looks == 50
    assert set(thought.cells) <= set(position.legal_moves)
    assert thought.reason.startswith("depth ")


def test_a_slow_clock_is_a_long_time() -> None:
    deep = Search(clock=Clock(), seconds=200).think(Position.start(CONNECT_FOUR))
    shallow = Search(clock=Clock(), seconds=10).think(Position.start(CONNECT_FOUR))
    assert int(deep.reason.split()[1]) > int(shallow.reason.split()[1])


def test_time_that_is_over_before_it_begins() -> None:
    position = Position.after([180], Rules(19, 19, 5))
    thought = Search(clock=Clock(), seconds=0).think(position)
    assert set(thought.cells) <= set(position.legal_moves)


def test_made_by_name_with_its_parts() -> None:
    made = make("search", 4, clock=Clock(), seconds=0.5, memory="none of its business")
    assert isinstance(made, Strategy)
    assert isinstance(made, Search)
    assert (made.level, made.seconds) == (4, 0.5)
