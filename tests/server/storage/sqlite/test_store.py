"""What survives, and how a store ends."""

import asyncio
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, EVERY_KIND, LAIR, Written, append, events, load
from tests.server.storage.sqlite.stores import (
    Gate,
    handed_in,
    outcomes,
    run,
    waiting,
)
from ttt_protocol.codec import encode_log
from ttt_server.storage.base import Conflict
from ttt_server.storage.sqlite import store as store_module
from ttt_server.storage.sqlite.store import SqliteStore


async def test_it_is_there_after_reopening(path: Path) -> None:
    store = SqliteStore(path)
    await append(store, DEN, EVERY_KIND)
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == EVERY_KIND
    with pytest.raises(Conflict):
        await append(store, DEN, events(11, 11))
    await store.close()


@pytest.mark.slow
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


async def test_a_probe_writes_and_changes_nothing(store: SqliteStore, path: Path) -> None:
    await append(store, DEN, events(1, 1))
    log = path.with_name(f"{path.name}-wal")
    before = log.read_bytes()
    await store.probe()
    assert log.read_bytes() != before
    assert await load(store, DEN) == events(1, 1)


async def test_a_cancelled_caller_harms_no_other(
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
    second = Written(DEN, 2, encode_log(events(2, 2)), None, lambda _: None)

    def then(error: Exception | None) -> None:
        assert error is None
        loop.call_soon(store.append, [second])  # what follows

    first = Written(DEN, 1, encode_log(events(1, 1)), None, then)
    loop.call_soon(store.append, [first])
    await store.close()
    store = SqliteStore(path)
    assert await load(store, DEN) == events(1, 2)
    await store.close()


async def test_closing_goes_on_if_its_caller_is_cancelled(path: Path) -> None:
    store = SqliteStore(path)
    first = asyncio.create_task(store.close())
    await handed_in()
    first.cancel()
    assert await outcomes(first) == [asyncio.CancelledError]
    await store.close()
    await SqliteStore(path).close()


async def test_a_store_that_rests_gives_memory_back_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[bool] = []
    monkeypatch.setattr(store_module, "_REST_S", 0.01)
    monkeypatch.setattr(store_module, "_IDLE_S", 0.01)
    monkeypatch.setattr(store_module, "release_memory", lambda: given_back.append(True))
    store = SqliteStore(path)
    for count in (1, 2):
        await append(store, DEN, events(count, count))
        await asyncio.sleep(0.2)
        assert len(given_back) in {count, count + 1}, "and once after the start"
    assert await load(store, DEN) == events(1, 2)
    await store.close()
