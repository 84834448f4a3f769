from collections.abc import Mapping

from ttt_client.model.study import AnalysedMove, Analysis
from ttt_client.text.study import analysis_lines
from ttt_protocol.state import Mark, Rules

FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)


def move(
    ply: int,
    cell: int,
    worth: int | None,
    values: Mapping[int, int | None],
    *,
    is_mistake: bool = False,
) -> AnalysedMove:
    seat = (Mark.X, Mark.O)[ply % 2]
    return AnalysedMove(ply, seat, cell, worth, values, is_mistake)


def lines(*moves: AnalysedMove, thrown_away_at: int | None = None) -> list[str]:
    return list(analysis_lines(Analysis(moves, thrown_away_at, Mark.O), FOUR))


def test_what_is_not_known() -> None:
    verdict = "no move is known to have given anything away; move 7: a2 loses; b6, e6, f6 not known"
    assert lines(
        move(4, 21, None, {}),
        move(5, 14, None, {14: None, 25: -1, 24: -1}),
        move(6, 7, -1, {7: -1, 36: None, 39: None, 40: None, 3: -1}),
        move(7, 39, 1, {39: 1, 36: None}),
    ) == [
        "what the moves were worth:",
        "6. O a3 is not known; e4, d4 lose",
        "7. X a2 loses; b6, e6, f6 not known",
        "8. O e6 wins; b6 not known",
        f"{verdict}; moves before 7 could not be worked out",
    ]


def test_a_mistake() -> None:
    mistake = move(0, 35, -1, {35: -1, 36: 0, 37: 1, 38: 1}, is_mistake=True)
    assert lines(mistake, thrown_away_at=0) == [
        "what the moves were worth:",
        "1. X a6 loses, a mistake; c6, d6 win; b6 draws",
        "X threw it away with move 1, a6",
    ]


def test_other_verdicts() -> None:
    assert lines()[-1] == "no move was made"
    assert lines(move(0, 35, None, {}))[1:] == ["this board is too large to be solved"]
    assert lines(move(0, 35, 0, {35: 0, 36: 0}))[-1] == "no move gave anything away"


def test_many_cells() -> None:
    cells = dict.fromkeys(range(11))
    (_, line, _) = lines(move(1, 35, 1, {35: 1, **cells}))
    assert line == "2. O a6 wins; a1, b1, c1, d1, e1, f1, g1, a2 and 3 more not known"
