from ttt_engine import Position, Rules
from ttt_engine.strategies import Random, Thought


def test_every_legal_cell() -> None:
    assert Random().think(Position.after([4, 0])) == Thought((1, 2, 3, 5, 6, 7, 8), "random")


def test_on_any_board() -> None:
    rules = Rules(7, 6, 4, gravity=True)
    assert Random().plays(rules)
    assert Random().think(Position.start(rules)).cells == tuple(range(35, 42))
