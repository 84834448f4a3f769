"""Whole games: what is known of 3x3 and of small boards, counted again with `Position`."""

from collections import Counter

import pytest

from ttt_engine import Mark, Position, Rules, canonical, canonical_cells


def reachable() -> list[list[Position]]:
    """Every position of 3x3, by ply."""
    plies = [[Position.start()]]
    while plies[-1]:
        plies.append(list(dict.fromkeys(p.play(cell) for p in plies[-1] for cell in p.legal_moves)))
    return plies[:-1]


PLIES = reachable()
POSITIONS = [position for ply in PLIES for position in ply]
FINAL = [position for position in POSITIONS if position.outcome()]


def test_positions() -> None:
    assert len(POSITIONS) == len(set(POSITIONS)) == 5478
    assert [len(ply) for ply in PLIES] == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert all(position.ply == ply for ply, found in enumerate(PLIES) for position in found)


def test_positions_up_to_symmetry() -> None:
    assert len({canonical(position) for position in POSITIONS}) == 765


def test_final_positions() -> None:
    assert len(FINAL) == 958
    assert len({canonical(position) for position in FINAL}) == 138
    by_winner = Counter(end.winner for position in FINAL if (end := position.outcome()))
    assert by_winner == {Mark.X: 626, Mark.O: 316, None: 16}


def test_a_ninth_move_may_win() -> None:
    ends = [position.outcome() for position in FINAL if position.ply == 9]
    assert sum(end is not None and end.winner is Mark.X for end in ends) == 62


def test_a_move_may_complete_two_lines() -> None:
    lines = [end.line for position in FINAL if (end := position.outcome()) and end.line]
    assert Counter(map(len, lines)) == {3: len(lines) - 22, 5: 22}


def test_every_position_there_and_back() -> None:
    for position in POSITIONS:
        assert Position.parse(position.board) == position


def test_perft() -> None:
    """Complete games, by length and by result, over every order of moves."""
    lengths: Counter[int] = Counter()
    winners: Counter[Mark | None] = Counter()
    ways = {PLIES[0][0]: 1}
    for ply in PLIES:
        for position in ply:
            outcome = position.outcome()
            if outcome is not None:
                lengths[position.ply] += ways[position]
                winners[outcome.winner] += ways[position]
            for cell in position.legal_moves:
                after = position.play(cell)
                ways[after] = ways.get(after, 0) + ways[position]
    assert lengths == {5: 1_440, 6: 5_328, 7: 47_952, 8: 72_576, 9: 127_872}
    assert winners == {Mark.X: 131_184, Mark.O: 77_904, None: 46_080}
    assert lengths.total() == 255_168


def test_canonical_games() -> None:
    def games(cells: tuple[int, ...], position: Position) -> int:
        # A prefix of a canonical game is canonical, so that the others need no look.
        if canonical_cells(cells, position.rules) != cells:
            return 0
        if position.outcome() is not None:
            return 1
        return sum(games((*cells, cell), position.play(cell)) for cell in position.legal_moves)

    assert games((), Position.start()) == 31_896


def value(position: Position, known: dict[Position, int]) -> int:
    """1, 0 or -1: what the side to move can force."""
    if position not in known:
        best = -1
        going_on = []
        for cell in position.legal_moves:
            after = position.play(cell)
            outcome = after.outcome()
            if outcome is None:
                going_on.append(after)
            else:
                best = max(best, 0 if outcome.winner is None else 1)
        for after in going_on:
            if best == 1:
                break
            best = max(best, -value(after, known))
        known[position] = best
    return known[position]


@pytest.mark.parametrize(
    ("rules", "first_player"),
    [
        ("3x3x3", 0),
        ("4x3x3", 1),
        ("4x4x3", 1),
        ("5x3x3", 1),
        ("3x3x3g", 0),
        ("4x3x3g", 1),
    ],
)
def test_small_boards(rules: str, first_player: int) -> None:
    assert value(Position.start(Rules.parse(rules)), {}) == first_player
