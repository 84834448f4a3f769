import pytest

from ttt_engine import (
    TIC_TAC_TOE,
    CannotPlay,
    GameOver,
    InvalidLevel,
    InvalidThought,
    Position,
    Rules,
)
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
from ttt_engine.strategy import require_level

OURS: list[Strategy] = [Random(), RuleBased(), Minimax(), BruteForce(), OpenLines(), Perfect()]
OURS += [Search(2), Learner()]


def test_a_thought() -> None:
    thought = Thought((1, 4), "block", {1: 0, 4: 0})
    assert thought == Thought((1, 4), "block", {1: 0, 4: 0})
    assert hash(thought) == hash(Thought((1, 4), "block"))
    assert Thought((1,), "win").values is None


@pytest.mark.parametrize("cells", [(), (4, 1), (1, 1), [1, 4]])
def test_no_thought(cells: tuple[int, ...]) -> None:
    with pytest.raises(InvalidThought, match="must be a tuple of cells, in ascending order"):
        Thought(cells, "win")


@pytest.mark.parametrize("level", [-1, 10, 2**64])
def test_no_level(level: int) -> None:
    with pytest.raises(InvalidLevel, match="0 to 9"):
        require_level(level)


@pytest.mark.parametrize("strategy", OURS, ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("moves", [[0, 3, 1, 4, 2], [0, 1, 2, 4, 3, 5, 7, 6, 8]])
def test_nothing_to_think_about(strategy: Strategy, moves: list[int]) -> None:
    with pytest.raises(GameOver):
        strategy.think(Position.after(moves))


def test_a_board_it_does_not_play() -> None:
    with pytest.raises(CannotPlay, match="rules does not play 4x3x3"):
        RuleBased().think(Position.start(Rules(4, 3, 3)))


@pytest.mark.parametrize("strategy", OURS, ids=lambda strategy: strategy.name)
def test_the_same_position_the_same_thought(strategy: Strategy) -> None:
    assert strategy.plays(TIC_TAC_TOE)
    for moves in ([], [4], [0, 4, 8]):
        position = Position.after(moves)
        thought = strategy.think(position)
        assert thought == strategy.think(position)
        assert set(thought.cells) <= set(position.legal_moves)


class Last(Random):
    """Wants to know the moves."""

    def think_after(self, position: Position, moves: tuple[int, ...]) -> Thought:
        return Thought(position.legal_moves[-1:], f"after {moves}")


def test_who_wants_to_know_the_moves_is_told_them() -> None:
    position = Position.after((4, 0))
    assert consult(Last(), position, (4, 0)) == Thought((8,), "after (4, 0)")
    assert consult(Last(), position) == Random().think(position), "they are not known"
    assert consult(Random(), position, (4, 0)) == Random().think(position)
