import json

import pytest

from ttt_client.model.study import AnalysedMove, Analysis, read_analysis
from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Mark


def told(winner: str | None = "O") -> dict[str, object]:
    values = {"8": None, "2": 0, "5": None}
    move = {"ply": 6, "seat": "X", "cell": 2, "worth": 0, "values": values, "mistake": False}
    events = [{"type": "started"}, {"type": "ended", "outcome": {"winner": winner}}]
    return {"analysis": [move], "thrown_away_at": None, "events": events}


def test_reading_one() -> None:
    analysis = read_analysis(json.dumps(told()).encode())
    move = AnalysedMove(6, Mark.X, 2, 0, {8: None, 2: 0, 5: None}, is_mistake=False)
    assert analysis == Analysis((move,), None, Mark.O)
    assert move.unknown == (5, 8)
    assert read_analysis(json.dumps(told(None)).encode()).winner is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"analysis": [1]}'])
def test_no_analysis(body: bytes) -> None:
    with pytest.raises(BadMessage):
        read_analysis(body)


def test_a_doubt_is_the_last_move_whose_alternatives_are_not_known() -> None:
    def move(ply: int, worth: int | None, **values: int | None) -> AnalysedMove:
        cells = {int(cell[1:]): value for cell, value in values.items()}
        return AnalysedMove(ply, (Mark.X, Mark.O)[ply % 2], 0, worth, cells, is_mistake=False)

    first, second = move(0, -1, c0=-1, c1=None), move(2, 0, c0=0, c1=None)
    others = move(3, -1, c0=-1, c1=None), move(4, 1, c0=1, c1=None), move(6, -1, c0=-1, c1=-1)
    assert Analysis((first, second, *others), None, Mark.O).doubt == second
    assert Analysis((first, *others), None, Mark.X).doubt == others[0]
    assert Analysis(others[1:], None, None).doubt is None
