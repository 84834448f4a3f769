"""The database file: its modes, and its write-ahead log."""

import resource
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.server.storage.appends import DEN, append, events, load
from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import opening
from ttt_server.storage.sqlite.store import SqliteStore


@pytest.mark.usefixtures("store")
async def test_the_file_is_private(path: Path) -> None:
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_commit_survives_the_machine(store: SqliteStore) -> None:
    def pragma(name: str) -> Any:
        return store._tables.database.execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("synchronous") == 2
    assert pragma("journal_mode") == "wal"
    assert pragma("locking_mode") == "exclusive"


@pytest.mark.parametrize(
    "row",
    [
        "lessons VALUES ('abcX', 0, 1)",
        "lessons VALUES ('04Q', 0, 1)",
    ],
)
async def test_rows_that_no_server_has_written(path: Path, row: str) -> None:
    await SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"INSERT INTO {row}")
    with pytest.raises(CannotOpen, match="damaged"):
        SqliteStore(path)


def free_on_disk(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    usage = shutil.disk_usage("/")._replace(free=size)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)


@pytest.mark.slow
async def test_the_log_beside_the_file_is_written_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_on_disk(monkeypatch, 2**30)
    store = SqliteStore(path)
    log = path.with_name(f"{path.name}-wal")
    first = log.stat().st_size
    assert 4 * 2**20 < first < 5 * 2**20
    for seq in range(1, 1500):
        await append(store, RoomName(f"room{seq % 50}"), events(1 + seq // 50, 1 + seq // 50))
        assert log.stat().st_size == first, "to make it longer takes longer"
    await store.close()


async def test_where_there_is_no_place_the_log_is_short(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_on_disk(monkeypatch, 2**30)
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, most))
    try:
        store = SqliteStore(path)
        await append(store, DEN, events(1, 1))
        assert path.with_name(f"{path.name}-wal").stat().st_size < 2**20, (
            "what it took is given back"
        )
        assert await load(store, DEN) == events(1, 1)
        await store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


async def test_where_there_is_little_place_the_log_takes_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_on_disk(monkeypatch, 2**23)
    store = SqliteStore(path)
    await append(store, DEN, events(1, 1))
    assert path.with_name(f"{path.name}-wal").stat().st_size < 2**20
    await store.close()


async def test_a_log_that_a_large_batch_made_longer_is_cut_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_on_disk(monkeypatch, 2**23)
    monkeypatch.setattr(opening, "LOG_BYTES", 2**16)
    store = SqliteStore(path)
    log = path.with_name(f"{path.name}-wal")
    await append(store, DEN, events(1, 3000))
    assert log.stat().st_size > 2**17
    store._tables.database.execute("PRAGMA wal_checkpoint")  # as after some thousand pages
    await append(store, DEN, events(3001, 3001))
    assert log.stat().st_size == 2**16
    assert await load(store, DEN) == events(1, 3001)
    await store.close()
