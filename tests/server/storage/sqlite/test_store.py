import asyncio
import errno
import os
import resource
import shutil
import sqlite3
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.server.storage.appends import DEN, EVERY_KIND, LAIR, Written, append, events, load
from ttt_engine import Mark
from ttt_engine.learning.memory import Lesson
from ttt_protocol.codec import InvalidWire, encode_events
from ttt_protocol.state import RoomName
from ttt_server.storage.base import CannotOpen, Conflict, StorageFailed
from ttt_server.storage.sqlite import schema as database
from ttt_server.storage.sqlite import store as sqlite
from ttt_server.storage.sqlite import tables as logs
from ttt_server.storage.sqlite.preflight import APPLICATION_ID, VERSION
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.storage.sqlite.tables import EventTables


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ttt.sqlite3"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    await store.close()


class Gate:
    """Holds the writing thread, so that what comes meanwhile is one batch."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.sabotage: Callable[[sqlite3.Connection], None] | None = None
        self._entered = threading.Event()
        self._open = threading.Event()
        self._transaction = sqlite._transaction

    def transaction(self, logs: EventTables, jobs: list[Any]) -> list[Any]:
        self._entered.set()
        assert self._open.wait(10)
        self.batches.append(len(jobs))
        if self.sabotage is not None:
            self.sabotage(logs.database)
        return self._transaction(logs, jobs)

    async def hold(self, store: SqliteStore) -> asyncio.Task[Any]:
        """Lets the thread begin something, and stop there."""
        first = asyncio.create_task(load(store, RoomName("other")))
        await asyncio.to_thread(self._entered.wait, 10)
        return first

    def release(self) -> None:
        self._open.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(sqlite, "_transaction", gate.transaction)
    return gate


def waiting(store: SqliteStore, room: RoomName, first: int, last: int) -> asyncio.Task[None]:
    return asyncio.ensure_future(append(store, room, events(first, last)))


async def handed_in() -> None:
    """After the tasks that were just created have put their jobs into the queue.

    They hand them in in one round of the loop, and the store hands them on in the next.
    """
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def outcomes(*tasks: asyncio.Future[Any]) -> list[type[BaseException] | None]:
    results = await asyncio.gather(*tasks, return_exceptions=True)
    return [type(result) if isinstance(result, BaseException) else None for result in results]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def leave_unfinished(path: Path, *statements: str) -> None:
    """A database as after a crash: these are in the write-ahead log alone."""
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        files = snapshot(path.parent)
    for name in (path.name, f"{path.name}-wal"):
        assert files[name]
        fill(path.with_name(name), files[name])


def fill(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def run(program: str, path: Path) -> tuple[int | None, str]:
    """Runs a Python program on the file in another process; its status and what it complains of."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, path, stderr=asyncio.subprocess.PIPE
    )
    _, complaint = await process.communicate()
    return process.returncode, complaint.decode()


async def refused(path: Path) -> str:
    """Why the file cannot be opened; nothing in its folder has changed."""
    before = snapshot(path.parent)
    with pytest.raises(CannotOpen) as caught:
        SqliteStore(path)
    assert snapshot(path.parent) == before
    words = str(caught.value)
    assert words.startswith(f"{path}: ")
    assert "\n" not in words
    return words.removeprefix(f"{path}: ")


async def test_it_is_there_after_reopening(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, EVERY_KIND)
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == EVERY_KIND
    with pytest.raises(Conflict):
        await append(store, DEN, events(11, 11))
    await store.close()


async def test_it_is_there_after_the_process_died(path: Path) -> None:
    program = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from tests.server.storage.appends import Written\n"
        "from ttt_server.storage.sqlite.store import SqliteStore\n"
        "async def main():\n"
        "    store = SqliteStore(Path(sys.argv[1]))\n"
        '    line = b\'{"type":"left","seq":1,"at":1,"seat":"X"}\'\n'
        "    kept = asyncio.Event()\n"
        "    store.append([Written('den', 1, (line,), None, lambda error: kept.set())])\n"
        "    await kept.wait()\n"
        "    os._exit(7)\n"
        "asyncio.run(main())\n"
    )
    status, complaint = await run(program, path)
    assert (status, complaint) == (7, "")
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 1)
    await store.close()


@pytest.mark.usefixtures("store")
async def test_the_file_is_private(path: Path) -> None:
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_commit_survives_the_machine(store: SqliteStore) -> None:
    def pragma(name: str) -> Any:
        return store._logs.database.execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("synchronous") == 2
    assert pragma("journal_mode") == "wal"
    assert pragma("locking_mode") == "exclusive"


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


@pytest.mark.parametrize(
    "row",
    [
        "lessons VALUES ('abc', 'X', 1)",
        "lessons VALUES ('04', 'Q', 1)",
    ],
)
async def test_rows_that_no_server_has_written(path: Path, row: str) -> None:
    await SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"INSERT INTO {row}")
    with pytest.raises(CannotOpen, match="damaged"):
        SqliteStore(path)


async def test_a_room_with_odd_rows_harms_no_other(path: Path) -> None:
    await SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "INSERT INTO journal VALUES ('den', 'one', '{}', NULL), (x'ff', 1, '', '')"
        )
    store = SqliteStore(path)
    await append(store, LAIR, events(1, 2))
    with pytest.raises(TypeError):
        await append(store, DEN, events(1, 2))
    await append(store, LAIR, events(3, 3))
    assert await load(store, LAIR) == events(1, 3)
    await store.close()


async def test_a_file_that_was_cut_off(path: Path) -> None:
    store = SqliteStore(path)
    for seq in range(1, 200):
        await append(store, DEN, events(seq, seq))
    await store.close()
    content = snapshot(path.parent)[path.name]
    assert len(content) > 8192
    fill(path, content[:4096])
    await refused(path)


async def crashed(path: Path) -> None:
    """A database as a crash leaves it: with half of it in the log beside it."""
    store = SqliteStore(path)
    await append(store, DEN, events(1, 300))
    store._logs.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    await append(store, LAIR, events(1, 30))
    files = snapshot(path.parent)
    await store.close()
    for name, content in files.items():
        fill(path.with_name(name), content)


@pytest.mark.parametrize("at", [0, 16, 20, 28, 40, 96, 100, 108, *range(4096, 20_000, 1511)])
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


async def test_one_room_that_cannot_be_read_stops_no_other(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    store._logs.database.execute("INSERT INTO events VALUES ('den', 1, CAST(x'a5a5' AS TEXT))")
    first = await gate.hold(store)
    tasks = [asyncio.create_task(load(store, DEN)), waiting(store, LAIR, 1, 1)]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, InvalidWire, None]
    assert gate.batches == [1, 2]
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


async def test_a_log_beside_the_file_that_is_none(path: Path) -> None:
    await crashed(path)
    fill(path.with_name(f"{path.name}-wal"), b"rubbish " * 999)
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 300)
    await append(store, LAIR, events(1, 1))
    await store.close()


async def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    assert await refused(tmp_path) == "is a directory"
    with pytest.raises(CannotOpen, match="no such file"):
        SqliteStore(tmp_path / "nowhere" / "ttt.sqlite3")


async def test_a_file_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await SqliteStore(path).close()

    def denied(path: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)
        with pytest.raises(CannotOpen, match=f"^{path}: permission denied$"):
            SqliteStore(path)


async def test_many_appends_are_few_transactions(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    statements: list[str] = []
    store._logs.database.set_trace_callback(statements.append)
    first = await gate.hold(store)
    rooms = [RoomName(f"room{number}") for number in range(200)]
    tasks = [waiting(store, room, 1, 1) for room in rooms]
    await handed_in()
    gate.release()
    await asyncio.gather(first, *tasks)
    assert gate.batches == [1, 200]
    written = [text for text in statements if not text.startswith("SELECT")]
    assert len(written) == 1, "a statement is a transaction"
    assert written[0].startswith("INSERT INTO journal")
    assert await load(store, rooms[-1]) == events(1, 1)
    assert store.commits.buckets[-1] == ("+Inf", 200), "to read is none"
    await store.close()


async def one_each_round(store: SqliteStore, count: int) -> AsyncIterator[None]:
    tasks = []
    for number in range(count):
        tasks.append(waiting(store, RoomName(f"room{number}"), 1, 1))
        await asyncio.sleep(0)
        yield
    await asyncio.gather(*tasks)


async def test_what_comes_round_after_round_is_one_transaction(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "perf_counter", lambda: 0.0)
    store = SqliteStore(path)
    gate.release()
    async with asyncio.timeout(5):
        async for _ in one_each_round(store, 9):
            pass
        assert gate.batches == [9]
        await append(store, DEN, events(1, 1))
    assert gate.batches == [9, 1], "alone, it waits for nobody"
    await store.close()


async def test_nobody_waits_for_all_who_come_after_them(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(sqlite, "perf_counter", lambda: seconds)
    monkeypatch.setattr(sqlite, "_BATCH", 1)  # what is handed to the thread is not put together
    store = SqliteStore(path)
    gate.release()
    async for _ in one_each_round(store, 20):
        seconds += sqlite._GATHER_S / 4
    assert len(gate.batches) == 4, gate.batches
    await store.close()


async def test_each_commit_is_as_long_as_it_took(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(sqlite, "perf_counter", lambda: seconds)
    store = SqliteStore(path)
    first = await gate.hold(store)
    early = waiting(store, DEN, 1, 1)
    await handed_in()
    seconds = 2.0
    late = waiting(store, LAIR, 1, 2)
    await handed_in()
    seconds = 2.25
    gate.release()
    await asyncio.gather(first, early, late)
    assert gate.batches == [1, 2], "together"
    assert store.commits.sum == 2.25 + 0.25
    await store.close()


async def test_what_was_not_kept_is_no_commit(store: SqliteStore) -> None:
    await append(store, DEN, events(1, 2))
    with pytest.raises(Conflict):
        await append(store, DEN, events(2, 2))
    assert store.commits.buckets[-1] == ("+Inf", 1)


async def test_a_transaction_has_its_limits(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_BATCH", 3)
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = []
    for number in range(7):
        tasks.append(waiting(store, RoomName(f"room{number}"), 1, 1))
        await handed_in()
    gate.release()
    await asyncio.gather(first, *tasks)
    assert gate.batches == [1, 3, 3, 1]
    await store.close()


async def test_a_conflict_leaves_the_others_of_its_batch(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [
        waiting(store, DEN, 1, 2),
        waiting(store, DEN, 2, 4),
        waiting(store, LAIR, 1, 1),
        waiting(store, DEN, 3, 3),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, Conflict, None, None]
    assert gate.batches == [1, 4]
    assert await load(store, DEN) == events(1, 3)
    assert await load(store, LAIR) == events(1, 1)
    await store.close()


@pytest.mark.parametrize("failing", ["BEGIN", "COMMIT"])
async def test_a_transaction_that_fails_keeps_nothing_and_the_store_goes_on(
    path: Path, gate: Gate, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_MOST", 4)  # values: each event has its statement
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), waiting(store, LAIR, 1, 1)]
    reader = asyncio.create_task(load(store, DEN))
    await handed_in()

    def authorize(action: int, argument: str | None, *_: str | None) -> int:
        fails = action == sqlite3.SQLITE_TRANSACTION and argument == failing
        return sqlite3.SQLITE_DENY if fails else sqlite3.SQLITE_OK

    def fail_the_second(database: sqlite3.Connection) -> None:
        database.set_authorizer(authorize if len(gate.batches) == 2 else None)

    gate.sabotage = fail_the_second
    gate.release()
    assert await outcomes(first, *tasks) == [None, *[StorageFailed] * 2]
    assert await reader == (), "to read goes on"
    assert gate.batches == [1, 3]
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)
    assert await load(store, LAIR) == ()
    await store.close()


class DoubtfulEnd:
    """A database whose every transaction is kept and fails, and whatever else is to fail."""

    def __init__(self, database: sqlite3.Connection, *failing: str) -> None:
        self.database = database
        self.failing = failing

    @property
    def in_transaction(self) -> bool:
        return self.database.in_transaction

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement.startswith(self.failing):
            raise sqlite3.OperationalError("disk I/O error")
        cursor = self.database.execute(statement, *values)
        if not self.in_transaction and statement.startswith(("COMMIT", "INSERT")):
            raise sqlite3.OperationalError("disk I/O error")
        return cursor

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        return self.database.executemany(*arguments)


async def test_what_was_kept_though_the_commit_failed_is_kept(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    database = store._logs.database
    database.execute("INSERT INTO events VALUES ('lair', 1, '')")
    store._logs.database = DoubtfulEnd(database)  # type: ignore[assignment]
    first = await gate.hold(store)
    tasks = [
        waiting(store, DEN, 1, 2),
        asyncio.ensure_future(append(store, DEN, EVERY_KIND[:1])),
        asyncio.create_task(store.delete(LAIR)),
        asyncio.create_task(store.probe()),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, Conflict, None, StorageFailed]
    store._logs.database = database
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_what_was_kept_though_its_one_statement_failed(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    database = store._logs.database
    store._logs.database = DoubtfulEnd(database)  # type: ignore[assignment]
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), waiting(store, LAIR, 1, 1)]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None] * 3
    store._logs.database = database
    assert await load(store, DEN) == events(1, 2)
    await store.close()


@pytest.mark.parametrize("failing", ["SELECT", "ROLLBACK"])
async def test_what_became_of_it_cannot_be_found_out(path: Path, gate: Gate, failing: str) -> None:
    store = SqliteStore(path)
    database = store._logs.database
    first = await gate.hold(store)
    task = waiting(store, DEN, 1, 2)
    await handed_in()

    def break_it(database: sqlite3.Connection) -> None:
        if len(gate.batches) == 2:
            broken = ("INSERT", failing)
            store._logs.database = DoubtfulEnd(database, *broken)  # type: ignore[assignment]

    gate.sabotage = break_it
    gate.release()
    await first
    assert await outcomes(task) == [StorageFailed]
    store._logs.database = database
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 1))
    await store.close()


@pytest.mark.parametrize("goes_on", [True, False])
async def test_what_was_refused_is_not_kept_by_what_comes_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    monkeypatch.setattr(logs, "_MOST", 4)  # values: each event has its statement
    store = SqliteStore(path)
    database = store._logs.database
    store._logs.database = DoubtfulEnd(database, "COMMIT", "ROLLBACK")  # type: ignore[assignment]
    with pytest.raises(StorageFailed):
        await append(store, DEN, events(1, 2), Lesson((4, 0), Mark.O))
    store._logs.database = database
    if goes_on:
        await append(store, LAIR, events(1, 1))
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == ()
    assert store.memory.games == 0
    await store.close()


async def test_no_memory_for_a_statement(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(path)

    def full(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(store._logs, "_flush", full)
        with pytest.raises(StorageFailed, match="out of memory"):
            await append(store, DEN, events(1, 2))
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_a_fault_of_our_own_is_its_callers_alone(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)

    def fault(logs: EventTables) -> None:
        logs.begin()
        logs.database.execute("INSERT INTO events VALUES ('den', 1, '')")
        raise ZeroDivisionError

    first = await gate.hold(store)
    tasks = [
        waiting(store, LAIR, 1, 1),
        store._run_errand(fault, fault),
        waiting(store, LAIR, 2, 2),
    ]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None, None, ZeroDivisionError, None]
    assert await load(store, DEN) == ()
    assert await load(store, LAIR) == events(1, 2)
    await store.close()


async def test_a_fault_of_one_who_is_told_is_nobody_elses(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(_: Exception | None) -> None:
        raise ZeroDivisionError

    store.append([Written(LAIR, 1, encode_events(events(1, 1)), None, fault)])
    await append(store, DEN, events(1, 1))
    await append(store, DEN, events(2, 2))
    assert await load(store, LAIR) == events(1, 1)
    assert "what follows from a write failed" in caplog.text


async def test_a_probe_writes_and_changes_nothing(store: SqliteStore, path: Path) -> None:
    await append(store, DEN, events(1, 1))
    log = path.with_name(f"{path.name}-wal")
    before = log.read_bytes()
    await store.probe()
    assert log.read_bytes() != before
    assert await load(store, DEN) == events(1, 1)


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
    for seq in range(1, 3000):
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
        assert path.with_name(f"{path.name}-wal").stat().st_size < 2**16, (
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
    assert path.with_name(f"{path.name}-wal").stat().st_size < 2**16
    await store.close()


async def test_a_log_that_a_large_batch_made_longer_is_cut_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_on_disk(monkeypatch, 2**23)
    monkeypatch.setattr(database, "_LOG_BYTES", 2**16)
    store = SqliteStore(path)
    log = path.with_name(f"{path.name}-wal")
    await append(store, DEN, events(1, 3000))
    assert log.stat().st_size > 2**17
    store._logs.database.execute("PRAGMA wal_checkpoint")  # as after some thousand pages
    await append(store, DEN, events(3001, 3001))
    assert log.stat().st_size == 2**16
    assert await load(store, DEN) == events(1, 3001)
    await store.close()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that is moved after every third event."""
    monkeypatch.setattr(logs, "_LONG", 3)


@pytest.mark.usefixtures("short")
async def test_a_log_goes_on_where_it_was_moved_to(store: SqliteStore) -> None:
    for seq in range(1, 12):
        await append(store, DEN, events(seq, seq))
        await append(store, LAIR, events(seq, seq))
        assert await load(store, DEN) == events(1, seq)
    with pytest.raises(Conflict):
        await append(store, DEN, events(11, 12))
    await store.delete(LAIR)
    assert await load(store, LAIR) == ()
    await append(store, LAIR, events(1, 1))
    assert await load(store, DEN) == events(1, 11)


@pytest.mark.usefixtures("short")
async def test_a_journal_that_is_moved_in_more_than_one_statement(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_MOST", 7)  # values: two rows
    rooms = [RoomName(f"room{number}") for number in range(9)]
    store = SqliteStore(path)
    for first in (1, 3):
        await asyncio.gather(*(append(store, room, events(first, first + 1)) for room in rooms))
    await store.close()
    store = SqliteStore(path)
    for room in rooms:
        assert await load(store, room) == events(1, 4)
        with pytest.raises(Conflict):
            await append(store, room, events(4, 4))
        await append(store, room, events(5, 5))
    await store.close()


@pytest.mark.usefixtures("short")
async def test_a_journal_that_cannot_be_moved_stays(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    store._logs.database.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.events "
        "BEGIN SELECT json('the disk is full'); END"
    )
    await append(store, DEN, events(1, 4))
    await append(store, DEN, events(5, 6))
    assert await load(store, DEN) == events(1, 6)
    assert "the journal stays" in caplog.text
    store._logs.database.execute("DROP TRIGGER full")
    await append(store, DEN, events(7, 7))
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        ((seq, lines),) = database.execute("SELECT seq, event FROM events")
        assert (seq, lines.count("\n")) == (1, 6)
        assert database.execute("SELECT count(*) FROM journal").fetchone() == (0,)


@pytest.mark.usefixtures("short")
async def test_a_move_of_the_journal_that_fails_in_the_end_is_not_tried_each_time(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def authorize(action: int, argument: str | None, *_: str | None) -> int:
        fails = action == sqlite3.SQLITE_TRANSACTION and argument == "COMMIT"
        return sqlite3.SQLITE_DENY if fails else sqlite3.SQLITE_OK

    store = SqliteStore(path)
    store._logs.database.set_authorizer(authorize)
    for seq in range(1, 9):
        await append(store, DEN, events(seq, seq))
    assert await load(store, DEN) == events(1, 8)
    assert caplog.text.count("the journal stays") == 2, "after three, and after three more"
    store._logs.database.set_authorizer(None)
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 8)
    await store.close()


async def test_a_batch_of_more_than_one_statement(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_MOST", 3 * 4)
    await append(store, DEN, events(1, 10))
    assert await load(store, DEN) == events(1, 10)


async def test_a_database_from_before_there_was_a_journal(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, events(1, 3))
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE journal")
        database.execute("PRAGMA user_version = 2")
    store = SqliteStore(path)
    await append(store, DEN, events(4, 4))
    assert await load(store, DEN) == events(1, 4)
    await store.close()


async def test_a_write_that_fails_halfway_keeps_nothing(store: SqliteStore) -> None:
    store._logs.database.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.journal WHEN new.seq = 3 "
        "BEGIN SELECT json('the disk is full'); END"
    )
    with pytest.raises(StorageFailed, match="the database: "):
        await append(store, DEN, events(1, 4))
    assert await load(store, DEN) == ()
    await append(store, DEN, events(1, 2))
    assert await load(store, DEN) == events(1, 2)


async def test_what_is_deleted_together_with_its_last_events_is_gone(
    path: Path, gate: Gate
) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 2), asyncio.create_task(store.delete(DEN))]
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [None] * 3
    assert gate.batches == [1, 2]
    files = snapshot(path.parent)
    await store.close()
    for name, content in files.items():  # as a crash would have left them
        fill(path.with_name(name), content)
    store = SqliteStore(path)
    assert await load(store, DEN) == ()
    await store.close()


async def test_who_does_not_wait_any_more_harms_nobody(
    path: Path, gate: Gate, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    tasks = [waiting(store, DEN, 1, 1), waiting(store, DEN, 1, 1), waiting(store, LAIR, 1, 1)]
    await handed_in()
    tasks[0].cancel()
    tasks[1].cancel()
    await handed_in()
    gate.release()
    assert await outcomes(first, *tasks) == [
        None,
        asyncio.CancelledError,
        asyncio.CancelledError,
        None,
    ]
    assert await load(store, DEN) == events(1, 1), "what was handed in is written"
    await store.close()
    assert not caplog.records


async def test_closing_finishes_what_was_handed_in(path: Path, gate: Gate) -> None:
    store = SqliteStore(path)
    first = await gate.hold(store)
    task = waiting(store, DEN, 1, 1)
    await handed_in()
    gate.release()
    await store.close()
    await asyncio.gather(first, task)
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 1)
    await store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_closing_finishes_what_is_handed_in_at_the_end_of_the_round(path: Path) -> None:
    loop, store = asyncio.get_running_loop(), SqliteStore(path)
    second = Written(DEN, 2, encode_events(events(2, 2)), None, lambda _: None)

    def then(error: Exception | None) -> None:
        assert error is None
        loop.call_soon(store.append, [second])  # what follows

    first = Written(DEN, 1, encode_events(events(1, 1)), None, then)
    loop.call_soon(store.append, [first])
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_closing_goes_on_if_who_waits_for_it_is_cancelled(path: Path) -> None:
    store = SqliteStore(path)
    first = asyncio.create_task(store.close())
    await handed_in()
    first.cancel()
    assert await outcomes(first) == [asyncio.CancelledError]
    await store.close()
    await SqliteStore(path).close()
