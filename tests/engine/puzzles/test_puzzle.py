from functools import cache

import pytest

from ttt_engine import Mark, Position, Rules
from ttt_engine.puzzles import BOARDS, Kind, Puzzle, make_set, pose


@cache
def value(position: Position) -> int:
    """What a position is worth for the side to move, by playing out everything."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    return max(-value(position.play(cell)) for cell in position.legal_moves)


def wins_at_once(position: Position) -> bool:
    after = map(position.play, position.legal_moves)
    outcomes = (each.outcome() for each in after)
    return any(outcome is not None and outcome.winner is not None for outcome in outcomes)


def wins_in_two(position: Position, cell: int) -> bool:
    after = position.play(cell)
    if after.outcome() is not None or wins_at_once(after):
        return False
    answers = [after.play(answer) for answer in after.legal_moves]
    return all(each.outcome() is None and wins_at_once(each) for each in answers)


def check(puzzle: Puzzle) -> None:
    """Hold a puzzle to the rules alone: it has the answer that it says, and no other."""
    position = puzzle.position
    assert not wins_at_once(position)
    match puzzle.kind:
        case Kind.WIN_IN_TWO:
            found = [cell for cell in position.legal_moves if wins_in_two(position, cell)]
            assert (found, puzzle.winner) == ([puzzle.cell], position.turn)
        case Kind.ONLY_MOVE:
            worth = {cell: -value(position.play(cell)) for cell in position.legal_moves}
            assert len(worth) >= 3
            assert [cell for cell in worth if worth[cell] == 0] == [puzzle.cell]
            assert max(worth.values()) == 0
            assert puzzle.winner is None
        case Kind.WHO_WINS:
            worth_it = {1: position.turn, 0: None, -1: position.turn.other}[value(position)]
            assert (puzzle.cell, puzzle.winner) == (None, worth_it)


def all_positions() -> list[Position]:
    seen: dict[Position, None] = {}
    unread = [Position.start()]
    while unread:
        position = unread.pop()
        if position not in seen and position.outcome() is None:
            seen[position] = None
            unread += map(position.play, position.legal_moves)
    return list(seen)


def test_on_the_smallest_board_each_question_has_the_one_answer() -> None:
    positions = all_positions()
    posed = {
        kind: [each for each in (pose(kind, position) for position in positions) if each]
        for kind in Kind
    }
    for puzzles in posed.values():
        for puzzle in puzzles:
            check(puzzle)
    assert {kind.value: len(puzzles) for kind, puzzles in posed.items()} == {
        "win_in_two": 288,
        "only_move": 472,
        "who_wins": 2162,
    }


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("kind", "rules"), [(kind, rules) for kind in Kind for rules in BOARDS[kind]], ids=str
)
def test_what_is_made_has_one_answer(kind: Kind, rules: Rules) -> None:
    many = [puzzle for name in "abc" for puzzle in make_set(name, [kind], rules, 4)]
    for puzzle in many:
        assert (puzzle.kind, puzzle.position.rules) == (kind, rules)
        check(puzzle)
    value.cache_clear()


@pytest.mark.parametrize("kind", Kind)
def test_a_win_at_once_is_no_puzzle(kind: Kind) -> None:
    assert pose(kind, Position.after([0, 3, 1, 4])) is None


def test_a_win_in_two_stops_what_the_other_side_threatens() -> None:
    puzzle = pose(Kind.WIN_IN_TWO, Position.parse("..X..OXOX"))
    assert puzzle is not None
    assert (puzzle.cell, puzzle.winner) == (4, Mark.O)


@pytest.mark.parametrize("board", [".....OXOX", "O.OXXOXOX", "........."])
def test_two_wins_in_two_or_none_are_no_puzzle(board: str) -> None:
    assert pose(Kind.WIN_IN_TWO, Position.parse(board)) is None


def test_a_long_game_is_not_solved() -> None:
    assert pose(Kind.ONLY_MOVE, Position.start(Rules(4, 4, 4))) is None
    assert pose(Kind.WHO_WINS, Position.start(Rules(7, 6, 4, gravity=True))) is None


def test_a_choice_between_two_is_no_question_for_one() -> None:
    assert pose(Kind.ONLY_MOVE, Position.parse(".X.OXOXOX")) is None


@pytest.mark.parametrize("kind", [Kind.ONLY_MOVE, Kind.WHO_WINS])
def test_of_a_variant_only_a_win_in_two_is_asked(kind: Kind) -> None:
    assert pose(kind, Position.start(Rules.parse("ultimate"))) is None
