"""Plain requests, one after another on one connection of a real server."""

import asyncio
import re

from tests.integration.programs import PATIENCE_S, Server, ServerProcess, StartServer

UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


class Client:
    """One connection, and its requests."""

    def __init__(
        self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer
        self._server = server

    @classmethod
    async def connect(cls, server: Server) -> "Client":
        return cls(server, *await asyncio.open_connection("127.0.0.1", server.port))

    def send(self, *lines: str, headers: str = "") -> None:
        host = f"Host: 127.0.0.1:{self._server.port}\r\n"
        heads = [f"{line} HTTP/1.1\r\n{host}{headers}\r\n" for line in lines]
        self.writer.write("".join(heads).encode())

    async def head(self) -> str:
        async with asyncio.timeout(PATIENCE_S):
            return (await self.reader.readuntil(b"\r\n\r\n")).decode()

    async def answer(self) -> tuple[int, str, bytes]:
        """The status, the head and the body of one answer."""
        head = await self.head()
        length = re.search(r"(?im)^Content-Length: (\d+)\r", head)
        async with asyncio.timeout(PATIENCE_S):
            body = await self.reader.readexactly(int(length[1]) if length else 0)
        return int(head.split()[1]), head, body

    async def rest(self) -> bytes:
        """All that comes to the end."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.reader.read()


async def test_one_connection_serves_a_browser(shared: Server) -> None:
    client = await Client.connect(shared)
    client.send("GET /", headers="Accept-Encoding: gzip\r\n")
    status, head, page = await client.answer()
    tag = re.search(r"ETag: (.*)\r", head)
    assert (status, bool(page), "Connection" in head) == (200, True, False)
    assert tag
    client.send("GET /", headers=f"Accept-Encoding: gzip\r\nIf-None-Match: {tag[1]}\r\n")
    assert (await client.answer())[0] == 304
    client.send("HEAD /")
    assert "200" in (await client.head()).split("\r\n")[0]
    client.send("GET /nowhere", headers="Accept: text/html\r\n")
    assert (await client.answer())[0] == 404, "a page, after which others are asked for"
    client.send("GET /healthz", "GET /api/rooms", "GET /healthz")
    bodies = [(await client.answer())[2] for _ in range(3)]
    assert bodies[0] == bodies[2] == b'{"status":"ok"}'
    assert bodies[1].startswith(b'{"rooms":')
    client.send("GET /ws/lobby", headers=UPGRADE)
    assert "101" in (await client.head()).split("\r\n")[0]
    async with asyncio.timeout(PATIENCE_S):
        await client.reader.readuntil(b'"type":"rooms"')
    client.writer.close()


async def test_the_last_request_of_a_connection(shared: Server) -> None:
    client = await Client.connect(shared)
    client.send("GET /healthz")
    assert "Connection" not in (await client.answer())[1]
    client.send("GET /healthz", "GET /", headers="Connection: close\r\n")
    said = await client.rest()
    assert said.count(b"HTTP/1.1 200 ") == 1
    assert b"\r\nConnection: close\r\n" in said
    client.writer.close()


async def test_a_body_is_refused_and_is_no_request(shared: Server) -> None:
    client = await Client.connect(shared)
    client.send("GET /healthz")
    await client.answer()
    client.send("GET /", headers="Content-Length: 40\r\n")
    client.send("GET /healthz")
    said = await client.rest()
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1
    client.writer.close()


async def test_a_stop_does_not_wait_for_connections_that_wait(
    start_server: StartServer,
) -> None:
    server: ServerProcess = await start_server("--drain-s", "60", "--send-timeout-s", "60")
    clients = [await Client.connect(server) for _ in range(3)]
    for client in clients:
        client.send("GET /healthz")
        await client.answer()
    assert await server.stop() == 0
    for client in clients:
        assert await client.rest() == b""
        client.writer.close()
