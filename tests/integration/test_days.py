"""Days for each move, with real processes: time is made to pass by moving what is on disk back."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.integration.attendees import Visitor, make_event
from tests.integration.programs import Dial, Message, ServerProcess, eventually
from tests.integration.referee import logs

DAY = 86_400_000


def move_back(data: Path, ms: int) -> None:
    """Let everything in the data folder of a server that has ended be so much older."""

    def older(text: str) -> str:
        return re.sub(r'"at":(\d+)', lambda found: f'"at":{int(found[1]) - ms}', text)

    with closing(sqlite3.connect(data / "ttt.sqlite3")) as database, database:
        database.create_function("older", 1, older)
        database.execute("UPDATE journal SET event = older(event)")
        database.execute("UPDATE events SET event = older(event)")
        database.execute("UPDATE deadlines SET at = at - ?", (ms,))


async def begun(server: ServerProcess, dial: Dial, room: str) -> str:
    """Begin a game with a day for each move, in which O is to move; return the token of X."""
    ada, bob = await dial(server, room), await dial(server, room)
    welcome: Message = await ada.join(name="ada", settings={"days": 1})
    assert welcome["room"]["settings"]["clock"] is None
    await bob.join(name="bob")
    clock = (await ada.play(0, 4))["room"]["game"]["clock"]
    assert clock["running"] == "O"
    assert DAY - 5000 < clock["O"] <= DAY == clock["X"]
    return str(welcome["you"]["token"])


async def test_the_flag_falls_although_no_server_ran(server: ServerProcess, dial: Dial) -> None:
    await begun(server, dial, "late")
    token = await begun(server, dial, "early")
    await server.kill()
    move_back(server.data, DAY // 2)
    await server.start()
    ada = await dial(server, "early")
    room = (await ada.join(token=token))["room"]
    assert room["status"] == "playing"
    assert DAY // 2 - 60_000 < room["game"]["clock"]["O"] <= DAY // 2
    assert (await ada.refusal("claim", game=1))["code"] == "not_allowed"
    await server.kill()
    move_back(server.data, DAY // 2)
    await server.start()

    async def is_over() -> bool:
        rooms = [(await server.get(f"/api/rooms/{name}"))[1] for name in ("late", "early")]
        return all(room["status"] == "finished" for room in rooms)

    await eventually(is_over)
    assert await server.stop() == 0
    for log in logs(server.data).values():
        assert log[-1]["outcome"] == {"winner": "X", "reason": "timeout", "line": None}


async def test_a_game_is_played_over_days_and_restarts(server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "week")
    settings = {"days": 2, "seats": {"O": {"strategy": "rules"}}}
    token = (await ada.join(name="ada", settings=settings))["you"]["token"]
    for _ in range(9):
        ada = await dial(server, "week")
        room = (await ada.join(token=token))["room"]
        while (game := room["game"])["outcome"] is None and game["turn"] == "O":
            room = (await ada.until("update"))["room"]
        if game["outcome"] is not None:
            break
        assert game["clock"]["X"] > 0
        await ada.send("play", game=1, ply=game["ply"], cell=game["board"].index("."))
        await ada.until("update")
        await server.kill()
        move_back(server.data, DAY)
        await server.start()
    assert game["outcome"]["reason"] in {"line", "full"}


async def test_a_round_robin_by_correspondence_ends(server: ServerProcess) -> None:
    organiser = await make_event(server, "letters", "round-robin", days=1, grace_s=1)
    players = [Visitor(server, "letters") for _ in range(2)]
    for player, name in zip(players, ("ada", "bob"), strict=True):
        await player.come("enter", name=name)
    await organiser.tell("start")
    await organiser.until(lambda: bool(organiser.state["games"]))
    for visitor in (organiser, *players):
        await visitor.go()
    await server.kill()
    move_back(server.data, DAY)
    await server.start()

    async def is_over() -> bool:
        _, event = await server.get("/api/events/letters")
        return bool(event["status"] == "finished")

    await eventually(is_over)
    _, event = await server.get("/api/events/letters")
    (game,) = event["games"]
    assert (game["result"], game["reason"]) == ("O", "timeout"), "and nobody lost by being away"
