"""Facts about the variants, computed from their rules alone."""

import pytest

from ttt_engine import Mark, Position, Rules


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("torus:3x3x3", 12),
        ("torus:4x4x4", 16),
        ("torus:5x5x4", 100),
        ("cube:3", 49),
        ("cube:4", 76),
    ],
)
def test_lines(text: str, lines: int) -> None:
    found = Rules.parse(text).lines
    assert len(found.cells) == len(set(found.masks)) == lines


def value(position: Position, known: dict[Position, int]) -> int:
    """Return 1, 0 or -1 for the side to move, with best play."""
    if (outcome := position.outcome()) is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner is position.turn else -1
    if position not in known:
        best = -1
        for cell in position.legal_moves:
            after = position.play(cell)
            worth = value(after, known)
            best = max(best, worth if after.turn is position.turn else -worth)
            if best == 1:
                break
        known[position] = best
    return known[position]


@pytest.mark.parametrize(("text", "first"), [("misere:3x3x3", 0), ("torus:3x3x3", 1)])
def test_perfect_play(text: str, first: int) -> None:
    assert value(Position.start(Rules.parse(text)), {}) == first


def test_the_first_player_wins_the_small_cube_from_its_centre() -> None:
    # Whoever has the centre makes one threat after another: each reply is forced.
    position = Position.start(Rules.parse("cube:3")).play(13)
    assert all(_wins_by_threats(position.play(reply)) for reply in position.legal_moves)


def _wins_by_threats(position: Position) -> bool:
    """Return whether the side to move wins when each of its moves must be answered."""
    own, other = position.sides
    ends = position.rules.lines.ends
    playable = set(position.legal_moves)

    def open_ends(marks: int) -> list[int]:
        found = ends(marks)
        return [cell for cell in playable if found >> cell & 1]

    if open_ends(own):
        return True
    forced = open_ends(other)
    if len(forced) > 1:
        return False
    for cell in forced or sorted(playable):
        after = position.play(cell)
        mine = ends(own | 1 << cell)
        threats = [each for each in after.legal_moves if mine >> each & 1]
        if len(threats) > 1 and not ends(other) & ~(1 << cell) & ~own:
            return True
        if len(threats) == 1 and _wins_by_threats(after.play(threats[0])):
            return True
    return False


def test_who_completes_a_line_loses_misere() -> None:
    outcome = Position.after([0, 3, 1, 4, 2], Rules.parse("misere:3x3x3")).outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.line, outcome.reason) == (Mark.O, (0, 1, 2), "line")


def test_a_line_of_a_torus_comes_back_on_the_other_side() -> None:
    # a2, b1, and from there over the top edge to c3.
    outcome = Position.after([3, 0, 1, 4, 8], Rules.parse("torus:3x3x3")).outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.line) == (Mark.X, (1, 3, 8))


def test_a_line_of_a_cube_runs_through_its_layers() -> None:
    outcome = Position.after([0, 1, 13, 2, 26], Rules.parse("cube:3")).outcome()
    assert outcome is not None
    assert outcome.line == (0, 13, 26)
