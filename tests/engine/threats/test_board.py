import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.threats import patterns
from ttt_engine.threats.board import ThreatBoard, ThreatState, threat_board_of
from ttt_engine.threats.patterns import FIELD

BOARDS = [Rules(7, 7, 5), Rules(9, 7, 4), Rules(3, 19, 5), Rules(15, 15, 5), Rules(8, 8, 8)]
BOARDS += [Rules(9, 9, 5, exact=True), Rules(7, 7, 3, exact=True)]


def after(moves: str, rules: Rules) -> ThreatState:
    cells = [rules.parse_cell(name) for name in moves.split()]
    return threat_board_of(rules).state(Position.after(cells, rules))


def names(cells: int, rules: Rules) -> str:
    return " ".join(sorted(rules.cell_name(cell) for cell in cells_of(cells)))


@pytest.mark.no_cover
@given(st.sampled_from(BOARDS), st.data())
def test_threats_are_what_they_promise(rules: Rules, data: st.DataObject) -> None:
    board = threat_board_of(rules)
    position = Position.start(rules)
    state = board.state(position)
    for _ in range(data.draw(st.integers(0, rules.cells - 1))):
        cell = data.draw(st.sampled_from(position.legal_moves))
        nearest = position.play(cell)
        if nearest.outcome() is not None:
            break
        position, state = nearest, board.place(state, cell)
    assert board.summed(state) == board.state(position)
    own, other = position.sides
    ends = rules.lines.ends
    mine, theirs = board.threats(state)
    assert mine.ends == ends(own) & ~other
    assert theirs.ends == ends(other) & ~own
    for cell in position.legal_moves:
        bit = 1 << cell
        left = ends(own | bit) & ~other & ~mine.ends
        if mine.doubles & bit and not mine.ends:
            assert left.bit_count() > 1
        if mine.fours & bit and not mine.ends:
            assert left
        if mine.threes & bit and not mine.ends & bit:
            again = board.passed(board.place(state, cell))
            assert board.threats(again)[0].doubles


def test_the_sides_change_places() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    state = after("h8 a1 i8 c1 j8", rules)
    mine, theirs = board.threats(state)
    assert not mine.fours
    assert names(theirs.doubles, rules) == "g8 k8"
    assert board.threats(board.passed(state)) == (theirs, mine)


def test_what_stops_a_three() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)

    def stops(moves: str) -> str:
        state = after(moves, rules)
        return names(board.breakers(state, board.threats(state)[1].doubles), rules)

    assert stops("h8 a1 i8 c1 j8") == "g8 k8"  # open at both sides by more than one
    assert stops("h8 f8 i8 c1 j8") == "g8 k8 l8"
    assert stops("h8 a1 i8 c1 k8") == "g8 j8 l8"
    assert stops("h8 a1 i8 c1 j8 e1 h9 g1 h10") == ""  # two threes at once


def test_fours_in_two_directions() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    mine, _ = board.threats(after("f8 e8 g8 a1 h8 o1 i9 i12 i10 a15 i11 o15", rules))
    assert "i8" in names(mine.doubles, rules).split()


def test_an_estimate() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    empty = after("", rules)
    assert board.estimate(empty) == board.estimate(board.passed(empty)) > 0  # to have the move
    ahead = after("h8 a1 i8 o1", rules)
    assert board.estimate(ahead) > board.estimate(empty) > 0 > board.estimate(board.passed(ahead))


def test_cells_where_lines_meet_are_worth_more_than_the_lines() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    meeting, apart = (
        after(f"h8 a1 i8 o1 {first} a15 {second} o15", rules)
        for first, second in (("k9", "k10"), ("d9", "d10"))
    )
    # X's lines come first, and those of O are the same.
    lines = (meeting.totals - apart.totals) & (1 << FIELD) - 1
    assert board.estimate(meeting) - board.estimate(apart) > 5 * lines > 0


def test_a_fork_of_the_side_to_move_is_worth_much() -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    fork = after("h8 g8 i8 o1 j8 a15 k9 o15 k10 a1", rules)  # k8 makes a four and a three
    none = after("h8 g8 i8 o1 j8 a15 n9 o15 n10 a1", rules)
    assert board.estimate(fork) - board.estimate(none) > 378
    assert board.estimate(board.passed(fork)) < board.estimate(board.passed(none))


def test_changes_are_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MOST_HELD", 3)
    monkeypatch.setattr("ttt_engine.threats.board._CHANGES", 0)
    rules = Rules(7, 7, 5)
    board = ThreatBoard(rules)
    moves = (24, 25, 17, 31, 10, 38, 26, 23)
    state = board.state(Position.start(rules))
    for cell in moves:
        state = board.place(state, cell)
        board.place(board.passed(state), 0)
    assert board.summed(state) == threat_board_of(rules).state(Position.after(moves, rules))


def test_only_tracks_on_which_a_line_fits() -> None:
    rules = Rules(19, 3, 19)
    board = threat_board_of(rules)
    moves = [cell for column in range(17) for cell in (column, 19 + column)]
    position = Position.after(moves, rules)
    mine, _ = board.threats(board.state(position))
    assert cells_of(mine.fours) == (17, 18)


def test_a_longer_row_need_not_win() -> None:
    rules = Rules(15, 15, 5, exact=True)
    board = threat_board_of(rules)
    state = after("b8 a1 c8 o1 d8 a15 e8 o15 g8 h1", rules)
    assert names(board.threats(state)[0].ends, rules) == "a8"
