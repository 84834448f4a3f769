"""A class of thirty: late comers, leavers, a double name, a correction, a kill in the middle."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from tests.integration.attendees import Attendee, Hold, Message, Visitor
from tests.integration.commands import command
from tests.integration.programs import PATIENCE_S, ServerProcess, eventually

PUPILS = 28
HELD = {"swiss": 20, "knockout": 7, "arena": 20}
"""The first game that is not played before the kill: in the middle of the second round of a Swiss
of 28, and of the first of a knockout, which has 12 games."""


class Wall(Visitor):
    """A wall that is open throughout: what it shows of a game never changes but for its result."""

    def __init__(self, server: ServerProcess, event: str) -> None:
        super().__init__(server, event)
        self.seen: dict[int, Message] = {}

    def hear(self, message: Message) -> None:
        super().hear(message)
        for game in self.state.get("games", ()):
            before = self.seen.setdefault(game["number"], game)
            assert (before["ids"], before["room"]) == (game["ids"], game["room"])
            assert before["result"] in (None, game["result"]) or game["corrected"]
            self.seen[game["number"]] = game


def withdrawn(event: Message) -> list[str]:
    """The players who have withdrawn."""
    return [row["id"] for row in event["standings"] if row["status"] == "withdrawn"]


async def games_of(server: ServerProcess) -> list[Message]:
    """All games of the event so far."""
    _, event = await server.get("/api/events/class")
    games: list[Message] = event["games"]
    return games


async def until_decided(server: ServerProcess, count: int) -> list[Message]:
    """Wait until so many games have a result; all games."""

    async def is_so() -> bool:
        return sum(game["result"] is not None for game in await games_of(server)) >= count

    await eventually(is_so, patience_s=3 * PATIENCE_S)
    return await games_of(server)


def points(game: Message) -> Counter[str]:
    """Half points of a game by player, but for what a streak in an arena doubles."""
    x, o = game["ids"]
    result = "O" if game["armageddon"] and game["result"] == "draw" else game["result"]
    match result:
        case "X":
            return Counter({x: 2})
        case "O":
            return Counter({o: 2})
        case "draw":
            return Counter({x: 1, o: 1})
        case _:
            return Counter()


@pytest.mark.parametrize("form", ["swiss", "knockout", "arena"])
@pytest.mark.heavy
async def test_a_class_of_thirty(server: ServerProcess, form: str) -> None:
    organiser, wall = Visitor(server, "class"), Wall(server, "class")
    await organiser.stay("create", settings={"form": form, "rounds": 5, "grace_s": 20})
    await wall.stay("watch")
    hold = Hold(HELD[form])
    names = ["Ada", "ada", *(f"pupil {number}" for number in range(3, PUPILS + 1))]
    pupils = [Attendee(server, "class", name, hold=hold) for name in names]
    for pupil in pupils[:2]:
        await pupil.enter()
    await asyncio.gather(*(pupil.enter() for pupil in pupils[2:]))
    assert [pupil.you["name"] for pupil in pupils[:2]] == ["Ada", "ada 2"]
    tab = Visitor(server, "class")
    await tab.come("enter", token=pupils[0].token)
    assert tab.you["id"] == pupils[0].you["id"]

    await organiser.tell("start")
    before = await until_decided(server, HELD[form] - 1)
    await tab.go()  # the other tab of the player goes on
    late = [Attendee(server, "class", f"late {number}") for number in (1, 2)]
    if form == "knockout":
        await late[0].come("enter", name="late")
        assert late[0].refusals[-1]["code"] == "not_allowed"
    else:
        await asyncio.gather(*(pupil.enter() for pupil in late))
    await pupils[3].tell("withdraw")
    await wall.until(lambda: pupils[3].you["id"] in withdrawn(wall.state))
    await pupils[4].go()  # without a word: the grace of a game, until the organiser knows

    await server.restart_after_kill()
    after = await games_of(server)
    for game in before:
        now = after[game["number"] - 1]
        assert (now["ids"], now["room"]) == (game["ids"], game["room"])
        assert game["result"] in (None, now["result"])
    await organiser.until(lambda: bool(organiser.you))
    wrong = before[HELD[form] - 2]  # a game of the round under way
    right = "O" if wrong["result"] == "X" else "X"
    await organiser.tell("result", game=wrong["number"], result=right)
    await organiser.tell("excuse", player=pupils[4].you["id"])
    hold.release()
    if form == "arena":
        await until_decided(server, 2 * HELD[form])
        await organiser.tell("finish")
    await wall.status("finished", patience_s=3 * PATIENCE_S)
    assert wall.refusals == organiser.refusals == []
    _, event = await server.get("/api/events/class")
    kept = {game["number"]: game["result"] for game in before if game["result"] is not None}
    check(event, kept | {wrong["number"]: right})
    assert event["games"][wrong["number"] - 1]["corrected"]
    await asyncio.gather(*(visitor.go() for visitor in (organiser, wall, *pupils, *late)))
    await server.stop()
    assert "nothing wrong" in (await command("check", "--data", server.data))[0]


def check(event: Message, kept: dict[int, Any]) -> None:
    """Hold the end of an event against its rules, and the results that it has to have."""
    games = event["games"]
    assert [game["number"] for game in games] == list(range(1, len(games) + 1))
    for number, result in kept.items():
        assert games[number - 1]["result"] == result
    rows = {row["id"]: row for row in event["standings"]}
    assert len(withdrawn(event)) == 2
    assert any("elo" in row and row["elo_error"] > 0 for row in rows.values())
    assert len({row["name"] for row in rows.values()}) == len(rows)
    counted = [game for game in games if game["result"] not in (None, "void")]
    half_points = sum((points(game) for game in counted), Counter[str]())
    if event["form"] == "swiss":
        assert event["round"] == 5
        met = Counter(frozenset(game["ids"]) for game in games if game["result"] != "void")
        assert set(met.values()) == {1}
        assert all(row["byes"] <= 1 for row in rows.values())
        for id_, row in rows.items():
            assert 2 * row["points"] == half_points[id_] + 2 * row["byes"]
    elif event["form"] == "knockout":
        assert all(2 * row["points"] == half_points[id_] for id_, row in rows.items())
        assert [tie["winner"] for tie in event["bracket"][-1]] == [event["standings"][0]["name"]]
        assert len(event["bracket"]) == 5
    else:
        assert all(row["wins"] * 2 <= 2 * row["points"] for row in rows.values())
        assert sum(row["wins"] for row in rows.values()) >= PUPILS
