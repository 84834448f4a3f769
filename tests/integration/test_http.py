"""The port as plain HTTP, and what is refused before an upgrade."""

import asyncio
import json

import pytest
from websockets.exceptions import InvalidStatus

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    ServerProcess,
    StartServer,
)


async def request(server: Server, line: str, *headers: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of one request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    host = f"Host: 127.0.0.1:{server.port}"
    lines = [f"{line} HTTP/1.1", host, "Connection: close", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    status, *fields = head.split("\r\n")
    return int(status.split()[1]), dict(field.split(": ", 1) for field in fields), body


async def test_the_public_rooms(server: ServerProcess, dial: Dial) -> None:
    ada, bob = await dial(server, "seen"), await dial(server, "hidden")
    await ada.join(name="ada")
    await bob.join(name="bob", settings={"public": False})
    status, headers, body = await request(server, "GET /api/rooms")
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    (room,) = json.loads(body)["rooms"]
    assert room.pop("changed_at") > 0
    assert room == {
        "name": "seen",
        "status": "waiting",
        "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
        "seats": {"X": "ada", "O": None},
        "ply": 0,
        "spectators": 0,
        "locked": False,
    }


async def test_one_room(shared: Server, room_name: str, dial: Dial) -> None:
    ada, shy = await dial(shared, room_name), await dial(shared, f"{room_name}-shy")
    room = (await ada.join(name="ada"))["room"]
    await shy.join(settings={"spectators": False})
    status, _, body = await request(shared, f"GET /api/rooms/{room_name.upper()}")
    assert (status, json.loads(body)) == (200, room)
    assert (await request(shared, "GET /api/rooms/none"))[0] == 404
    assert (await request(shared, f"GET /api/rooms/{room_name}-shy"))[0] == 403


@pytest.mark.parametrize("path", ["/healthz", "/", "/api/rooms/{room}/games/1"])
async def test_one_who_ends_their_side_with_the_request_is_answered(
    shared: Server, room_name: str, dial: Dial, path: str
) -> None:
    den = await dial(shared, room_name)
    await den.join(settings={"seats": {"X": "human", "O": {"strategy": "rules"}}})
    reader, writer = await asyncio.open_connection("127.0.0.1", shared.port)
    path = path.format(room=room_name)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{shared.port}\r\n\r\n".encode())
    writer.write_eof()
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200 ")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}\r\n".encode() in head + b"\r\n"


async def test_health_heads_and_other_methods(shared: Server) -> None:
    status, headers, body = await request(shared, "GET /healthz")
    assert (status, json.loads(body)) == (200, {"status": "ok"})
    head = await request(shared, "HEAD /healthz")
    assert head == (200, headers, "")
    status, headers, _ = await request(shared, "DELETE /api/rooms")
    assert (status, headers["Allow"]) == (405, "GET, HEAD")
    assert (await request(shared, "GET /nothing"))[0] == 404


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/ws/rooms/no_underscores", {}, 404),
        ("/ws/rooms/" + "x" * 33, {}, 404),
        ("/ws/nothing", {}, 404),
        ("/ws/rooms/room42", {"subprotocols": ["ttt.v9"]}, 400),
        ("/ws/rooms/room42", {"origin": "http://elsewhere.example"}, 403),
        ("/ws/rooms/room42", {"origin": "null"}, 403),
    ],
)
async def test_no_upgrade(
    shared: Server, dial: Dial, path: str, options: dict[str, object], status: int
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await dial(shared, path, **options)
    assert refused.value.response.status_code == status


async def test_a_client_without_a_subprotocol_is_served(
    shared: Server, room_name: str, dial: Dial
) -> None:
    plain = await dial(shared, room_name.title(), subprotocols=None)
    assert plain.socket.subprotocol is None
    assert (await plain.join())["room"]["name"] == room_name


async def test_a_full_server_says_when_to_come_back(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--max-connections-per-address", "1")
    await dial(server, "room42")
    with pytest.raises(InvalidStatus) as refused:
        await dial(server, "room42")
    assert refused.value.response.status_code == 503
    assert int(refused.value.response.headers["Retry-After"]) > 0
    assert (await request(server, "GET /api/rooms"))[0] == 503
    for path in ("/healthz", "/metrics"):
        assert (await request(server, f"GET {path}"))[0] == 200


async def test_the_lobby_is_live(server: ServerProcess, dial: Dial) -> None:
    lobby = await dial(server, "/ws/lobby")
    assert await lobby.receive() == {"type": "rooms", "rooms": [], "total": 0}
    ada = await dial(server, "room42")
    await ada.join(name="ada")
    rooms = (await lobby.until("rooms"))["rooms"]
    assert [room["name"] for room in rooms] == ["room42"]


async def test_the_lobby_tells_changes_and_the_api_pages(server: ServerProcess, dial: Dial) -> None:
    lobby = await dial(server, "/ws/lobby?changes=1")
    assert await lobby.receive() == {"type": "rooms", "rooms": [], "total": 0}
    listed: dict[str, Message] = {}

    async def until(names: set[str]) -> None:
        while set(listed) != names:
            news = await lobby.receive()
            assert news["type"] == "rooms_changed"
            listed.update({room["name"]: room for room in news["rooms"]})
            for name in news["gone"]:
                del listed[name]

    players = {name: await dial(server, name) for name in ("c", "a", "b")}
    for name, player in players.items():
        await player.join(name=name)
    await until({"a", "b", "c"})
    assert listed["a"]["seats"] == {"X": "a", "O": None}

    _, headers, body = await request(server, "GET /api/rooms?limit=2")
    page = json.loads(body)
    assert ([room["name"] for room in page["rooms"]], page["after"]) == (["a", "b"], "b")
    assert page["total"] == 3
    next_page = await dial(server, "/ws/lobby?limit=2&after=b")
    told = await next_page.receive()
    assert ([room["name"] for room in told["rooms"]], told["total"]) == (["c"], 3)
    with pytest.raises(InvalidStatus) as refused:
        await dial(server, "/ws/lobby?limit=0")
    assert refused.value.response.status_code == 400
    known = f"If-None-Match: {headers['ETag']}"
    assert (await request(server, "GET /api/rooms?limit=2", known))[0] == 304
    _, _, body = await request(server, "GET /api/rooms?limit=2&after=b")
    assert json.loads(body) == {"rooms": [listed["c"]], "total": 3}
    assert (await request(server, "GET /api/rooms?limit=0"))[0] == 400

    await players["b"].send("leave")
    await until({"a", "c"})
    assert (await request(server, "GET /api/rooms?limit=2", known))[0] == 200


@pytest.mark.parametrize(("said", "code"), [("{}", 1008), (b"{}", 1003), ("", 1008), (b"", 1003)])
async def test_there_is_nothing_to_say_in_the_lobby(
    shared: Server, dial: Dial, said: str | bytes, code: int
) -> None:
    lobby = await dial(shared, "/ws/lobby")
    await lobby.socket.send(said)
    goodbye = await lobby.until("goodbye")
    assert goodbye["code"] == code
    assert code != 1008 or "the lobby takes no messages" in goodbye["reason"]
    assert await lobby.close_code() == code


async def test_what_an_operator_may_watch(server: ServerProcess, dial: Dial) -> None:
    ada, bob = await dial(server, "watched"), await dial(server, "watched")
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    assert (await ada.refusal("play", game=1, ply=1, cell=4))["code"] == "not_your_turn"
    status, headers, body = await request(server, "GET /metrics")
    assert status == 200
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = body.splitlines()
    for line in (
        "ttt_connections 3.0",
        'ttt_rooms{status="playing"} 1.0',
        "ttt_moves_total 1.0",
        "ttt_move_seconds_count 1.0",
        'ttt_refusals_total{code="not_your_turn"} 1.0',
        "ttt_outbox_cuts_total 0.0",
    ):
        assert line in lines
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    assert "watched" not in body


async def test_players_read_their_private_games_with_their_token(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--guesses-per-minute-per-address", "3")
    ada, bob = await dial(server, "vault"), await dial(server, "vault")
    you = (await ada.join(name="ada", settings={"password": "sesame", "spectators": False}))["you"]
    await bob.join(name="bob", password="sesame")
    await ada.play(0, 4)
    await ada.send("resign", game=1)
    await ada.until_over()
    paths = "/api/rooms/vault", "/api/rooms/vault/games/1", "/api/rooms/vault/games/1?analysis=1"
    token = f"Authorization: Bearer {you['token']}"
    for path in paths:
        assert (await request(server, f"GET {path}"))[0] == 403
        status, headers, body = await request(server, f"GET {path}", token)
        assert (status, headers["Cache-Control"]) == (200, "private, no-store")
        assert json.loads(body)
    wrong = [await request(server, f"GET {paths[0]}", f"{token}x") for _ in range(4)]
    assert [status for status, _, _ in wrong] == [401, 401, 401, 429]
    assert wrong[0][1]["WWW-Authenticate"] == "Bearer"
    assert "Retry-After" in wrong[3][1]
    assert (await request(server, f"GET {paths[0]}", token))[0] == 200


async def test_a_trace_and_a_comparison(shared: Server) -> None:
    status, headers, body = await request(
        shared, "GET /api/trace?board=X...O....&strategy=minimax:9&limit=20"
    )
    steps = [json.loads(line) for line in body.splitlines()]
    assert (status, headers["Content-Type"], len(steps)) == (200, "application/x-ndjson", 23)
    assert steps[-1]["cells"] == [1, 2, 3, 5, 6, 7, 8]
    compared = json.loads((await request(shared, "GET /api/compare?board=X...O...."))[2])
    values = {one["strategy"]: one["values"] for one in compared["strategies"]}
    assert values["minimax"] == steps[-1]["values"]
    assert (await request(shared, "GET /api/trace?board=X&strategy=rules"))[0] == 400
