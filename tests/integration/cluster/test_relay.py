"""Any server serves any client."""

import asyncio
import json
import os
from urllib.request import urlopen

import asyncpg
import pytest

from tests.integration.cluster.conftest import ROOMY, StartCluster
from tests.integration.programs import (
    Dial,
    SimpleClient,
    StartServer,
    eventually,
    run_server,
)

pytestmark = pytest.mark.heavy

KEY = "k3v9x2qa-k3v9x2qa"
OPENS = int(os.environ.get("OPENS", "60"))
"""Rooms that two servers open in the same instant; by hand 1 000."""


async def test_a_game_across_servers(start_cluster: StartCluster, dial: Dial) -> None:
    one, other = await start_cluster(2)
    x = await dial(one, "den")
    await x.join(name="Ada")
    o = await dial(other, "den")
    welcome = await o.join(name="Bob", claim_key=KEY)
    assert welcome["you"]["seat"] == "O"
    for server in (one, other):  # as if the welcome had been lost
        o = await dial(server, "den")
        assert (await o.join(claim_key=KEY))["you"] == welcome["you"]
    watchers = [await dial(other, "den") for _ in range(3)]
    for number, watcher in enumerate(watchers):
        seen = await watcher.join(role="spectator", name=f"Eve {number}")
        assert seen["you"]["name"] == f"Eve {number}"
        assert seen["room"]["seats"]["X"]["name"] == "Ada"
    again = [await dial(server, "den") for server in (one, other)]
    seen, also = [await each.join(role="spectator", claim_key=KEY) for each in again]
    assert seen["you"] == also["you"]
    for each in again:
        await each.socket.close()
    while (await x.until("presence"))["spectators"] != 3:
        pass
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        await (x, o)[ply % 2].play(ply, cell)
    for watcher in watchers:
        assert (await watcher.until_over())["room"]["game"]["outcome"]["winner"] == "X"
    await watchers[0].send("say", text="well played")
    for hearer in (x, o, *watchers):
        said = await hearer.until("said")
        assert (said["name"], said["text"]) == ("Eve 0", "well played")
    assert (await watchers[1].refusal("play", game=1, ply=0, cell=0))["code"] == "not_a_player"


AHEAD = """
import time
now, now_ns = time.time, time.time_ns
time.time = lambda: now() + {s}
time.time_ns = lambda: now_ns() + {s} * 10**9
"""


@pytest.mark.parametrize("seconds", [300, 86_400])
async def test_clocks_that_differ(
    start_server: StartServer, dial: Dial, database: str, seconds: int
) -> None:
    servers = [
        await start_server("--store", database, before=AHEAD.format(s=sign * seconds))
        for sign in (1, -1)
    ]
    for name, (one, other) in (("den", servers), ("lair", servers[::-1])):
        x, o, watcher = await dial(one, name), await dial(other, name), await dial(other, name)
        await x.join(name="Ada")
        assert (await o.join(name="Bob"))["you"]["seat"] == "O"
        assert (await watcher.join(role="spectator"))["you"]["role"] == "spectator"
        for ply, cell in enumerate((0, 3, 1, 4, 2)):
            await (x, o)[ply % 2].play(ply, cell)
        await watcher.until_over()
        status, state = await other.get(f"/api/rooms/{name}")
        assert (status, state["spectators"]) == (200, 1)


async def test_a_removed_spectator_does_not_watch_again_through_another_server(
    start_cluster: StartCluster, dial: Dial
) -> None:
    one, other = await start_cluster(2, "--trusted-proxies", "127.0.0.1")

    async def from_(address: str) -> SimpleClient:
        return await dial(other, "den", additional_headers={"X-Forwarded-For": address})

    host = await dial(one, "den")
    await host.join(name="Ada")
    rude, guest = await from_("192.0.2.1"), await from_("192.0.2.2")
    watch = (await rude.join(role="spectator", name="Eve"))["you"]["watch"]
    await guest.join(role="spectator", name="Bob")
    await rude.send("say", text="rude")
    eve = (await host.until("said"))["from"]
    await rude.socket.close()
    rude = await from_("192.0.2.3")
    welcome = await rude.join(role="spectator", watch=watch)
    assert welcome["you"]["from"] == eve
    await host.send("moderate", action="remove", **{"from": eve})
    assert await rude.close_code() == 4003
    for address, join in (("192.0.2.4", {"watch": watch}), ("192.0.2.3", {})):
        again = await from_(address)
        refusal = await again.refusal("join", role="spectator", **join)
        assert refusal["code"] == "not_allowed"
        assert "removed" in refusal["reason"]
    late = await from_("192.0.2.4")
    assert (await late.join(role="spectator"))["you"]["role"] == "spectator"
    await host.send("say", text="welcome")
    for member in (guest, late):
        while (await member.until("said"))["text"] != "welcome":
            pass


async def test_what_the_owner_refuses_is_told_by_the_owner(
    start_cluster: StartCluster, dial: Dial
) -> None:
    one, other = await start_cluster(2)
    x = await dial(one, "den")
    await x.join(settings={"password": "sesame"})
    eve = await dial(other, "den")
    assert (await eve.refusal("join", role="spectator"))["code"] == "wrong_password"
    await eve.join(role="spectator", password="sesame")
    nobody = await dial(other, "nowhere-yet")
    assert (await nobody.refusal("join", role="spectator"))["code"] == "no_such_room"


async def test_the_first_command_of_a_spectator_is_answered_as_at_the_owner(
    start_cluster: StartCluster, dial: Dial
) -> None:
    one, other = await start_cluster(2)
    x = await dial(one, "den")
    await x.join(name="Ada")
    eve, bob, rude = [await dial(other, "den") for _ in range(3)]
    assert (await eve.join(role="spectator", name="ada"))["you"]["name"] == "ada 2"
    await eve.send("say", text="hello")
    while (first := await eve.receive())["type"] == "presence":
        pass
    assert (first["type"], first["name"]) == ("said", "ada 2")
    await bob.join(role="spectator")
    await bob.send("leave")
    assert await bob.close_code() == 1000
    await rude.join(role="spectator", name="Mallory")
    await rude.send("say", text="rude")
    while (said := await x.until("said"))["text"] != "rude":
        pass
    await x.send("moderate", action="remove", **{"from": said["from"]})
    assert await rude.close_code() == 4003


async def test_a_quick_match_is_found_through_every_server(
    start_cluster: StartCluster, dial: Dial
) -> None:
    servers = await start_cluster(3)
    seekers = [await dial(servers[0], "/ws/play") for _ in range(2)]
    lobbies = [await dial(server, "/ws/lobby?changes=1") for server in servers]
    for seeker, is_waiting in zip(seekers, (True, False), strict=True):
        await seeker.send("seek")
        for lobby in lobbies:
            while bool((await lobby.receive()).get("seeking", not is_waiting)) is not is_waiting:
                """It was told before, or of the rooms alone."""
    for seeker, server in zip(seekers, servers[1:], strict=True):
        paired = await seeker.until("paired")
        player = await dial(server, paired["room"])
        welcome = await player.join(token=paired["token"])
        assert welcome["you"]["seat"] == paired["seat"]
    assert welcome["room"]["status"] == "playing"


async def test_a_client_that_begins_badly_is_told_by_a_relay_what_the_owner_would_say(
    start_cluster: StartCluster, dial: Dial
) -> None:
    one, other = await start_cluster(2)
    x = await dial(one, "den")
    await x.join(name="Ada")
    for begins, code in ((b"1" * 4097, 1009), (b"1" * 100_000, 1009), (b"\xff", 1007)):
        for server in (one, other):
            rude = await dial(server, "den")
            await rude.socket.send(begins, text=True)
            assert await rude.close_code() == code


async def test_the_list_is_of_all_servers(
    start_cluster: StartCluster, dial: Dial, database: str
) -> None:
    servers = await start_cluster(2)
    lobby, changes = [await dial(servers[0], f"/ws/lobby{query}") for query in ("", "?changes=1")]
    await lobby.until("rooms")
    await changes.until("rooms")
    for number, server in enumerate(servers):
        player = await dial(server, f"den{number}")
        await player.join(settings={"public": True})

    async def is_listed_everywhere() -> bool:
        lists = [(await server.get("/api/rooms"))[1]["rooms"] for server in servers]
        return all({room["name"] for room in listed} == {"den0", "den1"} for listed in lists)

    await eventually(is_listed_everywhere)
    while len((await lobby.until("rooms"))["rooms"]) != 2:
        pass
    told: set[str] = set()
    while told != {"den0", "den1"}:
        told |= {room["name"] for room in (await changes.until("rooms_changed"))["rooms"]}
    for server in servers:
        status, room = await server.get("/api/rooms/den1")
        assert (status, room["name"]) == (200, "den1")
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE rooms SET changed_at = now() - interval '1 year'")
    await connection.close()
    servers += await start_cluster(1)  # which lists the rooms that have long waited, too
    await eventually(is_listed_everywhere)


async def test_each_server_tells_over_http_what_the_server_of_a_room_knows(
    start_cluster: StartCluster, dial: Dial
) -> None:
    servers = one, other = await start_cluster(2)
    clock = {"initial_s": 60, "increment_s": 0}
    x = await dial(one, "den")
    token = (await x.join(settings={"clock": clock, "password": "sesame"}))["you"]["token"]
    o = await dial(other, "den")
    await o.join(password="sesame")
    eve = await dial(other, "den")
    await eve.join(role="spectator", password="sesame")
    assert [(await server.get("/api/rooms/den"))[0] for server in servers] == [403, 403]
    asking = {"Authorization": f"Bearer {token}"}
    here, there = [(await server.get("/api/rooms/den", asking))[1] for server in servers]
    times = [room["game"].pop("clock") for room in (here, there)]
    assert here == there
    assert here["spectators"] == 1
    assert all(seat["connected"] for seat in here["seats"].values())
    assert 60_000 > times[0]["X"] >= times[1]["X"]
    await one.kill()
    status, left = await other.get("/api/rooms/den", asking)
    assert (status, left["seq"]) == (200, here["seq"]), "read from the log, until a client comes"


async def test_headers_of_others_are_ignored_and_counted(
    start_cluster: StartCluster, dial: Dial
) -> None:
    (server,) = await start_cluster(1)
    forged = {"TTT-Client": "203.0.113.9", "TTT-Relay": "client 1795500000 " + "0" * 64}
    ada = await dial(server, "den", additional_headers=forged)
    assert (await ada.join(name="Ada"))["you"]["seat"] == "X"
    address = f"http://127.0.0.1:{server.port}/metrics"
    metrics = await asyncio.to_thread(lambda: urlopen(address).read())
    assert b"ttt_false_relays_total 1.0" in metrics


async def test_two_installations_on_one_database(
    start_cluster: StartCluster, database: str
) -> None:
    await start_cluster(1)
    status, out, err = await run_server(
        *("--port", "0", "--store", database), TTT_SECRET="another installation's"
    )
    assert (status, out) == (1, "")
    assert "another secret" in err
    assert err.count("\n") == 1


async def test_a_wrong_address_for_others(start_cluster: StartCluster, database: str) -> None:
    (server,) = await start_cluster(1)
    for advertise, words in (
        ("ws://127.0.0.1:1", "127.0.0.1:1"),
        (server.address, "leads to another server"),
    ):
        status, out, err = await run_server(
            "--port", "0", "--store", database, "--advertise", advertise
        )
        assert (status, out) == (1, "")
        assert words in err
        assert err.count("\n") == 1
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("SELECT count(*) FROM servers") == 1, "none is left behind"
    await connection.close()


async def test_two_open_the_same_room_at_once(start_cluster: StartCluster, dial: Dial) -> None:
    one, other = await start_cluster(2, *ROOMY)

    async def meet(number: int) -> None:
        players = await asyncio.gather(*(dial(each, f"room{number}") for each in (one, other)))
        welcomes = await asyncio.gather(*(player.join() for player in players))
        assert {welcome["you"]["seat"] for welcome in welcomes} == {"X", "O"}, json.dumps(welcomes)
        for player in players:
            await player.socket.close()

    for first in range(0, OPENS, 10):
        await asyncio.gather(*(meet(number) for number in range(first, first + 10)))
