"""A membership ends with the WebSocket, though a client keeps its TCP connection; and faults."""

import asyncio
import json
import re
import ssl
from typing import Any

import pytest

from tests.integration.hostile import CLOSE, TEXT, RawClient, close_code, frame, messages
from tests.integration.programs import Dial, ServerProcess, StartServer, eventually

SOON_S = 2
"""Well before `--send-timeout-s`, 5 seconds, when a client that does not go is cut."""


def said(**message: Any) -> bytes:
    return frame(TEXT, json.dumps(message).encode())


async def raw_member(server: ServerProcess, room: str, name: str, **fields: Any) -> RawClient:
    """Join, and wait for the answer."""
    peer = await RawClient.connect(server)
    assert await peer.upgrade(server, room) == 101
    peer.send(said(type="join", name=name, **fields))
    assert b'"welcome"' in await peer.reader.read(1 << 16)
    return peer


async def test_a_close_frame_tells_the_room_though_the_socket_stays(
    server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "den")
    await ada.join(name="ada")
    bob = await raw_member(server, "den", "bob")
    while not (await ada.until("presence"))["seats"]["O"]:
        pass
    bob.send(frame(CLOSE, (1000).to_bytes(2)))
    async with asyncio.timeout(SOON_S):
        while (await ada.until("presence"))["seats"]["O"]:
            pass
    bob.cut()


@pytest.mark.parametrize("end", [frame(CLOSE), said(type="leave")], ids=["close", "leave"])
async def test_an_empty_room_goes_though_the_last_sockets_stay(
    start_server: StartServer, end: bytes
) -> None:
    server = await start_server("--room-idle-s", "0.1")
    peers = [await raw_member(server, "hall", name) for name in ("ada", "bob")]

    async def rooms() -> int:
        peer = await RawClient.connect(server)
        peer.send(b"GET /metrics HTTP/1.0\r\n\r\n")
        counts = re.findall(rb"^ttt_rooms{.*} ([0-9]+)", await peer.rest(), re.MULTILINE)
        return sum(map(int, counts))

    async def is_gone() -> bool:
        return await rooms() == 0

    assert await rooms() == 1
    for peer in peers:
        peer.send(end)
    await eventually(is_gone, SOON_S)
    for peer in peers:
        peer.cut()


async def test_commands_before_a_malformed_frame_are_answered_first(server: ServerProcess) -> None:
    peer = await RawClient.connect(server)
    assert await peer.upgrade(server, "cave") == 101
    commands = said(type="join", name="ada") + said(type="say", text="one") + said(type="nonsense")
    peer.send(commands + frame(TEXT, b"\xff") + said(type="say", text="two"))
    heard = await peer.rest()
    kinds = [each["type"] for each in messages(heard) if each["type"] != "presence"]
    assert kinds == ["welcome", "said", "refused", "goodbye"]
    assert close_code(heard) == 1007


async def test_tls_on_the_plain_port_is_told_at_once(server: ServerProcess) -> None:
    context = ssl.create_default_context()
    for _ in range(2):
        async with asyncio.timeout(SOON_S):
            with pytest.raises(ssl.SSLError, match=r"(?i)alert handshake failure"):
                await asyncio.open_connection("127.0.0.1", server.port, ssl=context)
    assert await server.stop() == 0
    assert (await server.log()).count("TLS on the plain port") == 1
