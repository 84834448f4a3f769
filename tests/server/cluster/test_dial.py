"""The connections to other servers."""

import asyncio
import socket

import pytest

from ttt_server.cluster import dial as dial_module
from ttt_server.cluster.dial import PeerUnreachable, ask, dial


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system cannot")
async def test_a_silent_connection_ends() -> None:
    listening = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    made = asyncio.get_running_loop().create_future()

    class End(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            made.set_result(transport)

    await dial(f"ws://127.0.0.1:{port}", End)
    transport = await made
    connected = transport.get_extra_info("socket")
    assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 5000
    transport.abort()
    listening.close()
    await listening.wait_closed()


async def test_nothing_listens() -> None:
    with pytest.raises(PeerUnreachable, match=r"ws://127\.0\.0\.1:1: "):
        await dial("ws://127.0.0.1:1", asyncio.Protocol)


async def test_a_server_that_does_not_answer_times_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dial_module, "DIAL_S", 0.01)
    listening = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    with pytest.raises(PeerUnreachable, match="timed out"):
        await ask(f"ws://127.0.0.1:{port}", "/", ())
    listening.close()
    await listening.wait_closed()


class Talkative(asyncio.Protocol):
    """Has a long answer to everything."""

    BODY = b"x" * 1_000_000

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:  # noqa: ARG002 - whatever the question
        self._transport.write(b"HTTP/1.1 200 OK\r\n\r\n" + self.BODY)
        self._transport.close()


async def test_a_long_answer_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    listening = await asyncio.get_running_loop().create_server(Talkative, "127.0.0.1", 0)
    address = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    assert await ask(address, "/", ()) == Talkative.BODY
    monkeypatch.setattr(dial_module, "_MOST", 300_000)
    assert len(await ask(address, "/", ())) < 300_000
    listening.close()
    await listening.wait_closed()
