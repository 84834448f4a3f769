"""Bad input: each is answered with its code, the connection lives and nothing has changed."""

import asyncio
import json
import socket
from contextlib import suppress
from typing import Any

import pytest

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    ServerProcess,
    StartServer,
    eventually,
)
from tests.integration.raw import CLOSE, TEXT, RawPeer, frame

BAD_JSON = ["", "hello", "{", '{"type":"resign","game":NaN}', '{"type":"leave","type":"leave"}']
BAD_COMMANDS = [
    "[]",
    "null",
    "{}",
    '{"type":"fly"}',
    '{"type":"play","game":1,"ply":0}',
    '{"type":"play","game":1,"ply":0,"cell":4.0}',
    '{"type":"play","game":1,"ply":0,"cell":true}',
    '{"type":"play","game":1,"ply":0,"cell":"4"}',
    '{"type":"play","game":1,"ply":0,"cell":4,"more":1}',
    '{"type":"say","text":""}',
    '{"type":"say","text":"' + "x" * 201 + '"}',
    '{"type":"offer","kind":"peace"}',
]


@pytest.mark.parametrize("frame", [*BAD_JSON, *BAD_COMMANDS])
async def test_a_malformed_frame_changes_nothing(
    shared: Server, room_name: str, dial: Dial, frame: str
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    before = (await ada.join(name="ada"))["room"]["seq"]
    await ada.socket.send(frame)
    refused = await ada.until("refused")
    assert refused["code"] == ("bad_json" if frame in BAD_JSON else "bad_command")
    assert (await bob.join(name="bob"))["room"]["seq"] == before + 2


ILLEGAL: list[tuple[str, dict[str, Any], str]] = [
    ("play", {"game": 2, "ply": 1, "cell": 0}, "wrong_game"),
    ("play", {"game": 1, "ply": 0, "cell": 8}, "stale_ply"),
    ("play", {"game": 1, "ply": 2**64, "cell": 0}, "stale_ply"),
    ("play", {"game": 1, "ply": 1, "cell": -1}, "out_of_board"),
    ("play", {"game": 1, "ply": 1, "cell": 9}, "out_of_board"),
    ("play", {"game": 1, "ply": 1, "cell": 2**64}, "out_of_board"),
    ("play", {"game": 1, "ply": 1, "cell": 4}, "cell_taken"),
    ("resign", {"game": 7}, "wrong_game"),
    ("accept", {"kind": "rematch"}, "no_such_offer"),
    ("decline", {"kind": "draw"}, "no_such_offer"),
    ("offer", {"kind": "rematch"}, "not_allowed"),
    ("join", {"name": "again"}, "already_joined"),
    ("hint", {}, "not_allowed"),
]


@pytest.mark.parametrize(("command", "fields", "code"), ILLEGAL)
async def test_what_is_not_allowed_now_changes_nothing(
    shared: Server, room_name: str, dial: Dial, command: str, fields: dict[str, Any], code: str
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    before = (await bob.until_ply(1))["room"]

    refused = await bob.refusal(command, id="q1", **fields)

    assert (refused["code"], refused["command"], refused["id"]) == (code, command, "q1")
    assert refused["reason"]
    after = (await bob.play(1, 0))["room"]
    assert after["seq"] == before["seq"] + 1
    assert after["game"]["moves"] == [4, 0]


async def test_not_your_turn_shows_the_room_and_a_taken_cell_the_legal_ones(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    early = await bob.refusal("play", game=1, ply=0, cell=0)
    assert early["code"] == "not_your_turn"
    assert early["room"]["game"]["ply"] == 0
    await ada.play(0, 4)
    await bob.until_ply(1)
    taken = await bob.refusal("play", game=1, ply=1, cell=4)
    assert taken["legal"] == [0, 1, 2, 3, 5, 6, 7, 8]
    assert "room" not in taken


async def test_who_may_not_come_in_is_told_why(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob, cyd = [await dial(shared, room_name) for _ in range(3)]
    assert (await cyd.refusal("play", game=1, ply=0, cell=0))["code"] == "not_joined"
    assert (await cyd.refusal("join", role="spectator"))["code"] == "no_such_room"
    token = (await ada.join(name="ada"))["you"]["token"]
    assert (await bob.refusal("join", seat="X"))["code"] == "seat_taken"
    await bob.join(name="bob")
    assert (await cyd.refusal("join"))["code"] == "room_full"
    assert (await cyd.refusal("join", token="forged"))["code"] == "bad_token"
    other = await dial(shared, f"{room_name}-other")
    assert (await other.refusal("join", token=token))["code"] == "bad_token"
    settings = {"rules": {"columns": 5, "rows": 5, "in_a_row": 4}}
    conflict = await cyd.refusal("join", settings=settings)
    assert conflict["code"] == "settings_conflict"
    assert "rules" in conflict["reason"]
    assert (await cyd.join(role="spectator"))["you"]["role"] == "spectator"
    assert (await cyd.refusal("resign", game=1))["code"] == "not_a_player"


async def test_a_room_without_spectators(shared: Server, room_name: str, dial: Dial) -> None:
    ada, eve = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(settings={"spectators": False})
    assert (await eve.refusal("join", role="spectator"))["code"] == "spectators_off"


async def test_frames_that_end_the_connection(shared: Server, room_name: str, dial: Dial) -> None:
    binary, large = await dial(shared, room_name), await dial(shared, room_name)
    await binary.socket.send(b"\x00")
    assert (await binary.receive())["type"] == "goodbye"
    assert await binary.close_code() == 1003
    await large.socket.send("x" * 4097)
    assert (await large.receive())["code"] == 1009
    assert await large.close_code() == 1009


async def test_one_who_does_not_join_has_to_go(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--join-timeout-s", "0.2")
    silent = await dial(server, "room42")
    goodbye = await silent.receive()
    assert (goodbye["type"], goodbye["reason"]) == ("goodbye", "no join came within 0.2 s")
    assert await silent.close_code() == 1008


async def test_who_comes_too_late_takes_no_seat(start_server: StartServer) -> None:
    server = await start_server("--join-timeout-s", "0.2")
    late = await RawPeer.connect(server, "room42")

    async def is_told() -> bool:
        with suppress(BlockingIOError):
            return b"goodbye" in late.socket.recv(1 << 12, socket.MSG_PEEK)
        return False

    await eventually(is_told)
    await late.send(TEXT, b'{"type":"join","name":"late"}')  # it was on its way
    await late.send(CLOSE, b"")
    async with asyncio.timeout(PATIENCE_S):
        assert (await late.listen())["type"] == "goodbye"
    assert (await server.get("/api/rooms/room42"))[0] == 404
    late.close()


async def test_a_flood_is_slowed_and_then_ended(server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "flood")
    await ada.join(name="ada")
    for _ in range(200):
        await ada.socket.send(json.dumps({"type": "hint"}))
    codes = [(await ada.until("refused"))["code"] for _ in range(100)]
    assert codes[:59] == ["not_allowed"] * 59
    assert codes[-1] == "rate_limited"
    assert await ada.close_code() == 1008


async def test_a_flood_in_one_write_has_its_answers_first(start_server: StartServer) -> None:
    server = await start_server("--commands-per-10s", "5", "--command-burst", "5")
    flood = await RawPeer.connect(server, "flood")
    hints = frame(TEXT, b'{"type":"hint"}') * 100
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(flood.socket, frame(TEXT, b'{"type":"join"}') + hints)
    told: list[Message] = []
    async with asyncio.timeout(PATIENCE_S):
        await flood.listen(told.append)
    flood.close()
    codes = [message["code"] for message in told if "code" in message]
    assert codes == ["not_allowed"] * 4 + ["rate_limited"] * 5 + [1008]


async def test_a_flood_that_waits_for_each_answer_is_ended_too(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--commands-per-10s", "200", "--command-burst", "200")
    ada = await dial(server, "flood")
    await ada.join(name="ada")
    for _ in range(900):  # fewer than what is too many frames; now and then one is heard
        await ada.send("hint")
        while (answer := await ada.receive())["type"] == "presence":
            pass
        if answer["type"] == "goodbye":
            break
    assert answer.get("code") == 1008
    assert answer["reason"] == "too many messages came at once; try again in ten seconds"


async def test_rooms_beyond_the_limit_are_refused(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--max-rooms-per-address", "1")
    ada, bob = await dial(server, "one"), await dial(server, "two")
    await ada.join(name="ada")
    assert (await bob.refusal("join"))["code"] == "server_full"
