from random import Random

import pytest

from ttt_engine import GridPosition, Position
from ttt_engine.bitboard import bitboard
from ttt_engine.gravity import learnt
from ttt_engine.gravity.learnt import PARTS, Judgement, Part, judgement, packed
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.strategies import Minimax
from ttt_engine.symmetry import symmetries

SIZE = sum(part.contents for part in PARTS)


def judge(judged: Judgement, position: Position) -> int:
    own, other = position.sides
    free = FOUR_IN_A_ROW.full ^ own ^ other
    ends = FOUR_IN_A_ROW.lines.ends
    return judged.judge(own, other, ends(own) & free, ends(other) & free)


def quiet(random: Random, plies: int) -> Position:
    """A position in which no side wins at once."""
    while True:
        position = Position.start(FOUR_IN_A_ROW)
        while position.legal_moves and position.ply < plies:
            position = position.play(random.choice(position.legal_moves))
        own, other = position.sides
        ends = FOUR_IN_A_ROW.lines.ends(own) | FOUR_IN_A_ROW.lines.ends(other)
        if position.legal_moves and not ends & FOUR_IN_A_ROW.playable(own | other):
            return position


def with_weight(part: Part, contents: int, weight: int) -> Judgement:
    weights = bytearray(SIZE)
    start = sum(each.contents for each in PARTS[: PARTS.index(part)])
    weights[start + contents] = weight & 0xFF
    return Judgement(bytes(weights), 3, 5)


def test_the_parts_and_their_images_cover_all_lines() -> None:
    images = [set(image.cells) for part in PARTS for image in (part, part.mirrored())]
    assert all(any(set(line) <= image for image in images) for line in FOUR_IN_A_ROW.lines.cells)
    assert len({frozenset(image) for image in images}) == 39


def test_contents_have_numbers() -> None:
    part = Part((35, 36, 37), 3)
    first, second = bitboard([35]), bitboard([37])
    assert part.number_of(first << FOUR_IN_A_ROW.cells | second) == 1 * 9 + 0 * 3 + 2
    assert part.contents == 27


def test_a_position_without_weights_is_worth_the_move() -> None:
    judged = Judgement(bytes(SIZE), 3, 5)
    assert judge(judged, Position.start(FOUR_IN_A_ROW)) == 3
    assert judge(judged, Position.after([38], FOUR_IN_A_ROW)) == 5


def test_a_weight_is_for_the_first_player_and_counts_in_the_mirror_too() -> None:
    part = next(part for part in PARTS if {28, 35} <= set(part.cells) and part.base == 3)
    judged = with_weight(part, part.number_of(1 << 35 + FOUR_IN_A_ROW.cells), -7)
    assert judge(judged, Position.after([35], FOUR_IN_A_ROW)) == 5 + 7
    assert judge(judged, Position.after([41], FOUR_IN_A_ROW)) == 5 + 7
    assert judge(judged, Position.after([35, 40], FOUR_IN_A_ROW)) == 3 - 7


def test_ends_count_in_their_columns() -> None:
    # X has d6 to f6 with f5 to d5 of O above; then X ends at c6 and g6 are blocked by marks.
    position = Position.after([36, 35, 37, 41, 29, 28, 38, 34], FOUR_IN_A_ROW)
    own, other = position.sides
    column = PARTS[-1]
    mark_and_end = column.number_of((own | 1 << 24) << FOUR_IN_A_ROW.cells | other)
    judged = with_weight(column, mark_and_end, 9)
    assert judged.judge(own, other, 1 << 24, 0) == 3 + 9
    assert judged.judge(own, other, 0, 0) == 3


def test_mirror_images_are_worth_the_same() -> None:
    random, (_, mirror) = Random(1), symmetries(FOUR_IN_A_ROW)
    for plies in range(8, 24):
        position = quiet(random, plies)
        x, o = (
            bitboard(mirror[cell] for cell in range(FOUR_IN_A_ROW.cells) if side >> cell & 1)
            for side in (position.x, position.o)
        )
        mirrored = GridPosition(FOUR_IN_A_ROW, x, o)
        assert judge(judgement(), position) == judge(judgement(), mirrored)


@pytest.mark.no_cover
def test_what_was_learnt_knows_who_is_ahead() -> None:
    random, right, decided = Random(2), 0, 0
    while decided < 20:
        position = quiet(random, 34)
        values = Minimax().think(position).values
        assert values is not None
        best = max(values.values())
        if best:
            decided += 1
            right += (judge(judgement(), position) > 0) == (best > 0)
    assert right >= 14


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learnt, "_MOST_CONTENTS", 2)
    judged, random = Judgement(bytes(SIZE), 0, 0), Random(3)
    for _ in range(9):
        assert judge(judged, quiet(random, 12)) == 0
    assert all(len(region) <= 2 for region in judged._marks + judged._upright)


def test_a_judgement_is_read_from_its_file() -> None:
    judged = Judgement.from_bytes(packed(bytes(SIZE), 3, -5))
    assert judge(judged, Position.start(FOUR_IN_A_ROW)) == 3
    assert judge(judged, Position.after([38], FOUR_IN_A_ROW)) == -5
