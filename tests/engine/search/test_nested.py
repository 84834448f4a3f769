from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search import nested
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.negamax import LIMIT, WON, Found
from ttt_engine.search.nested import FREE_CHOICE, NestedBoard, NestedTree
from ttt_engine.search.result import search, see_at_once
from ttt_engine.tracing.steps import Abandon, DepthFinished, NodeEntered, NodeLeft, Step
from ttt_engine.variants.ultimate import CELLS, WHOLE, UltimatePosition

PLENTY = 10**9
RULES = Rules.parse("ultimate")
BOARD = NestedBoard(RULES)


def after(position: Position, cell: int) -> UltimatePosition:
    played = position.play(cell)
    assert isinstance(played, UltimatePosition)
    return played


def start() -> UltimatePosition:
    return UltimatePosition(RULES)


def random_position(random: Random, least: int, most: int) -> UltimatePosition:
    """A position in which the game goes on, with so many cells that may still be played."""
    while True:
        position = start()
        while position.legal_moves:
            if least <= left_of(position) <= most:
                return position
            position = after(position, random.choice(position.legal_moves))


def left_of(position: UltimatePosition) -> int:
    """The free cells of the small boards that are still open."""
    taken = position.xs | position.os
    return sum(
        not taken >> bit & 1 and not position.shut >> bit // 9 & 1 for bit in range(RULES.cells)
    )


def wins_at_once(position: UltimatePosition) -> bool:
    ends = (position.play(cell).outcome() for cell in position.legal_moves)
    return any(end is not None and end.winner is not None for end in ends)


def look(position: UltimatePosition, depth: int, low: int = -LIMIT, high: int = LIMIT) -> Found:
    return NestedTree(BOARD, Budget(PLENTY)).look(BOARD.state(position), depth, low, high)


def plain(position: UltimatePosition, depth: int) -> int:
    """The same without bounds, an order or a memory."""
    left, moves = RULES.cells - position.ply - 1, position.legal_moves
    if wins_at_once(position):
        return WON + left
    values = []
    for cell in moves:
        then = after(position, cell)
        if then.outcome() is not None:
            values.append(0)
        elif len(moves) == 1 or depth > 1:
            values.append(-plain(then, depth - (len(moves) > 1)))
        elif wins_at_once(then):
            values.append(1 - WON - left)
        else:
            judged = -NestedTree(BOARD, Budget(1)).judge(BOARD.state(then))
            has_choice = position.shut >> CELLS.index(cell) % 9 & 1
            values.append(judged - FREE_CHOICE * has_choice)
    return max(values)


@pytest.mark.parametrize("seed", range(12))
def test_a_search_with_bounds_finds_what_a_plain_one_does(seed: int) -> None:
    position = random_position(Random(seed), 4, 50)
    for depth in range(1, 4):
        exact = plain(position, depth)
        assert look(position, depth).value == exact
        for low, high in ((exact - 1, exact), (exact, exact + 1), (-5, 5)):
            value = look(position, depth, low, high).value
            assert value >= exact if value <= low else True
            assert value <= exact if value >= high else True
            assert value == exact if low < exact < high else True


def value_of(position: UltimatePosition, known: dict[UltimatePosition, int]) -> int:
    """The value with best play, by trying everything."""
    if position not in known:
        outcome, best = position.outcome(), -1
        if outcome is not None:
            best = -1 if outcome.winner is not None else 0
        for cell in position.legal_moves:
            best = max(best, -value_of(after(position, cell), known))
        known[position] = best
    return known[position]


@pytest.mark.parametrize("seed", range(15))
def test_a_search_to_the_end_knows_the_value(seed: int) -> None:
    position, known = random_position(Random(seed), 1, 10), dict[UltimatePosition, int]()
    result = search(position, Budget(PLENTY))
    assert result.value == value_of(position, known)
    assert result.value == sign(result.value)
    for cell, value in result.values.items():
        assert value == -value_of(after(position, cell), known)
    for cell in result.cells:
        assert result.value == -value_of(after(position, cell), known)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_plain_at_once(seed: int) -> None:
    position = random_position(Random(seed), 1, 5)
    found, legal = see_at_once(position), position.legal_moves
    if wins_at_once(position):
        assert found is not None
        assert (found.value, found.reason) == (1, "win")
        assert all(position.play(cell).outcome() is not None for cell in found.cells)
    elif len(legal) == 1:
        is_last = position.play(legal[0]).outcome() is not None
        assert found is not None
        assert (found.reason, found.value) == (("draw", 0) if is_last else ("free choice", None))
    else:
        assert found is None


def test_it_looks_deeper_with_a_larger_budget() -> None:
    shallow, deep = (search(start(), Budget(budget)) for budget in (300, 6000))
    assert shallow.value is deep.value is None
    assert int(deep.reason.split()[1]) > int(shallow.reason.split()[1])


def test_a_game_whose_boards_are_all_shut_is_drawn() -> None:
    shut = BOARD.state(start())._replace(shut=WHOLE)
    assert NestedTree(BOARD, Budget(1)).look(shut, 1, -LIMIT, LIMIT) == Found(0, proven=True)


def test_a_judgement_adds_the_large_lines() -> None:
    tree = NestedTree(BOARD, Budget(1))
    assert tree.judge(BOARD.state(start())) == 0
    # X has the middle of the middle board, and O moves.
    assert tree.judge(BOARD.state(after(start(), 40))) < 0


def test_it_tells_of_the_cells_at_its_root() -> None:
    position, steps = random_position(Random(1), 6, 9), list[Step]()
    assert see_at_once(position) is None
    result = search(position, Budget(PLENTY), steps.append)
    assert result == search(position, Budget(PLENTY))
    entered = [step.cell for step in steps if isinstance(step, NodeEntered)]
    assert set(entered) <= set(position.legal_moves)
    left = [step for step in steps if isinstance(step, NodeLeft)]
    assert len(left) == len(entered)
    assert {step.result for step in left} & {1, 0, -1}
    assert isinstance(steps[-1], DepthFinished)
    with_little = list[Step]()
    search(start(), Budget(300), with_little.append)
    assert isinstance(with_little[-1], Abandon)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    position = random_position(Random(1), 30, 40)
    found = look(position, 4)
    monkeypatch.setattr(nested, "MOST_KNOWN", 10)
    assert look(position, 4) == found


def test_a_budget_ends_it() -> None:
    tree = NestedTree(BOARD, Budget(10))
    with pytest.raises(Exhausted):
        tree.look(BOARD.state(start()), 9, -LIMIT, LIMIT)
