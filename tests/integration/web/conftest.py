"""Fixtures for tests of the page; they live on the event loop of the session, as their browser."""

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.integration.programs import Dial, ServerProcess, StartServer, connections, servers

if TYPE_CHECKING:
    from tests.integration.web.browser import Windows

_HERE = Path(__file__).parent
_LIGHT = "test_web_front.py"
"""The file that each run of all tests has: the way of a newcomer, from the front page into a game.

A browser is most of what the tests of the page cost: the others are heavy.
"""


@cache  # a file has up to hundreds of tests
def _is_here(path: Path) -> bool:
    return path.is_relative_to(_HERE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of this folder on the event loop of the session, and mark what is heavy."""
    for item in items:
        if _is_here(item.path) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            if item.path.name != _LIGHT:
                item.add_marker(pytest.mark.heavy)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def all_windows() -> AsyncIterator["Windows"]:
    """The windows of the one Chromium of this process."""
    # Imported here, because a machine for the other tests may lack what it needs.
    from tests.integration.web.browser import Windows, chromium  # noqa: PLC0415

    async with chromium() as browser:
        yield Windows(browser)


@pytest_asyncio.fixture(loop_scope="session")
async def start_server(tmp_path: Path) -> AsyncIterator[StartServer]:
    async with servers(tmp_path) as start:
        yield start


@pytest_asyncio.fixture(loop_scope="session")
async def server(start_server: StartServer) -> ServerProcess:
    return await start_server()


@pytest_asyncio.fixture(loop_scope="session")
async def dial() -> AsyncIterator[Dial]:
    async with connections() as open_socket:
        yield open_socket


@pytest_asyncio.fixture(loop_scope="session")
async def windows(
    all_windows: "Windows",
    start_server: StartServer,  # noqa: ARG001 - the servers outlive what the windows show
) -> AsyncIterator["Windows"]:
    """Browser windows; the test fails if one of them complained."""
    all_windows.complaints.clear()
    yield all_windows
    complaints = all_windows.complaints.copy()
    await all_windows.close()
    assert complaints == []
