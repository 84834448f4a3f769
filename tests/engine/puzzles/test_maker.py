from collections import Counter
from datetime import date, timedelta

import pytest

from ttt_engine import Mark, Position, Rules, canonical
from ttt_engine.puzzles import BOARDS, MOST_IN_SET, Kind, daily, make_set

FALLING = Rules(7, 6, 4, gravity=True)


@pytest.mark.parametrize(
    ("day", "kind", "position", "cell", "winner"),
    [
        (date(2026, 1, 2), Kind.WHO_WINS, Position.parse(".OX.OX.X."), None, None),
        (date(2026, 1, 3), Kind.WHO_WINS, Position.parse(".X..O..XO"), None, Mark.O),
        (
            date(2026, 1, 4),
            Kind.WIN_IN_TWO,
            Position.parse("...........................O..O...X.XX...O", FALLING),
            38,
            Mark.X,
        ),
    ],
)
def test_a_day_has_its_puzzle_on_every_server(
    day: date, kind: Kind, position: Position, cell: int | None, winner: Mark | None
) -> None:
    puzzle = daily(day)
    assert (puzzle.kind, puzzle.position, puzzle.cell) == (kind, position, cell)
    assert puzzle.winner is winner


@pytest.mark.no_cover
def test_days_differ() -> None:
    puzzles = [daily(date(2026, 3, 1) + timedelta(days)) for days in range(40)]
    assert {puzzle.kind for puzzle in puzzles} == set(Kind)
    assert {puzzle.position.rules for puzzle in puzzles} >= set(BOARDS[Kind.WHO_WINS])
    assert len({puzzle.position for puzzle in puzzles}) > 35


def test_a_set_asks_its_kinds_in_turn_and_nothing_twice() -> None:
    kinds = (Kind.WIN_IN_TWO, Kind.ONLY_MOVE)
    puzzles = make_set("class-4b", kinds, Rules(), MOST_IN_SET)
    assert [puzzle.kind for puzzle in puzzles] == [*kinds] * 5
    assert len({(puzzle.kind, canonical(puzzle.position)) for puzzle in puzzles}) == MOST_IN_SET
    assert make_set("class-4b", kinds, Rules(), MOST_IN_SET) == puzzles
    assert make_set("class-4c", kinds, Rules(), MOST_IN_SET) != puzzles


def test_a_short_set_begins_a_long_one() -> None:
    assert (
        make_set("a", [Kind.WHO_WINS], FALLING, 2) == make_set("a", [Kind.WHO_WINS], FALLING, 4)[:2]
    )


@pytest.mark.no_cover
@pytest.mark.parametrize("rules", BOARDS[Kind.WHO_WINS], ids=str)
def test_each_answer_to_who_wins_is_about_as_frequent(rules: Rules) -> None:
    puzzles = [puzzle for name in "abcd" for puzzle in make_set(name, [Kind.WHO_WINS], rules, 6)]
    answers = Counter(puzzle.winner for puzzle in puzzles)
    assert min(answers[each] for each in (Mark.X, Mark.O, None)) >= 3


def test_the_smallest_board_is_turned() -> None:
    puzzles = [
        puzzle for name in "abc" for puzzle in make_set(name, [Kind.WIN_IN_TWO], Rules(), 10)
    ]
    assert any(puzzle.position != canonical(puzzle.position) for puzzle in puzzles)


def test_the_puzzle_of_a_day_is_of_the_plain_game() -> None:
    days = (daily(date(2026, 1, day)) for day in range(1, 28))
    assert {puzzle.position.rules.variant for puzzle in days} == {None}


def test_a_puzzle_of_ultimate_is_told_by_its_board() -> None:
    ultimate = Rules.parse("ultimate")
    for puzzle in make_set("nine", [Kind.WIN_IN_TWO], ultimate, 5):
        assert Position.parse(puzzle.position.board, ultimate) == puzzle.position
