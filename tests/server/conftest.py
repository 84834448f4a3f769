import os
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from tests import misbehaving as package
from tests.server.fakes import FragileStore
from tests.server.hubs import Hubs
from ttt_engine import strategies as registry
from ttt_server.ai.process_pool import LONGEST_ANSWER, Worker
from ttt_server.rooms.hub import Hub
from ttt_server.storage import DATABASE
from ttt_server.storage.base import EventStore
from ttt_server.storage.memory import MemoryStore
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.storage.sqlite.store import SqliteStore


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what starts the processes of misbehaving strategies, and waits for their end."""
    for item in items:
        if isinstance(item, pytest.Function) and "misbehaving" in item.fixturenames:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
async def hubs() -> AsyncIterator[Hubs]:
    """Makes hubs, and closes them in the end."""
    hubs = Hubs()
    yield hubs
    await hubs.close()


@pytest.fixture
def store() -> FragileStore:
    """Where the hub keeps what happens."""
    return FragileStore()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def each_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[EventStore]:
    """A store of each kind, one after the other."""
    made: EventStore
    match request.param:
        case "memory":
            made = MemoryStore()
        case "sqlite":
            made = SqliteStore(tmp_path / DATABASE)
        case _:
            made = await PostgresStore.open(request.getfixturevalue("database"))
    yield made
    await made.close()


@pytest.fixture
async def hub(hubs: Hubs, store: FragileStore) -> Hub:
    return hubs.open(store)


@pytest.fixture
def misbehaving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of misbehaving strategies is installed."""
    package.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    os.mkfifo(tmp_path / "pids")
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    registry._plugins.cache_clear()
    yield
    registry._plugins.cache_clear()


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """The processes that were started."""
    started: list[Worker] = []
    start = Worker.start

    async def noted(
        command: Sequence[str], stderr: int | None = DEVNULL, longest: int = LONGEST_ANSWER
    ) -> Worker:
        started.append(await start(command, stderr, longest))
        return started[-1]

    monkeypatch.setattr(Worker, "start", noted)
    return started
