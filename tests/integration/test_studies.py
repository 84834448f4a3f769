"""Traces over real sockets: no address keeps another from one, and they end with their client."""

import asyncio
import socket
from pathlib import Path

import pytest

from tests.integration.programs import PATIENCE_S, ServerProcess, StartServer, eventually

LONG = "/api/trace?rules=4x3x3&strategy=brute&moves=a1b2"
"""A seventh of a second of thought: far below its limit of 4.5 s on a busy machine, too."""

SHORT = "/api/trace?moves=b2&strategy=rules"


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server()


async def ask(server: ServerProcess, path: str, address: str) -> socket.socket:
    """Send a request from an address of this machine, and wait for no answer."""
    loop = asyncio.get_running_loop()
    client = socket.socket()
    client.setblocking(False)
    client.bind((address, 0))
    await loop.sock_connect(client, ("127.0.0.1", server.port))
    host = f"127.0.0.1:{server.port}"
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    await loop.sock_sendall(client, request.encode())
    return client


async def answer(client: socket.socket) -> int:
    """The status of the answer, once it has come."""
    async with asyncio.timeout(PATIENCE_S):
        head = await asyncio.get_running_loop().sock_recv(client, 4096)
    client.close()
    return int(head.split()[1])


def children(server: ServerProcess) -> set[str]:
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    return {child for each in tasks for child in each.read_text().split()}


async def test_one_address_does_not_keep_another_from_a_trace_and_its_own_end_with_it(
    server: ServerProcess,
) -> None:
    assert await answer(await ask(server, SHORT, "127.0.0.1")) == 200  # there is a process now
    many = [await ask(server, LONG, "127.0.0.1") for _ in range(40)]
    answers = [asyncio.create_task(answer(client)) for client in many]
    for each in asyncio.as_completed(answers):
        if (status := await each) == 429:
            break
    assert status == 429, "an address has not so many places"
    (worker,) = children(server)
    await go(answers, many)

    async def given_up() -> bool:
        return worker not in children(server)

    await eventually(given_up)
    assert await answer(await ask(server, SHORT, "127.0.0.1")) == 200
    many = [await ask(server, LONG, "127.0.0.1") for _ in range(10)]
    other = asyncio.create_task(answer(await ask(server, SHORT, "127.0.0.2")))
    last = asyncio.create_task(answer(many[-1]))
    done, _ = await asyncio.wait((other, last), return_when=asyncio.FIRST_COMPLETED)
    assert other in done
    assert other.result() == 200
    await go([last], many)


async def go(answers: list[asyncio.Task[int]], clients: list[socket.socket]) -> None:
    """Wait for no answer any more, and close the connections."""
    for each in answers:
        each.cancel()
    await asyncio.gather(*answers, return_exceptions=True)
    for client in clients:
        client.close()
