"""Several servers on one database."""

from collections.abc import Awaitable, Callable

import pytest

from tests.integration.programs import ServerProcess, StartServer

StartCluster = Callable[..., Awaitable[list[ServerProcess]]]

QUICK = "--lease-s", "2"
"""Options of servers whose lease is waited for."""


@pytest.fixture
def start_cluster(start_server: StartServer, database: str) -> StartCluster:
    """Starts so many servers on the test's database."""

    async def start(count: int, *options: str, store: str = "") -> list[ServerProcess]:
        return [
            await start_server("--store", store or database, *QUICK, *options) for _ in range(count)
        ]

    return start
