"""Several servers on one database."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.bench.server import descendants
from tests.integration.programs import ServerProcess, StartServer

StartCluster = Callable[..., Awaitable[list[ServerProcess]]]

QUICK = "--lease-s", "2"
"""Options of servers whose lease is waited for."""

ROOMY = (
    *("--max-connections-per-address", "10000", "--max-rooms-per-address", "10000"),
    *("--commands-per-10s-per-address", "1000000"),
)
"""Options that let one address do as much as many."""


def children(server: ServerProcess) -> list[int]:
    """The processes of a server with `--processes`, in the order in which they were started."""
    return [
        pid
        for pid in sorted(descendants(server.process.pid))
        if b"ttt_server.cli.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.fixture
def start_cluster(start_server: StartServer, database: str) -> StartCluster:
    """Starts so many servers on the test's database."""

    async def start(count: int, *options: str, store: str = "", **how: str) -> list[ServerProcess]:
        return [
            await start_server("--store", store or database, *QUICK, *options, **how)
            for _ in range(count)
        ]

    return start
