"""Notices of a real server: a webhook and a push service of the tests' own, kills, two servers."""

import asyncio
import json
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg

from tests.browser_keys import KeysOfBrowser
from tests.hooks import Hook, Taken
from tests.integration.programs import Dial, ServerProcess, StartServer
from ttt_server.people.notices import watch
from ttt_server.people.notices.webhook import signature, webhook_key

SECRET = "open sesame"
ABSENCE_MS = 3000
"""In place of 20 s."""
NOTICE = "INSERT INTO notices VALUES ($1, $2, 'rooms/den', $3, $4, 0, '')"


async def keep(server: ServerProcess, name: str) -> tuple[str, str]:
    """The id and the token of a new person."""
    status, made = await server.ask("POST", "/api/persons", {"name": name})
    assert status == 201, made
    return made["person"]["id"], made["token"]


def notices(taken: list[Taken]) -> list[dict[str, Any]]:
    return [json.loads(each.body) for each in taken]


async def test_a_person_who_is_away_is_told_once(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    """Ann is away from four rooms, and told of two: at the webhook, and by a push."""
    async with Hook.serve() as hook, Hook.serve() as service:
        hook.answers.extend(["503 Not Now", "429 Slow Down\r\nRetry-After: 1"])
        server = await start_server(
            *("--notify-webhook", f"{hook.origin}/told?by=us"),
            *("--push-services", service.origin, "--public-url", "https://play.example.org/"),
            data=tmp_path / "data",
            variables={"TTT_NOTIFY_SECRET": SECRET},
            before=f"import {watch.__name__} as at; at.NoticeWatch.absence_ms = {ABSENCE_MS}",
        )
        id_, token = await keep(server, "Ann")
        browser = KeysOfBrowser()
        wish = browser.subscription(f"{service.origin}/ann") | {"language": "fr"}
        assert (await server.ask("POST", "/api/me/push", wish, token=token))[0] == 200
        _, start = await server.ask("GET", "/api/me/notices", token=token)
        assert start["notices"] == []

        async def pair(room: str) -> tuple[Any, Any]:
            ann, bob = await dial(server, room), await dial(server, room)
            await ann.join(person=token)
            await bob.join(name="Bob")
            await ann.play(0, 0)
            return ann, bob

        looks, (away, over, returns) = (
            await pair("looks"),
            [await pair(room) for room in ("away", "over", "returns")],
        )
        for ann, _ in (away, over, returns):
            await ann.socket.close()
        gone = time.time()
        for _, bob in (looks, away, returns):
            await bob.play(1, 4)
        await over[1].send("resign", game=1)
        await asyncio.sleep(1)
        again = await dial(server, "returns")
        await again.join(person=token)

        # Two failures, and then each notice once.
        taken = await hook.have(4)
        assert time.time() - gone >= ABSENCE_MS / 1000
        found = {notice["room"]: notice for notice in notices(taken)[2:]}
        turn, end = found["away"], found["over"]
        assert turn | {"at": 0, "id": ""} == {
            "id": "",
            "kind": "turn",
            "at": 0,
            "text": "It is your turn against Bob.",
            "path": "rooms/away",
            "url": "https://play.example.org/rooms/away",
            "person": {"id": id_, "name": "Ann"},
            "room": "away",
            "game": 1,
            "ply": 2,
            "opponent": "Bob",
        }
        assert (end["kind"], end["result"], end["reason"]) == ("end", "won", "resignation")
        for each in taken:
            seconds = each.headers["webhook-timestamp"]
            key = webhook_key(SECRET)
            signed = signature(key, each.headers["webhook-id"], seconds, each.body)
            assert each.headers["webhook-signature"] == signed
            assert (each.method, each.path) == ("POST", "/told?by=us")

        pushed = [json.loads(browser.read(each.body)) for each in await service.have(2)]
        assert {each["text"] for each in pushed} == {
            "À vous de jouer contre Bob.",
            "Vous avez gagné contre Bob.",
        }
        assert service.taken[0].headers["Authorization"].startswith("vapid t=")

        path = f"/api/me/notices?after={start['next']}"
        _, told = await server.ask("GET", path, token=token)
        assert {notice["room"] for notice in told["notices"]} == {"away", "over"}
        assert (await server.ask("GET", "/api/me/notices", token=token))[1] == told

        # Neither a kill nor another absence tells any of it again.
        await server.restart_after_kill()
        back = await dial(server, "away")
        await back.join(person=token)
        await back.socket.close()
        path = f"/api/me/notices?after={told['next']}"
        _, later = await server.ask("GET", path, token=token)  # it waits for 8 s
        assert later == {"notices": [], "next": told["next"]}
        assert (len(hook.taken), len(service.taken)) == (4, 2)


def owe(data: Path, person: str, count: int) -> None:
    """Have notices wait in the database of a server that is stopped."""
    with closing(sqlite3.connect(data / "ttt.sqlite3")) as database, database:
        rows = (row(number, person) for number in range(count))
        database.executemany(NOTICE.replace("$", "?"), rows)


def row(number: int, person: str) -> tuple[str, str, str, int]:
    notice = {"id": f"t{number}", "kind": "turn", "at": 0, "text": "", "path": "rooms/den"}
    return f"t{number}", person, json.dumps(notice), 1


async def test_a_kill_repeats_one_notice_at_most(start_server: StartServer, tmp_path: Path) -> None:
    async with Hook.serve() as hook:
        server = await start_server("--notify-webhook", hook.origin, data=tmp_path / "data")
        id_, _ = await keep(server, "Ann")
        await server.stop()
        owe(tmp_path / "data", id_, 60)
        await server.start()
        for number in (10, 30):
            await hook.have(number)
            await server.restart_after_kill()
        await hook.have(60)
        await asyncio.sleep(1)
        times = Counter(notice["id"] for notice in notices(hook.taken))
        assert len(times) == 60
        assert times.total() <= 60 + 2


async def test_two_servers_tell_each_notice_once(start_server: StartServer, database: str) -> None:
    async with Hook.serve() as hook:
        options = "--store", database, "--notify-webhook", hook.origin
        first, _ = await start_server(*options), await start_server(*options)
        id_, token = await keep(first, "Ann")
        _, start = await first.ask("GET", "/api/me/notices", token=token)
        connection = await asyncpg.connect(database)
        await connection.executemany(NOTICE, [row(number, id_) for number in range(100)])
        await connection.close()
        await hook.have(100)
        await asyncio.sleep(1)
        ids = [notice["id"] for notice in notices(hook.taken)]
        assert sorted(ids) == sorted(f"t{number}" for number in range(100))
        path = f"/api/me/notices?after={start['next']}"
        _, told = await first.ask("GET", path, token=token)
        assert len(told["notices"]) == 100


async def test_what_a_server_is_asked_in_vain(start_server: StartServer, tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text('{"content": "{text}"}')
    server = await start_server(
        *("--notify-webhook", "http://127.0.0.1:9/", "--notify-template", str(template))
    )
    _, token = await keep(server, "Ann")
    browser = KeysOfBrowser()
    for method, path in (("GET", "/api/me/notices"), ("POST", "/api/me/push")):
        assert (await server.ask(method, path))[0] == 401
    status, _ = await server.ask("GET", "/api/me/notices?after=soon", token=token)
    assert status == 400
    for endpoint in ("http://127.0.0.1:9/x", "https://fcm.googleapis.com.evil.example/x"):
        wish = browser.subscription(endpoint)
        status, words = await server.ask("POST", "/api/me/push", wish, token=token)
        assert (status, "push service" in str(words)) == (400, True)
    wish = browser.subscription("https://fcm.googleapis.com/fcm/send/x")
    wish["keys"]["auth"] = "short"
    status, words = await server.ask("POST", "/api/me/push", wish, token=token)
    assert (status, "keys" in str(words)) == (400, True)
    quiet = {"from": "22:00", "until": "07:00", "zone": "Europe/Nowhere"}
    wish = {"settings": {"quiet": quiet}}
    status, words = await server.ask("PATCH", "/api/me", wish, token=token)
    assert (status, "time zone" in str(words)) == (400, True)
    quiet["zone"] = "Europe/Berlin"
    status, me = await server.ask("PATCH", "/api/me", wish, token=token)
    assert (status, me["settings"]["quiet"]) == (200, quiet)
    _, key = await server.get("/api/push-key")
    assert len(key["key"]) == 87
