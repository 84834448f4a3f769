"""Stores by their URLs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, append, events
from tests.server.storage.sqlite.stores import snapshot
from ttt_server.storage import has_rooms, open_store
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.memory import MemoryStore


async def test_memory_is_in_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert isinstance(await open_store("memory:", folder), MemoryStore)
    assert not has_rooms("memory:", folder)
    assert not folder.exists()


async def test_a_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "ttt"
    store = await open_store("sqlite:", folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "ttt.sqlite3").exists()
    await store.close()


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotOpen, match="file/data: Not a directory"):
        await open_store("sqlite:", tmp_path / "file" / "data")


def test_postgres_is_in_no_folder(tmp_path: Path) -> None:
    (tmp_path / "ttt.sqlite3").write_bytes(b"this is of another server")
    assert not has_rooms("postgresql://ttt@127.0.0.1/ttt", tmp_path)


def test_no_database_has_no_rooms(tmp_path: Path) -> None:
    assert not has_rooms("sqlite:", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["events", "journal", "write-ahead log"])
async def test_rooms_are_found_wherever_their_events_are(tmp_path: Path, place: str) -> None:
    file = tmp_path / "ttt.sqlite3"
    store = await open_store("sqlite:", tmp_path)
    await store.close()
    assert not has_rooms("sqlite:", tmp_path)
    store = await open_store("sqlite:", tmp_path)
    await append(store, DEN, events(1, 2))
    files = snapshot(tmp_path)
    await store.close()  # which settles the journal
    if place == "journal":
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("INSERT INTO journal SELECT * FROM events")
            database.execute("DELETE FROM events")
    if place == "write-ahead log":
        for name, content in files.items():  # as after a crash
            (tmp_path / name).write_bytes(content)
    before = snapshot(tmp_path)
    assert has_rooms("sqlite:", tmp_path)
    assert snapshot(tmp_path) == before


async def test_a_deleted_room_is_none(tmp_path: Path) -> None:
    store = await open_store("sqlite:", tmp_path)
    await append(store, DEN, events(1, 2))
    await store.delete(DEN)
    await store.close()
    assert not has_rooms("sqlite:", tmp_path)


def test_a_damaged_database_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "ttt.sqlite3").write_bytes(b"a diary\n" * 99)
    with pytest.raises(CannotOpen, match=r"ttt\.sqlite3: file is not a database"):
        has_rooms("sqlite:", tmp_path)
