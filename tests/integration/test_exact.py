"""Four in a row with exact values: a seat, a hint and an analysis, with the extra `solver`."""

from importlib.util import find_spec

import pytest

from tests.integration.programs import Dial, SharedServer

pytestmark = pytest.mark.skipif(find_spec("bitbully") is None, reason="no extra `solver`")

FOUR = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}


async def test_a_seat_a_hint_and_an_analysis(
    shared: SharedServer, room_name: str, dial: Dial
) -> None:
    ada = await dial(shared, room_name)
    seats = {"O": {"strategy": "exact"}}
    await ada.join(seat="X", settings={"rules": FOUR, "seats": seats, "hints": True})
    await ada.send("hint")
    hint = await ada.until("hint")
    assert hint["best"] == [38]
    assert hint["reason"] == "depth 41, +1"
    await ada.play(0, 35)  # the corner loses
    answered = await ada.until_ply(2)
    (played,) = [one for one in answered["events"] if one["type"] == "played"]
    assert played["reason"].endswith(", +1")
    await ada.send("resign", game=1)
    await ada.until_over()
    _, game = await shared.get(f"/api/rooms/{room_name}/games/1?analysis=1")
    first = game["analysis"][0]
    assert first["values"] == dict(
        zip(map(str, range(35, 42)), (-1, -1, 0, 1, 0, -1, -1), strict=True)
    )
    assert game["thrown_away_at"] == 0
