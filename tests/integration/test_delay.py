"""Rooms whose spectators see the past: on the socket, in the lobby and over HTTP."""

from typing import Any

from tests.integration.programs import Dial, SharedServer, SimpleClient, eventually

CLOCK = {"initial_s": 600, "increment_s": 0}


async def table(
    shared: SharedServer, name: str, dial: Dial, delay_s: float
) -> tuple[SimpleClient, SimpleClient]:
    """Ada, who has played her first move against Bob, and Eve, who watches."""
    ada, bob, eve = [await dial(shared, name) for _ in range(3)]
    await ada.join(name="ada", settings={"delay_s": delay_s, "clock": CLOCK})
    await bob.join(name="bob")
    welcome = await eve.join(role="spectator")
    assert welcome["room"]["settings"]["delay_s"] == delay_s
    await ada.play(0, 4)
    return ada, eve


async def test_no_way_leads_to_the_present(
    shared: SharedServer, room_name: str, dial: Dial
) -> None:
    ada, eve = await table(shared, room_name, dial, 600)
    await ada.send("resign", game=1)
    await ada.until_over()
    _, room = await shared.get(f"/api/rooms/{room_name}")
    assert room["game"] is None
    assert (await shared.get(f"/api/rooms/{room_name}/games/1"))[0] == 404
    found: list[dict[str, Any]] = []

    async def is_listed() -> bool:  # the list may be a second old
        _, listed = await shared.get("/api/rooms?limit=1000")
        found[:] = [each for each in listed["rooms"] if each["name"] == room_name]
        return bool(found)

    await eventually(is_listed)
    (summary,) = found
    assert (summary["ply"], summary["status"]) == (0, "waiting")
    late = await dial(shared, room_name)
    assert (await late.join(role="spectator"))["room"]["game"] is None
    refused = await eve.refusal("play", game=1, ply=0, cell=0)
    assert refused.get("room") is None


async def test_spectators_see_each_move_in_time(
    shared: SharedServer, room_name: str, dial: Dial
) -> None:
    ada, eve = await table(shared, room_name, dial, 0.5)
    past = await eve.until_ply(1)
    assert past["events"][-1]["type"] == "played"
    clock = past["room"]["game"]["clock"]
    assert {type(clock[mark]) for mark in "XO"} == {int}  # ms, in the past, too
    await ada.send("resign", game=1)
    await eve.until_over()
    assert (await shared.get(f"/api/rooms/{room_name}/games/1"))[0] == 200
