import pytest

from tests.bench.forced_wins import RULES, answers
from tests.engine.threats.checker import NotWonError, check_win
from ttt_engine import Position, Rules
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.proof import Proof, ProofNode
from ttt_engine.threats.board import threat_board_of

PLENTY = 10**6


def cells(moves: str) -> list[int]:
    return [RULES.parse_cell(name) for name in moves.split()]


def prove(moves: str, budget: int = PLENTY) -> tuple[Proof, ProofNode]:
    board = threat_board_of(RULES)
    proof = Proof(board, Budget(budget))
    return proof, proof.prove(board.state(Position.after(cells(moves), RULES)))


@pytest.mark.parametrize(
    ("moves", "plies", "first"),
    [
        ("h8 a1 i8 c1 j8 e1 k8 g1", 1, "g8"),
        ("h8 a1 i8 c1 j8 e1", 3, "g8"),
        ("h8 a1 i8 o1 j9 a15 j10 o15", 5, "j8"),  # two threes
        ("e8 h4 f8 h5 g8 h6 h3 h7", 3, "h8"),  # it blocks, and leaves two ends
    ],
)
def test_wins(moves: str, plies: int, first: str) -> None:
    proof, node = prove(moves)
    assert (node.proof, node.plies) == (0, plies)
    assert RULES.cell_name(proof.first(node)) == first


@pytest.mark.parametrize(
    "moves",
    [
        "",
        "h8 a1 i8 c1",
        "h8 a1 i8 b1 o15 c1 o13 d1",  # two ends of the other side at the edge and one to block
        "h8 a1 i8 b1 j8 c1 o15 d1",  # the one to block makes nothing
    ],
)
def test_no_win(moves: str) -> None:
    _, node = prove(moves)
    assert node.proof
    assert not node.disproof


def test_a_budget_ends_it() -> None:
    with pytest.raises(Exhausted):
        prove("h8 a1 i8 o1 j9 a15 j10 o15", 3)


def test_an_independent_walk_agrees() -> None:
    moves = cells("h8 a1 i8 o1 j9 a15 j10 o15")
    found = answers(moves, PLENTY)
    assert found is not None
    check_win(15, 5, moves, found[1])
    with pytest.raises(NotWonError):
        check_win(15, 5, moves[:2], found[1])


def test_on_other_boards_too() -> None:
    rules = Rules(9, 9, 4)
    board = threat_board_of(rules)
    node = Proof(board, Budget(PLENTY)).prove(board.state(Position.after([40, 0], rules)))
    assert not node.proof
