"""Programs that end with the test."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.integration.players import ClientProcess, Run
from tests.integration.programs import (
    Dial,
    ServerProcess,
    SimpleClient,
    StartServer,
    check_log,
    environment,
    program,
)

if TYPE_CHECKING:
    from tests.integration.browser import Windows


@pytest.fixture
async def start_server(tmp_path: Path) -> AsyncIterator[StartServer]:
    """Starts servers with the given options; they end with the test, their logs clean."""
    started: list[ServerProcess] = []

    async def start(
        *options: str, data: Path = tmp_path / "data", under: tuple[str, ...] = ()
    ) -> ServerProcess:
        server = ServerProcess(data, *options, under=under)
        await server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        if server.process.returncode is None:
            assert await server.stop() == 0
        check_log(await server.log())


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server()


@pytest.fixture
async def dial() -> AsyncIterator[Dial]:
    """Connects to a room (or any path) of a server."""
    sockets: list[ClientConnection] = []

    async def open_socket(server: ServerProcess, path: str, **options: Any) -> SimpleClient:
        path = path if path.startswith("/") else f"/ws/rooms/{path}"
        options = {"subprotocols": ["ttt.v1"], "compression": None} | options
        socket = await connect(server.address + path, **options)
        sockets.append(socket)
        return SimpleClient(socket)

    yield open_socket
    for socket in sockets:
        await socket.close()


@pytest.fixture
async def windows(
    start_server: StartServer,  # noqa: ARG001 - the servers outlive the windows
) -> AsyncIterator["Windows"]:
    """Browser windows; the test fails if one of them complained."""
    # Here, as not everyone who runs the other tests has what it needs.
    from tests.integration.browser import Windows, chromium  # noqa: PLC0415

    async with chromium() as browser:
        opened = Windows(browser)
        yield opened
    assert opened.complaints == []


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    """Starts clients; `home` tells apart the machines that they run on."""
    started: list[Process] = []

    async def start(*arguments: str, home: str = "home", **variables: str) -> ClientProcess:
        process = await asyncio.create_subprocess_exec(
            program("ttt-client"),
            *arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment(
                HOME=str(tmp_path / home), XDG_STATE_HOME=str(tmp_path / home), **variables
            ),
        )
        started.append(process)
        return ClientProcess(process)

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
