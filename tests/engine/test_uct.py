"""The tree of games: its proofs, its counts, and what it asks of a game."""

from random import Random

import pytest

from ttt_engine import Mark, Position, Rules
from ttt_engine.outcome import Value
from ttt_engine.strategies import Minimax
from ttt_engine.strategies.mcts import Node, PlayoutTree


def grown(position: Position, playouts: int) -> PlayoutTree:
    tree = PlayoutTree(position, Random(1))
    for _ in range(playouts):
        if tree.is_decided:
            break
        tree.grow()
    return tree


def exact(position: Position) -> Value:
    (value, *_) = sorted((Minimax().think(position).values or {}).values(), reverse=True)
    return 1 if value > 0 else -1 if value < 0 else 0


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("XX.OO....", 1),  # at once
        ("X...O...X", 0),  # O must take a side
        ("XO..X....", -1),  # nothing stops X
        ("X..O.....", 1),  # X forks
        ("XOXXOOO.X", 0),  # a single cell is left
    ],
)
def test_it_proves_the_value_of_a_position(board: str, value: Value) -> None:
    tree = grown(Position.parse(board), 20_000)
    assert tree.is_decided
    assert tree.root.proven == value or len(tree.root.position.legal_moves) == 1
    assert tree.root.worth == value


def test_what_it_proves_is_so() -> None:
    random = Random(3)
    proven = 0
    for _ in range(60):
        position = Position.start()
        while position.outcome() is None:
            tree = grown(position, 40)
            for node in [tree.root, *tree.root.children]:
                if node.proven is not None and node.position.outcome() is None:
                    sign = 1 if node.mover is node.turn else -1
                    assert node.proven == sign * exact(node.position)
                    proven += 1
            position = position.play(random.choice(position.legal_moves))
    assert proven > 500


def test_each_game_counts_once_at_every_node() -> None:
    tree = grown(Position.start(Rules(4, 4, 4)), 300)
    assert tree.root.visits == 300
    nodes = [tree.root]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        assert 0 <= node.points <= node.visits
        assert sum(child.visits for child in node.children) <= node.visits


def test_the_most_visited_moves_are_its_best() -> None:
    tree = grown(Position.start(Rules(4, 4, 4)), 300)
    visits = {child.cell: child.visits for child in tree.root.children}
    assert {visits[cell] for cell in tree.best()} == {max(visits.values())}
    assert tree.expected() >= 2


def test_what_nobody_visited_is_worth_nothing_yet() -> None:
    assert Node(Position.start(), Mark.X, -1).worth == 0


class Count:
    """A game of two players who take turns to add: nobody has called it a board.

    Each names a number from 0 to 2, and who brings the sum to 6 or more wins.
    """

    def __init__(self, total: int, turn: Mark) -> None:
        self.total, self.turn = total, turn

    @property
    def legal_moves(self) -> tuple[int, ...]:
        return (0, 1, 2)

    def play(self, number: int) -> "Count":
        return Count(self.total + 1 + number, self.turn.other)

    def outcome(self) -> "Count | None":
        return self if self.total >= 6 else None

    @property
    def winner(self) -> Mark:
        return self.turn.other

    def playout(self, random: Random) -> Mark | None:
        end = self
        while end.outcome() is None:
            end = end.play(random.choice(end.legal_moves))
        return end.winner


@pytest.mark.parametrize(("total", "best"), [(5, (0, 1, 2)), (3, (2,)), (1, (0,)), (0, (1,))])
def test_it_plays_any_game(total: int, best: tuple[int, ...]) -> None:
    tree = grown(Count(total, Mark.O), 500)  # type: ignore[arg-type]
    assert (tree.root.proven, tree.best()) == (1, best)


class Forced(Count):
    """The same, where only one number is left."""

    @property
    def legal_moves(self) -> tuple[int, ...]:
        return (0,)


def test_a_single_move_takes_no_game() -> None:
    tree = PlayoutTree(Forced(0, Mark.X), Random(1))  # type: ignore[arg-type]
    assert tree.is_decided
    assert (tree.best(), tree.expected()) == ((0,), 0)
