from ttt_engine import Position, Rules
from ttt_engine.strategies import Minimax
from ttt_engine.tracing.node_counts import NodeCounts, node_counts


def test_from_the_empty_board() -> None:
    counts = node_counts(Position.start())
    assert counts.minimax == 549_946  # 255 168 games and the positions on the way to them
    assert counts.alpha_beta == 18_297
    assert counts.alpha_beta_table == 616
    assert counts.value == 0


def test_the_value_is_that_of_full_search() -> None:
    for moves in ((0,), (0, 1), (0, 4, 8), (4, 1, 0), (0, 4, 8, 2, 6), (1, 4, 3, 8, 0)):
        position = Position.after(moves)
        thought = Minimax().think(position)
        assert thought.values is not None
        best = max(thought.values.values())
        assert node_counts(position).value == (best > 0) - (best < 0)


def test_where_the_game_is_over() -> None:
    assert node_counts(Position.after((0, 3, 1, 4, 2))) == NodeCounts(1, 1, 1, -1)


def test_too_many_to_count() -> None:
    unknown = NodeCounts(None, None, None, None)
    assert node_counts(Position.start(Rules(4, 3, 3)), 1000) == unknown
    assert node_counts(Position.start(Rules(5, 5, 4))) == unknown
    assert node_counts(Position.start(), 5478).alpha_beta is None
