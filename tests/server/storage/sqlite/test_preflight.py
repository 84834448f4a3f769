"""Files that cannot be served are refused, and left as they were."""

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, append, events, load
from tests.server.storage.sqlite.stores import (
    crashed,
    fill,
    leave_unfinished,
    refused,
    run,
    snapshot,
)
from ttt_protocol.codec import InvalidWire
from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.sqlite.preflight import APPLICATION_ID, VERSION, log_damage
from ttt_server.storage.sqlite.store import SqliteStore


async def test_one_server_a_file(store: SqliteStore, path: Path) -> None:
    await append(store, DEN, events(1, 1))
    assert await refused(path) == "another server is using it"
    await append(store, DEN, events(2, 2))
    assert await load(store, DEN) == events(1, 2)


async def test_another_process_finds_it_in_use(store: SqliteStore, path: Path) -> None:
    await append(store, DEN, events(1, 1))
    program = (
        "import sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], timeout=0)\n"
        "database.execute('SELECT 1 FROM events')\n"
    )
    status, complaint = await run(program, path)
    assert status == 1
    assert "database is locked" in complaint


async def test_a_file_that_is_free_again(path: Path) -> None:
    for _ in range(3):
        await SqliteStore(path).close()


async def test_a_foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE songs (name)")
    assert await refused(path) == "is a database of another program"


async def test_a_foreign_database_with_an_id(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA application_id = 1")
    assert await refused(path) == "is a database of another program"


async def test_a_newer_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
        database.execute("CREATE TABLE events (room)")
    assert await refused(path) == "was written by a newer version of this server"


@pytest.mark.parametrize("application", [1, APPLICATION_ID])
async def test_what_another_program_has_not_finished_is_left_to_it(
    path: Path, application: int
) -> None:
    leave_unfinished(
        path,
        "PRAGMA journal_mode = WAL",
        f"PRAGMA application_id = {application}",
        f"PRAGMA user_version = {VERSION + 1}",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "CREATE TABLE songs (name)",
    )
    await refused(path)


async def test_a_foreign_database_that_was_never_closed(path: Path) -> None:
    leave_unfinished(path, "PRAGMA journal_mode = WAL", "CREATE TABLE songs (name)")
    assert await refused(path) == "is a database of another program"


@pytest.mark.parametrize("content", [b"not a database at all\n" * 99, b"SQLite format 3\0" * 99])
async def test_a_damaged_file(path: Path, content: bytes) -> None:
    fill(path, content)
    await refused(path)


async def test_a_file_that_was_cut_off(path: Path) -> None:
    store = SqliteStore(path)
    for seq in range(1, 200):
        await append(store, DEN, events(seq, seq))
    await store.close()
    content = snapshot(path.parent)[path.name]
    assert len(content) > 8192
    fill(path, content[:4096])
    await refused(path)


@pytest.mark.parametrize("at", [0, 16, 20, 28, 40, 96, 100, 108, *range(4096, 20_000, 1511)])
@pytest.mark.slow
async def test_a_page_that_was_overwritten(path: Path, at: int) -> None:
    await crashed(path)
    log = path.with_name(f"{path.name}-wal")
    files = snapshot(path.parent)
    content = bytearray(files[path.name])
    content[at : at + 16] = b"\xa5" * 16
    for logged in (files[log.name], b""):
        fill(path, bytes(content))
        fill(log, logged)
        before = snapshot(path.parent)
        try:
            store = SqliteStore(path)
        except CannotOpen:
            assert snapshot(path.parent) == before
            continue
        # The log beside it has that page anew, or it is within an event: its room is not served.
        with suppress(InvalidWire, StorageFailed):
            assert await load(store, DEN) == events(1, 300)
        await append(store, RoomName("other"), events(1, 1))
        await store.close()


@pytest.mark.parametrize("length", [1, 99, 100, 4095, 4096, 5000, 8192])
async def test_a_file_that_was_cut_off_beside_its_log(path: Path, length: int) -> None:
    await crashed(path)
    fill(path, snapshot(path.parent)[path.name][:length])
    await refused(path)


async def test_a_file_that_was_emptied_beside_its_log(path: Path) -> None:
    await crashed(path)
    fill(path, b"")
    assert "is empty, and its log is not" in await refused(path)


FRAME = 24 + 4096


@pytest.mark.parametrize(
    ("harmed", "words"),
    [
        (lambda _: b"rubbish " * 999, "is not an SQLite log"),
        (lambda log: log[:20], "is cut"),
        (lambda log: log + overwritten(log[-FRAME:]), "is overwritten"),
    ],
    ids=["rubbish", "in its header", "rubbish after it"],
)
async def test_a_log_that_is_damaged(
    path: Path,
    harmed: Callable[[bytes], bytes],
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await crashed(path)
    log = path.with_name(f"{path.name}-wal")
    fill(log, harmed(log.read_bytes()))
    told = await refused(path)
    assert words in told
    assert "--accept-loss" in told
    assert not caplog.messages
    store = SqliteStore(path, accept_loss=True)
    assert words in caplog.text
    assert (await load(store, DEN))[:1] == events(1, 1)
    await append(store, RoomName("other"), events(1, 1))
    await store.close()


async def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    assert await refused(tmp_path) == "Is a directory"
    with pytest.raises(CannotOpen, match=r": No such file or directory$"):
        SqliteStore(tmp_path / "nowhere" / "ttt.sqlite3")


async def test_a_file_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await SqliteStore(path).close()

    def denied(path: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)
        with pytest.raises(CannotOpen, match=f"^{path}: Permission denied$"):
            SqliteStore(path)


@pytest.fixture
def log(tmp_path: Path) -> bytes:
    """A log of eight transactions, each in a frame, by SQLite itself."""
    path = tmp_path / "log.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE numbers (number)")
        database.execute("PRAGMA wal_checkpoint(RESTART)")  # the next write starts it over
        for number in range(8):
            database.execute("INSERT INTO numbers VALUES (?)", (number,))
        made = path.with_name(f"{path.name}-wal").read_bytes()
    assert len(made) == 32 + 8 * FRAME
    return made


def overwritten(content: bytes) -> bytes:
    """Return bytes of which each differs; the number that begins a salt is far from the log's."""
    return bytes(byte ^ 0x80 for byte in content)


def damage(log: bytes) -> str | None:
    return log_damage(BytesIO(log), len(log))


def test_what_a_crash_may_leave_of_a_log(log: bytes) -> None:
    last = len(log) - FRAME
    assert damage(log) is None
    assert damage(b"") is None
    assert damage(bytes(len(log))) is None
    assert damage(log[:last]) is None
    assert damage(log[:last] + bytes(FRAME)) is None, "it was never written"
    assert damage(log + bytes(100)) is None
    assert damage(log[:-1] + b"\xa5") is None, "it was not synced"


@pytest.mark.parametrize("frame", range(7))
def test_a_log_whose_synced_frames_are_damaged(log: bytes, frame: int) -> None:
    at = 32 + frame * FRAME
    assert damage(log[: at + 500]) == "is cut"
    assert damage(log[: at + 20]) == "is cut"
    for begin, end in (at, len(log)), (at, at + FRAME), (at + 99, at + 100):
        changed = log[:begin] + overwritten(log[begin:end]) + log[end:]
        assert damage(changed) == "is overwritten"


@pytest.mark.parametrize("at", [0, 4, 9, 17, 25])
def test_a_header_of_a_log_that_is_damaged(log: bytes, at: int) -> None:
    changed = log[:at] + overwritten(log[at : at + 1]) + log[at + 1 :]
    assert damage(changed) == "is not an SQLite log"


def test_the_frames_of_an_earlier_log_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "older.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        for number in range(3):
            database.execute(f"CREATE TABLE numbers{number} (number)")
        database.execute("PRAGMA wal_checkpoint(FULL)")
        database.execute("CREATE TABLE another (number)")
        mixed = path.with_name(f"{path.name}-wal").read_bytes()
    assert len({mixed[at + 8 : at + 16] for at in range(32, len(mixed), FRAME)}) == 2
    assert damage(mixed) is None
