from ttt_engine import Position, Rules
from ttt_engine.search.budget import Budget
from ttt_engine.search.rounds import Rounds

PLENTY = 10**9


def rounds(position: Position, budget: int) -> Rounds:
    search = Rounds(position, Budget(budget))
    search.run()
    return search


def test_there_is_a_cell_before_the_first_round() -> None:
    search = rounds(Position.start(), 0)
    assert (search.best, search.depth, search.value, search.values) == (4, 1, None, {})


def test_a_round_cut_short_counts_for_what_it_found() -> None:
    deeper = [
        rounds(Position.start(Rules(5, 5, 4)), budget).depth for budget in range(0, 9000, 500)
    ]
    assert deeper == sorted(deeper)
    assert deeper[0] == 1
    assert deeper[-1] > 3
