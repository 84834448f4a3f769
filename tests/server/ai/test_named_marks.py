from dataclasses import replace
from typing import Any

import pytest

from ttt_engine import Position, Rules
from ttt_protocol.state import Ai
from ttt_server.ai.runner import NamedMarks

GOMOKU = Rules(15, 15, 5)
START = Position.start(GOMOKU)
ENGINE = Ai(name="engine", strategy="engine", level=None)


@pytest.fixture
def named() -> NamedMarks:
    return NamedMarks()


def test_each_mark_is_known_after_those_before_it(named: NamedMarks) -> None:
    named.add(ENGINE, START, (), [112, 113, 40])
    plies = (), (112,), (112, 113), (112, 113, 40)
    assert [named.after(ENGINE, GOMOKU, moves) for moves in plies] == [112, 113, 40, None]
    assert named.after(ENGINE, GOMOKU, (113,)) is None
    assert named.after(ENGINE, Rules(19, 19, 5), ()) is None
    assert named.after(replace(ENGINE, level=1), GOMOKU, ()) is None
    assert named.after(replace(ENGINE, strategy="other"), GOMOKU, ()) is None


def test_later_marks_take_the_place_of_earlier_ones(named: NamedMarks) -> None:
    named.add(ENGINE, START, (), [112, 113])
    named.add(ENGINE, START, (), [112, 40])
    assert named.after(ENGINE, GOMOKU, (112,)) == 40


@pytest.mark.parametrize("marks", [None, "1", [True], [225], [-1], ["1"], []])
def test_what_is_no_mark(named: NamedMarks, marks: Any) -> None:
    named.add(ENGINE, START, (), marks)
    assert named.after(ENGINE, GOMOKU, ()) is None


def test_marks_before_one_that_may_not_be_placed(named: NamedMarks) -> None:
    named.add(ENGINE, START, (), [112, 112, 113])
    assert named.after(ENGINE, GOMOKU, ()) == 112
    assert named.after(ENGINE, GOMOKU, (112,)) is None


def test_no_mark_follows_the_end_of_the_game(named: NamedMarks) -> None:
    moves = 0, 3, 1, 4
    rules = Rules()
    named.add(ENGINE, Position.after(moves, rules), moves, [2, 5])
    assert named.after(ENGINE, rules, moves) == 2
    assert named.after(ENGINE, rules, (*moves, 2)) is None


def test_the_oldest_marks_are_forgotten(named: NamedMarks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttt_server.ai.runner.MOST_NAMED", 2)
    named.add(ENGINE, START, (), [112, 113, 40])
    assert named.after(ENGINE, GOMOKU, ()) is None
    assert named.after(ENGINE, GOMOKU, (112,)) == 113
