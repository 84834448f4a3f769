"""A week of two people and a phone in fast time: days a move, a kill each night, and what remains.

Each person hears of each turn once, both have a rating at the end, one takes all along and the
other is forgotten.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from tests.hooks import Hook
from tests.integration.programs import Dial, StartServer, eventually
from tests.integration.test_days import DAY, move_back
from tests.integration.test_own_games import games
from tests.integration.test_persons import keep
from ttt_server.people.notices import watch

X_WINS = (0, 3, 1, 4, 2)
ABSENCE_MS = 200
"""In place of 20 s."""


@pytest.mark.heavy
async def test_a_week_of_two_people_and_a_phone(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with Hook.serve() as hook:
        server = await start_server(
            *("--notify-webhook", f"{hook.origin}/told", "--keep-games", "1000"),
            data=data,
            before=f"import {watch.__name__} as at; at.NoticeWatch.absence_ms = {ABSENCE_MS}",
        )
        ids = {}
        ids["Ann"], laptop = await keep(server, "Ann")
        ids["Ben"], ben = await keep(server, "Ben")
        _, linked = await server.ask("POST", "/api/me/link", token=laptop)
        _, phone = await server.ask("POST", "/api/persons/link", {"code": linked["code"]})
        settings = {"days": 2, "rated": True, "hints": False}
        first, second = await dial(server, "week"), await dial(server, "week")
        await first.join(person=laptop, settings=settings)
        await second.join(person=ben, settings=settings)
        await first.socket.close()
        await hook.have(1)
        await second.socket.close()
        for ply, cell in enumerate(X_WINS):
            token = ben if ply % 2 else (laptop, phone["token"])[ply // 2 % 2]

            async def is_to_move(token: str = token) -> bool:
                return [game["state"] for game in await games(server, token)] == ["turn"]

            await eventually(is_to_move)
            there = await dial(server, "week")
            seat = (await there.join(person=token, role="player"))["you"]["seat"]
            assert seat == "XO"[ply % 2]
            await there.play(ply, cell)
            await there.socket.close()
            if ply < len(X_WINS) - 1:
                await hook.have(ply + 2)
                await asyncio.sleep(0.3)  # until it is noted as told
            await server.kill()
            move_back(data, DAY)
            await server.start()

        async def has_rating() -> bool:
            _, page = await server.get("/api/people/Ann")
            return [each["pace"] for each in page["ratings"]] == ["days"]

        await eventually(has_rating)
        _, winner = await server.get("/api/people/Ann")
        _, loser = await server.get("/api/people/Ben")
        assert winner["ratings"][0]["rating"] > 1500 > loser["ratings"][0]["rating"]
        assert [game["result"] for game in winner["games"]] == ["won"]
        turns = Counter(
            (told["person"]["name"], told["ply"])
            for told in (json.loads(each.body) for each in hook.taken)
            if told["kind"] == "turn"
        )
        assert turns == Counter([("Ann", 0), ("Ben", 1), ("Ann", 2), ("Ben", 3), ("Ann", 4)])

        _, kept = await server.ask("GET", "/api/me/export", token=phone["token"])
        assert [game["room"] for game in kept["games"]] == ["week"]
        assert (len(kept["ratings"]), len(kept["rated_games"])) == (1, 1)
        assert (await server.ask("DELETE", "/api/me", token=phone["token"]))[0] == 200
        assert (await server.ask("GET", "/api/me", token=laptop))[0] == 401
        (left,) = await games(server, ben)
        assert (left["opponent"], left["result"]) == ({"name": "somebody"}, "lost")
        _, record = await server.get("/api/rooms/week/games/1")
        assert record["seats"]["X"]["name"] == "somebody"
        assert (await server.get("/api/people/Ben"))[1]["ratings"] == loser["ratings"]
