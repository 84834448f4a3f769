import pytest

from tests.bench.forced_wins import RULES, answers
from tests.engine.threats.checker import NotWonError, check_win
from ttt_engine import Position, Rules
from ttt_engine.search import proof as proofs
from ttt_engine.search import search
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.proof import KeptProofs, Nodes, Proof, ProofNode
from ttt_engine.search.wide_tree import WideRounds
from ttt_engine.threats.board import threat_board_of

PLENTY = 10**6
THOUSAND = 1000

LONG_WIN = 140, 154, 142, 128, 127, 139, 112, 97, 143, 124, 141, 144, 169, 155
"""13 plies: more than a thousand positions can prove, but two thousand can."""

THREES = "h8 a1 i8 o1 j9 a15 j10 o15"


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
        (THREES, 5, "j8"),  # two threes
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


def test_too_many_nodes_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    board = threat_board_of(RULES)
    nodes: Nodes = {}
    monkeypatch.setattr(proofs, "MOST_NODES", 100)
    with pytest.raises(Exhausted):
        Proof(board, Budget(PLENTY), nodes).prove(board.state(Position.after(LONG_WIN, RULES)))
    assert nodes == {}


def after(moves: str, rules: Rules = RULES) -> Position:
    return Position.after(cells(moves), rules)


def filled(moves: str) -> tuple[KeptProofs, tuple[Nodes, Nodes]]:
    """What a thought about the win of two threes keeps, and its tables."""
    position, kept = after(moves), KeptProofs()
    own, other = kept.tables(position)
    board = threat_board_of(RULES)
    state = board.state(position)
    Proof(board, Budget(PLENTY), own).prove(state)
    Proof(board, Budget(PLENTY), other).prove(board.passed(state))
    return kept, (dict(own), dict(other))


def test_a_win_is_proven_in_two_thoughts() -> None:
    position, kept = Position.after(LONG_WIN, RULES), KeptProofs()
    values = [search(position, Budget(900), kept=kept).value for _ in range(2)]
    assert values == [None, 1]
    assert search(position, Budget(900)).value is None


def test_so_is_a_win_of_the_other_side() -> None:
    passed, kept = Position.after((*LONG_WIN, 0), RULES), KeptProofs()  # O moves, and X wins
    cell = passed.legal_moves[0]
    thoughts = (WideRounds(passed, Budget(8 * THOUSAND), kept=kept) for _ in range(2))
    assert [thought._holds(cell) for thought in thoughts] == [True, False]


def test_the_nodes_with_all_marks_are_kept() -> None:
    kept, (own, other) = filled(THREES)
    assert other
    later = after(f"{THREES} j8 h10")
    marks = later.x | later.o
    reached = {key: node for key, node in own.items() if (key[0] | key[1]) & marks == marks}
    assert 0 < len(reached) < len(own)
    assert kept.tables(later) == (reached, {})


@pytest.mark.parametrize("moves", [THREES, "h8 a1 i8 o1 j9 a15"])
def test_the_same_position_keeps_all_and_so_does_one_taken_back(moves: str) -> None:
    kept, tables = filled(THREES)
    assert kept.tables(after(moves)) == tables


@pytest.mark.parametrize(
    ("moves", "rules"),
    [
        ("g9 a2 i9 o2 j7 a14 j11 o14", RULES),  # another game
        (f"{THREES} g8", RULES),  # the other side
        (THREES, Rules(15, 15, 5, exact=True)),
    ],
)
def test_nothing_is_kept_for_another_game_or_side(moves: str, rules: Rules) -> None:
    kept, _ = filled(THREES)
    assert kept.tables(after(moves, rules)) == ({}, {})
    assert kept.tables(after(THREES)) == ({}, {})
