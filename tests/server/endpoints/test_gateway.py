import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ttt_protocol.state import RoomName
from ttt_server.config.options import Config
from ttt_server.endpoints import gateway
from ttt_server.endpoints.http import HttpApi
from ttt_server.server import Server, serve
from ttt_server.storage.base import Excerpt, StorageFailed
from ttt_server.storage.memory import MemoryStore

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
Ask = Callable[..., Awaitable[tuple[bytes, bytes]]]


class Slow(MemoryStore):
    """No read of it ends."""

    async def load(
        self,
        room: RoomName,  # noqa: ARG002 - any; so the next two
        after: int | None = None,  # noqa: ARG002
        most: int | None = None,  # noqa: ARG002
    ) -> Excerpt:
        never: asyncio.Future[Excerpt] = asyncio.get_running_loop().create_future()
        return await never


class Broken(MemoryStore):
    """No read of it goes well."""

    async def load(
        self,
        room: RoomName,
        after: int | None = None,  # noqa: ARG002 - any
        most: int | None = None,  # noqa: ARG002 - the same
    ) -> Excerpt:
        raise StorageFailed(room)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
async def server(tmp_path: Path, store: MemoryStore) -> AsyncIterator[Server]:
    config = Config(port=0, data=tmp_path, max_connections=2)
    async with serve(config, store=store) as server:
        yield server


@pytest.fixture
def ask(server: Server) -> Ask:
    here = urlsplit(server.address).netloc

    async def ask(path: str, headers: str = "", *, method: str = "GET") -> tuple[bytes, bytes]:
        """The head of the answer and what follows, up to the end."""
        reader, writer = await asyncio.open_connection(*here.split(":"))
        last = "" if "Connection" in headers else "Connection: close\r\n"
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: {here}\r\n{headers}{last}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        is_open = head.startswith(b"HTTP/1.1 101 ")
        body = b"" if is_open else await reader.read()
        writer.close()
        await writer.wait_closed()
        return head, body

    return ask


@pytest.mark.parametrize("path", ["/ws/rooms/den", "/ws/lobby", "/ws/lobby?x", "/ws/play"])
async def test_a_websocket_is_opened(ask: Ask, path: str) -> None:
    head, _ = await ask(path, UPGRADE)
    assert head.startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize("path", ["/healthz", "/api/rooms"])
@pytest.mark.parametrize("headers", ["", UPGRADE])
async def test_a_plain_request_is_answered(ask: Ask, path: str, headers: str) -> None:
    head, body = await ask(path, headers)
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body


@pytest.mark.parametrize("path", ["/ws/rooms/a_b", "/nothing", "/api/rooms/none"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_missing_page_is_a_404(ask: Ask, path: str, method: str) -> None:
    head, body = await ask(path, UPGRADE, method=method)
    assert head.startswith(b"HTTP/1.1 404 ")
    assert bool(body) is (method == "GET")


async def test_a_page_of_another_site_opens_no_websocket(ask: Ask) -> None:
    head, _ = await ask("/ws/rooms/den", UPGRADE + "Origin: http://elsewhere\r\n")
    assert head.startswith(b"HTTP/1.1 403 ")
    head, _ = await ask("/healthz", "Origin: http://elsewhere\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")


async def test_a_target_may_be_a_whole_url(server: Server, ask: Ask) -> None:
    here = f"http://{urlsplit(server.address).netloc}"
    for method in ("GET", "HEAD"):
        head, _ = await ask(f"{here}/healthz", method=method)
        assert head.startswith(b"HTTP/1.1 200 ")
    head, _ = await ask(f"{here}/ws/rooms/den", f"{UPGRADE}Origin: {here}\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")


async def test_the_host_in_the_target_is_the_one_that_is_checked(server: Server, ask: Ask) -> None:
    head, _ = await ask("http://evil.example/healthz")
    assert head.startswith(b"HTTP/1.1 403 ")
    for origin in ("http://evil.example", f"http://{urlsplit(server.address).netloc}"):
        head, _ = await ask("http://evil.example/ws/lobby", f"{UPGRADE}Origin: {origin}\r\n")
        assert head.startswith(b"HTTP/1.1 403 ")


async def test_a_full_server_answers_only_its_operators(server: Server, ask: Ask) -> None:
    here = urlsplit(server.address).netloc
    guests = [await asyncio.open_connection(*here.split(":")) for _ in range(2)]
    for reader, writer in guests:
        writer.write(f"GET /ws/lobby HTTP/1.1\r\nHost: {here}\r\n{UPGRADE}\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
    for path in ("/", "/ws/lobby"):
        head, body = await ask(path, UPGRADE)
        assert head.startswith(b"HTTP/1.1 503 ")
        assert body == b"the server is full\n"
    for path in (*gateway.FOR_OPERATORS, f"http://{here}/healthz"):
        head, _ = await ask(path)
        assert head.startswith(b"HTTP/1.1 200 ")
    for _, writer in guests:
        writer.close()


@pytest.mark.parametrize("store", [Slow()], ids=["slow"])
async def test_an_answer_that_takes_too_long(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "HANDSHAKE_TIMEOUT_S", 0)
    head, words = await ask("/api/rooms/den")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After" in head
    assert words == b"timed out; try again\n"


@pytest.mark.parametrize("store", [Broken()], ids=["broken"])
async def test_a_store_that_fails(ask: Ask) -> None:
    head, words = await ask("/api/rooms/den")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert words == b"the store fails\n"


@pytest.mark.parametrize("place", ["__init__", "respond"])
async def test_a_fault_of_the_server(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("never thought of")

    monkeypatch.setattr(HttpApi, place, fail)
    with caplog.at_level(logging.ERROR):
        head, words = await ask("/api/rooms")
    assert head.startswith(b"HTTP/1.1 500 ")
    assert words == b"internal server error\n"
    assert "never thought of" in caplog.text
