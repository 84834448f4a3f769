"""What an AI thinks reaches people: its reason with every move, and what each cell is worth."""

import re

import pytest

from tests.integration.programs import Dial, Server
from ttt_engine.strategies import is_ours, names

OPINION = r"(\+1|0|-1)"
REASONS = {
    "brute": r"wins minus losses: [+-]\d+",
    "guard": r"win|block|free choice",
    "learner": r"win|block|pursue a (win|draw)|avoid a loss|random",
    "lines": r"win|block|open lines",
    "mcts": rf"win|depth \d(, {OPINION})?",
    "minimax": rf"win|depth \d, {OPINION}",
    "perfect": r"book",
    "random": r"random",
    "rules": r"win|block|centre|corner|side",
    "search": rf"win|block|draw|depth \d+(, {OPINION})?",
}


def test_every_strategy_of_ours_is_looked_at() -> None:
    ours = {name for name in names() if is_ours(name)}
    assert set(REASONS) == ours - {"exact"}  # it has a board of its own, in test_exact


@pytest.mark.parametrize("name", REASONS)
async def test_every_move_of_an_ai_has_its_reason(
    shared: Server, room_name: str, dial: Dial, name: str
) -> None:
    eve = await dial(shared, room_name)
    level = {"level": 0} if name in {"mcts", "search"} else {}
    seats = {"X": {"strategy": name, **level}, "O": {"strategy": "rules"}}
    room = (
        await eve.join(role="spectator", settings={"seats": seats, "games": 2, "pace_s": 0.01})
    )["room"]
    told = {name: 0, "rules": 0}
    while room["status"] != "finished" or room["game"]["number"] < 2:
        update = await eve.until("update")
        room = update["room"]
        for event in update["events"]:
            if event["type"] == "played":
                player = room["seats"][event["seat"]]["name"]
                assert re.fullmatch(REASONS[player], event["reason"]), event
                told[player] += 1
    assert min(told.values()) >= 2


async def test_a_hint_tells_what_every_cell_is_worth(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(settings={"hints": True, "seats": {"O": {"strategy": "rules"}}})
    await ada.play(0, 0)
    await ada.until_ply(2)
    await ada.send("hint")
    hint = await ada.until("hint")
    assert hint["values"] == dict.fromkeys("1235678", 0)
    assert hint["best"] == [1, 2, 3, 5, 6, 7, 8]
    assert hint["reason"] == "depth 7, 0"

    await ada.play(2, 8)  # the fork that its rules do not see
    room = (await ada.until_ply(4))["room"]
    fork = {"2": 6, "6": 2}[str(room["game"]["moves"][-1])]
    await ada.send("hint")
    hint = await ada.until("hint")
    assert hint["best"] == [fork]
    assert hint["values"] == dict.fromkeys("1357", -1) | {str(fork): 1}
    assert hint["reason"] == "depth 5, +1"
