"""Programs that end with the test, and one server that many tests share."""

from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from tests.integration import prepared
from tests.integration.players import ClientProcess, Run
from tests.integration.programs import (
    Dial,
    ServerProcess,
    SharedServer,
    StartServer,
    connections,
    environment,
    program,
    servers,
)

_HERE = Path(__file__).parent
_numbers = count(1)


_PROGRAMS = {"shared", "start_server", "run", "open_terminal", "tmux", "windows"}
"""Fixtures that start programs."""

_PLAIN = (
    *("test_architecture", "test_build", "test_docs", "test_spreadsheet"),
    *("test_bot", "test_client", "test_tui", "test_web_front"),
)
"""How files begin whose tests are of the client, the page, a build or a document.

What they ask of a server, other files ask too.
"""


@cache  # a file has up to hundreds of tests
def _is_here(path: Path) -> bool:
    return path.is_relative_to(_HERE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder.

    Tests that start programs are slow; those that only use the shared server are not. None counts
    towards the coverage of the pure modules, which have tests of their own. CI runs those of what
    is never compiled once, and the others with the compiled wheel too.
    """
    for item in items:
        if _is_here(item.path) and isinstance(item, pytest.Function):
            programs = _PROGRAMS & set(item.fixturenames)
            if pytest_asyncio.is_async_test(item) and programs != {"shared"}:
                item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.no_cover)
            if item.path.name.startswith(_PLAIN):
                item.add_marker(pytest.mark.plain)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedServer]:
    """A server for each test that keeps to rooms of its own, and harms nothing."""
    server = SharedServer(tmp_path_factory.mktemp("shared"))
    yield server
    server.stop()


@pytest.fixture
def room_name() -> str:
    """The name of a room in which no other test is."""
    return f"room{next(_numbers)}"


@pytest.fixture
async def start_server(tmp_path: Path) -> AsyncIterator[StartServer]:
    async with servers(tmp_path) as start:
        yield start


@pytest.fixture
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server()


@pytest.fixture
async def dial() -> AsyncIterator[Dial]:
    async with connections() as open_socket:
        yield open_socket


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    """Starts clients; `home` tells apart the machines that they run on."""
    started: list[Process] = []

    async def start(*arguments: str, home: str = "home", **variables: str) -> ClientProcess:
        process = await prepared.start(
            program("ttt-client"),
            *arguments,
            stdin=PIPE,
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
