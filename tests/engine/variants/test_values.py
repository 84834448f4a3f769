"""Facts about the variants, computed from their rules alone."""

from random import Random

import pytest

from ttt_engine import CellTaken, InvalidPosition, Mark, OtherBoard, OutOfBoard, Position, Rules
from ttt_engine.variant import variant_of
from ttt_engine.variants.vanishing import Moment, VanishingPosition


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


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("text", "first"),
    [("misere:3x3x3", 0), ("torus:3x3x3", 1), ("notakto:3x3x3", 1), ("notakto:4x4x4", -1)],
)
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


def test_sequences_of_moves_of_ultimate() -> None:
    positions = [Position.start(Rules.parse("ultimate"))]
    counts = []
    for _ in range(5):
        counts.append(sum(len(position.legal_moves) for position in positions))
        if len(counts) < 5:
            positions = [each.play(cell) for each in positions for cell in each.legal_moves]
    assert counts == [81, 720, 6_336, 55_080, 473_256]


Key = tuple[tuple[int, ...], tuple[int, ...]]


@pytest.mark.heavy
def test_vanishing_is_won_from_a_side_in_13_plies() -> None:
    start = Position.start(Rules.parse("vanishing:3x3x3"))
    after: dict[Key, list[Key]] = {}
    lost: dict[Key, int] = {}
    """Positions in which the side to move has lost already, or loses: in how many plies."""
    waiting = [start]
    while waiting:
        position = waiting.pop()
        assert isinstance(position, VanishingPosition)
        key = key_of(position)
        if key in after or key in lost:
            continue
        if (outcome := position.outcome()) is not None and outcome.reason == "line":
            lost[key] = 0
            continue
        # Without its history, so that no position counts as a repetition.
        position = VanishingPosition(
            position.rules, position.xs, position.os, position.turn, seen=FRESH
        )
        following = [position.play(cell) for cell in position.legal_moves]
        after[key] = [key_of(each) for each in following]
        waiting += following
    assert len(after) == 66_682
    won: dict[Key, int] = {}
    for plies in range(1, 99):
        found = False
        for key, following_keys in after.items():
            if key in won or key in lost:
                continue
            if any(lost.get(each, plies) < plies for each in following_keys):
                won[key], found = plies, True
            elif all(each in won and won[each] < plies for each in following_keys):
                lost[key], found = plies, True
        if not found:
            break
    assert won[(), ()] == 13
    first = {cell: key_of(start.play(cell)) for cell in range(9)}
    assert {cell for cell, key in first.items() if key in lost} == {1, 3, 5, 7}
    assert not any(key in won for key in first.values())


class Fresh(dict[Moment, int]):
    """A history in which no position came up more than once."""

    def __missing__(self, moment: Moment) -> int:
        return 1


FRESH = Fresh()


def key_of(position: Position) -> Key:
    """The marks in their order, those of the side to move first."""
    assert isinstance(position, VanishingPosition)
    both = position.xs, position.os
    return both if position.turn is Mark.X else (both[1], both[0])


def test_a_game_of_vanishing_ends_after_200_plies() -> None:
    random = Random(1)
    while True:
        position = Position.start(Rules.parse("vanishing:5x5x5"))
        while (outcome := position.outcome()) is None:
            position = position.play(random.choice(position.legal_moves))
        if outcome.reason == "long":
            break
    assert position.ply == 200
    assert outcome.winner is None


def test_a_board_of_vanishing_does_not_tell_the_order() -> None:
    rules = Rules.parse("vanishing:3x3x3")
    assert Position.parse("." * 9, rules) == Position.start(rules)
    with pytest.raises(InvalidPosition, match="oldest") as caught:
        Position.parse("X........", rules)
    assert caught.value.flaw == "order"


BOARDS: list[tuple[str, str, str | None]] = [
    ("notakto:3x3x3", "X..X.....", None),
    ("notakto:3x3x3", "X..", "size"),
    ("notakto:3x3x3", "O........", "letters"),
    ("notakto:3x3x3", "XXX...XXX", "line"),
    ("ultimate", "X" + "." * 80, None),
    ("ultimate", "XX" + "." * 79, "turns"),
    ("connect6", "X" + "." * 360, None),
    ("connect6", "XOO" + "." * 358, None),
    ("connect6", "XO" + "." * 359, None),
    ("connect6", "XX" + "." * 359, "turns"),
    ("connect6", "X" * 7 + "." * 5 + "O" * 7 + "." * 342, "line"),
    ("connect6", "O" * 6 + "." * 20 + "X" * 6 + "." + "X" + "." * 327, "line"),
    ("misere:3x3x3", "XXX.OO...", None),
    ("torus:3x3x3", "X.O.X....", None),
]


@pytest.mark.parametrize(("text", "board", "flaw"), BOARDS)
def test_boards(text: str, board: str, flaw: str | None) -> None:
    rules = Rules.parse(text)
    if flaw is None:
        position = Position.parse(board, rules)
        assert position.board == board
        assert position.ply == len(board.replace(".", ""))
        return
    with pytest.raises(InvalidPosition) as caught:
        Position.parse(board, rules)
    assert caught.value.flaw == flaw


def test_a_board_of_ultimate_lets_one_play_in_any_open_board() -> None:
    rules = Rules.parse("ultimate")
    random, played = Random(3), Position.start(rules)
    for _ in range(40):
        played = played.play(random.choice(played.legal_moves))
    parsed = Position.parse(played.board, rules)
    assert (parsed.boards, parsed.turn) == (played.boards, played.turn)
    assert set(parsed.legal_moves) >= set(played.legal_moves)


def test_play_does_not_go_on_after_a_line_of_ultimate() -> None:
    rules = Rules.parse("ultimate")
    top = "XXXXXXXXX" + "." * 18
    rest = ("O.O.O.O.O" + "." * 18) + "OOOO....." + "." * 18
    with pytest.raises(InvalidPosition) as caught:
        Position.parse(top + rest, rules)
    assert caught.value.flaw == "line"


@pytest.mark.parametrize(
    "text", ["ultimate", "connect6", "notakto:3x3x3", "vanishing:3x3x3", "cube:3", "torus:3x3x3"]
)
def test_moves_that_may_not_be_made(text: str) -> None:
    rules = Rules.parse(text)
    position = Position.start(rules).play(0)
    with pytest.raises(CellTaken):
        position.play(0)
    for cell in (-1, rules.cells, 2**64):
        with pytest.raises(OutOfBoard):
            position.play(cell)


def test_a_free_cell_of_another_small_board() -> None:
    with pytest.raises(OtherBoard):
        Position.after([0, 80], Rules.parse("ultimate"))


def test_a_game_of_vanishing_ends_in_time() -> None:
    position = Position.start(Rules.parse("vanishing:3x3x3"))
    most = variant_of("vanishing").most_plies(position.rules.size)
    chance = Random(5)
    while position.outcome() is None:
        position = position.play(chance.choice(position.legal_moves))
    assert position.ply <= most == 200
