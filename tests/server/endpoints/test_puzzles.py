from datetime import date

import pytest

from ttt_engine import TIC_TAC_TOE, Rules
from ttt_engine.puzzles import Kind, daily, make_set
from ttt_server.ai.laboratory import PuzzleWish
from ttt_server.endpoints.studies import posed, read_day, read_set
from ttt_server.transport.responses import HttpError

TODAY = date(2026, 11, 26)
FALLING = Rules(7, 6, 4, gravity=True)


def test_a_day() -> None:
    assert read_day("", TODAY) == PuzzleWish(TODAY)
    assert read_day("date=2026-11-26", TODAY) == PuzzleWish(TODAY)
    assert read_day("date=2025-01-31", TODAY) == PuzzleWish(date(2025, 1, 31))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("date=2026-11-27", "a day to come"),
        ("date=", "write a date as"),
        ("date=26.11.2026", "write a date as"),
        ("date=20261126", "write a date as"),
        ("date=2026-02-30", "write a date as"),
        ("day=2026-11-26", "unknown fields"),
    ],
)
def test_no_such_day(query: str, words: str) -> None:
    with pytest.raises(HttpError, match=words) as caught:
        read_day(query, TODAY)
    assert caught.value.status == 400


def test_a_set() -> None:
    assert read_set("set=class-4b") == PuzzleWish(None, "class-4b", tuple(Kind), TIC_TAC_TOE, 6)
    wish = read_set("set=a&kinds=who_wins,win_in_two&rules=7x6x4g&count=10")
    assert wish == PuzzleWish(None, "a", (Kind.WIN_IN_TWO, Kind.WHO_WINS), FALLING, 10)
    assert read_set("set=a&rules=5x5x4").kinds == (Kind.WIN_IN_TWO,)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "name a set"),
        ("set=", "name a set"),
        ("set=Class%204B", "name a set"),
        (f"set={'a' * 25}", "name a set"),
        ("set=a&rules=2x2x2", "must be"),
        ("set=a&rules=19x19x5", "no puzzles on this board"),
        ("set=a&rules=5x5x4&kinds=who_wins", "on this board: win_in_two"),
        ("set=a&kinds=", "name each at most once"),
        ("set=a&kinds=who_wins,who_wins", "name each at most once"),
        ("set=a&kinds=chess", "name each at most once"),
        ("set=a&count=0", "1 to 10"),
        ("set=a&count=11", "1 to 10"),
        ("set=a&count=-1", "1 to 10"),
        ("set=a&seed=1", "unknown fields"),
    ],
)
def test_no_such_set(query: str, words: str) -> None:
    with pytest.raises(HttpError, match=words) as caught:
        read_set(query)
    assert caught.value.status == 400


def test_a_puzzle_is_told_with_its_answer() -> None:
    told = posed(daily(date(2026, 1, 4)))
    assert (told.kind, told.turn, told.cell, told.winner) == ("win_in_two", "X", 38, "X")
    assert (told.rules.columns, told.rules.gravity, len(told.board)) == (7, True, 42)
    made = make_set("b", [Kind.WHO_WINS], TIC_TAC_TOE, 10)
    assert {each.winner for each in map(posed, made)} == {"X", "O", None}


def test_a_puzzle_of_ultimate_tells_where_to_play() -> None:
    (puzzle,) = make_set("a", [Kind.WIN_IN_TWO], Rules.parse("ultimate"), 1)
    told = posed(puzzle)
    assert told.legal == puzzle.position.legal_moves
    assert told.boards == puzzle.position.boards
    assert read_set("set=a&rules=ultimate").kinds == (Kind.WIN_IN_TWO,)
