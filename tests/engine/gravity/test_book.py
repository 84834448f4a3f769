from importlib import import_module
from importlib.util import find_spec
from random import Random

import pytest

from ttt_engine import Position
from ttt_engine.gravity.learnt import MARKS, Book, book, key_of
from ttt_engine.outcome import sign
from ttt_engine.rules import FOUR_IN_A_ROW

needs_solver = pytest.mark.skipif(find_spec("bitbully") is None, reason="no extra `solver`")


def booked(random: Random, marks: int) -> tuple[list[int], Position]:
    """Moves to a position of the book with so many marks."""
    while True:
        moves, position = list[int](), Position.start(FOUR_IN_A_ROW)
        while position.ply < marks and position.legal_moves:
            moves.append(random.choice(position.legal_moves))
            position = position.play(moves[-1])
        own, other = position.sides
        if position.legal_moves and not FOUR_IN_A_ROW.lines.ends(own) & FOUR_IN_A_ROW.playable(
            own | other
        ):
            return moves, position


@needs_solver
@pytest.mark.parametrize("marks", MARKS)
def test_it_says_what_the_solver_says(marks: int) -> None:
    bitbully, random = import_module("bitbully"), Random(1)
    solver = bitbully.BitBully()
    for _ in range(200):
        moves, position = booked(random, marks)
        board = bitbully.Board([cell % FOUR_IN_A_ROW.columns for cell in moves])
        assert book(marks).value(*position.sides) == sign(solver.mtdf(board))


def test_a_side_with_two_threats_against_it_loses() -> None:
    # O has c6, d6 and e6, and both b6 and f6 are free.
    position = Position.after([35, 37, 28, 38, 41, 39, 34, 32], FOUR_IN_A_ROW)
    assert book(8).value(*position.sides) == -1


def test_mirror_images_have_one_key() -> None:
    left, right = (
        Position.after([35, 28, 36], FOUR_IN_A_ROW),
        Position.after([41, 34, 40], FOUR_IN_A_ROW),
    )
    assert key_of(*left.sides) == key_of(*right.sides)
    other = Position.after([35, 28, 37], FOUR_IN_A_ROW)
    assert key_of(*left.sides) != key_of(*other.sides)


def test_places_are_joined_to_a_value() -> None:
    assert Book(bytes(3), 0).value(1, 2) == 0
    # Each place holds the same code, and three times that is itself.
    assert Book(bytes([0b01010101] * 3), 0).value(1, 2) == 1
    assert Book(bytes([0b10101010] * 3), 0).value(1, 2) == -1


def test_a_book_survives_its_file() -> None:
    made = Book(bytes(range(48)), 7)
    assert Book.from_bytes(made.to_bytes()).to_bytes() == made.to_bytes()
    assert made.to_bytes()[:4] == b"\x07\0\0\0"
