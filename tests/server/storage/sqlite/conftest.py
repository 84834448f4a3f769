from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.storage.sqlite.stores import Gate
from ttt_server.storage.sqlite import store as module
from ttt_server.storage.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ttt.sqlite3"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    await store.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(module, "transaction", gate.transaction)
    return gate
