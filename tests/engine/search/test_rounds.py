from random import Random

import pytest

from ttt_engine import Position, Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.result import tree_of
from ttt_engine.search.tree import Rounds

PLENTY = 10**9


def rounds(position: Position, budget: int) -> Rounds:
    search = Rounds(position, Budget(budget))
    search.run()
    return search


def test_there_is_a_cell_before_the_first_round() -> None:
    search = rounds(Position.start(), 0)
    assert (search.best, search.depth, search.value, search.values) == (4, 1, None, {})


@pytest.mark.no_cover
def test_a_round_cut_short_counts_for_what_it_found() -> None:
    deeper = [
        rounds(Position.start(Rules(5, 5, 4)), budget).depth for budget in range(0, 9000, 500)
    ]
    assert deeper == sorted(deeper)
    assert deeper[0] == 1
    assert deeper[-1] > 3


def test_rounds_without_anything_to_look_at_come_to_an_end_too() -> None:
    # So full of both marks that a glance at each cell tells all, however deep the round.
    random = Random(1)
    position = Position.start(Rules(11, 11, 11))
    for _ in range(60):
        position = position.play(random.choice(position.legal_moves))
    assert rounds(position, 1000).depth < 20


def test_a_cell_that_is_known_to_lose_is_no_choice_where_the_end_is_out_of_reach() -> None:
    rules = Rules(5, 5, 4, gravity=True)
    position = Position.after([23, 22, 20, 24, 19, 15, 14, 18], rules)
    search = Rounds(position, Budget(2000), tree_of(position, None))
    search.run()
    assert (search.value, search.values) == (None, {13: -1})
    assert sorted(cell for cell, _ in search._order) == [9, 10, 17, 21]


def test_on_a_large_torus_the_cells_with_the_best_lines_are_tried() -> None:
    rules = Rules.parse("torus:15x15x5")
    # Three in a row over the edge, open on both sides, which O must stop.
    position = Position.after([0, 100, 14, 140, 1], rules)
    search = rounds(position, 6_000)
    assert search.value is None
    assert search.best in {2, 3, 12, 13}
    assert len(search._order) == 64
