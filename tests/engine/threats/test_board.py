import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_engine import Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.threats import patterns
from ttt_engine.threats.board import ThreatBoard, ThreatState, threat_board_of
from ttt_engine.threats.patterns import FIELD, KINDS, POINT, Patterns

BOARDS = [Rules(7, 7, 5), Rules(9, 7, 4), Rules(3, 19, 5), Rules(15, 15, 5), Rules(8, 8, 8)]
BOARDS += [Rules(9, 9, 5, exact=True), Rules(7, 7, 3, exact=True)]


def after(moves: str, rules: Rules) -> ThreatState:
    cells = [rules.parse_cell(name) for name in moves.split()]
    return threat_board_of(rules).state(Position.after(cells, rules))


def tracks(rules: Rules) -> Iterator[tuple[int, list[int]]]:
    """Every row, column and diagonal of at least one cell, with the number of its direction."""
    for direction, (down, right) in enumerate([(0, 1), (1, 0), (1, 1), (1, -1)]):
        for row in range(rules.rows):
            for column in range(rules.columns):
                if row >= down and 0 <= column - right < rules.columns:
                    continue
                steps = range(max(rules.rows, rules.columns))
                places = [(row + step * down, column + step * right) for step in steps]
                yield (
                    direction,
                    [
                        row * rules.columns + column
                        for row, column in places
                        if row < rules.rows and 0 <= column < rules.columns
                    ],
                )


def from_scratch(rules: Rules, x: int, o: int) -> tuple[tuple[int, ...], int, int]:
    """The kinds, totals and points of a state, added up stretch by stretch."""
    patterns = Patterns(rules.in_a_row, exact=rules.exact)
    kinds, totals, points = [0] * 4, 0, 0
    for direction, cells in tracks(rules):
        drawing = "".join("X" if x >> at & 1 else "O" if o >> at & 1 else "." for at in cells)
        for second, (own, other) in enumerate([("X", "O"), ("O", "X")]):
            for stretch in re.finditer(f"[^{other}]{{{rules.in_a_row},}}", drawing):
                marks = sum(1 << at for at, mark in enumerate(stretch[0]) if mark == own)
                pattern = patterns.of(len(stretch[0]), marks)
                totals += (pattern.worth + (pattern.open << 2 * FIELD)) << second * FIELD
                for index, cell in enumerate(cells[stretch.start() : stretch.end()]):
                    for kind, found in enumerate(pattern[:KINDS]):
                        place = (2 * kind + second) * rules.cells + cell
                        kinds[direction] |= (found >> index & 1) << place
                    many, fewer = pattern.points[index], pattern.points[index] * 7 // 8
                    both = (fewer, many) if second else (many, fewer)
                    points += both[0] << POINT * cell
                    points += both[1] << POINT * (rules.cells + cell)
    return tuple(kinds), totals, points


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
    content = state.kinds, state.totals, board.summed(state).points
    assert content == from_scratch(rules, position.x, position.o)
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


@pytest.mark.parametrize(
    ("moves", "forks"),
    [
        ("", 0),
        ("h8 a1 i8 o1 k9", 0),
        ("h8 g8 i8 o1 j8 a15 k9 o15 k10 a1", 378),  # for X, k8 makes a four and a three
        ("o1 h8 g8 i8 o15 j8 a15 k9 a1 k10", -40),  # the same for O
    ],
)
def test_an_estimate_is_of_lines_cells_and_forks(moves: str, forks: int) -> None:
    rules = Rules(15, 15, 5)
    board = threat_board_of(rules)
    state = after(moves, rules)
    x, o = state.totals & (1 << FIELD) - 1, state.totals >> FIELD & (1 << FIELD) - 1
    mine, theirs = board.points(state), board.points(board.passed(state))
    hot, their_hot = (sum(max(0, each - 10) for each in points) for points in (mine, theirs))
    lines = o - x if state.second else x - o
    assert board.estimate(state) == 205 + lines + 13 * hot - 11 * their_hot + forks


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
