"""The processes that think: how they are used, and how they end."""

import asyncio
import gc
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from ttt_server.ai.process_pool import (
    NoAnswer,
    ProcessPool,
    Worker,
    WorkerEnded,
    strategy_worker,
)

MEMORY_MB = 256
PATIENCE_S = 60
COMMAND = strategy_worker(MEMORY_MB)


def thinking(strategy: str, **other: Any) -> dict[str, Any]:
    asked = {"ask": "think", "strategy": strategy, "level": None, "seconds": None, "moves": None}
    return asked | {"rules": "3x3x3", "board": "." * 9} | other


GOOD = thinking("random", board="XXOOXXO..")


@pytest.fixture
async def pools() -> AsyncIterator[Callable[[int], ProcessPool]]:
    made = []

    def make(size: int = 1) -> ProcessPool:
        made.append(ProcessPool(size, COMMAND))
        return made[-1]

    yield make
    for pool in made:
        await pool.close()


@pytest.fixture
def pool(pools: Callable[[int], ProcessPool]) -> ProcessPool:
    return pools(1)


async def good(pool: ProcessPool, limit_s: float = PATIENCE_S) -> bool:
    answer = await pool.ask(GOOD, limit_s)
    return answer == {"number": answer["number"], "cells": [7, 8], "reason": "random"}


class Watched:
    """A process, not necessarily a child of ours, whose end can be waited for."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._file = os.pidfd_open(pid)

    async def gone(self) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._file, ended.set)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await ended.wait()
        finally:
            loop.remove_reader(self._file)
            os.close(self._file)


async def test_processes_are_used_again_and_bounded(
    pools: Callable[[int], ProcessPool], workers: list[Worker]
) -> None:
    one, two_players = pools(1), pools(2)
    assert all(await asyncio.gather(*(good(one) for _ in range(4))))
    assert len(workers) == 1
    assert all(await asyncio.gather(*(good(two_players) for _ in range(4))))
    assert len(workers) == 3
    await one.close()
    await two_players.close()
    assert not any(worker.is_alive for worker in workers)


async def test_a_process_that_died_while_idle_costs_nobody_anything(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    assert await good(pool)
    await workers[0].kill()
    assert await good(pool)
    assert len(workers) == 2


async def test_nor_does_one_whose_death_nobody_has_noticed(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    assert await good(pool)
    os.kill(workers[0].pid, signal.SIGKILL)
    assert workers[0].is_alive, "so it seems"
    assert await good(pool)
    assert len(workers) == 2


@pytest.mark.usefixtures("misbehaving")
async def test_what_fails_is_not_used_again(pool: ProcessPool, workers: list[Worker]) -> None:
    with pytest.raises(NoAnswer, match=r"^failed: RuntimeError$") as failed:
        await pool.ask(thinking("raises"), PATIENCE_S)
    assert failed.value.error == "RuntimeError"
    assert not workers[0].is_alive
    assert await good(pool)


@pytest.mark.slow
async def test_the_start_of_a_process_makes_no_thought_late() -> None:
    pool = ProcessPool(1, ("/bin/sh", "-c", 'sleep 1.5; exec "$@"', "sh", *COMMAND))
    assert await good(pool, limit_s=1)
    await pool.close()


@pytest.mark.slow
async def test_while_the_machine_stands_still_nobody_is_too_late(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    assert await good(pool)
    asked = asyncio.ensure_future(pool.ask(GOOD, 2))
    os.kill(workers[0].pid, signal.SIGSTOP)
    for _ in range(9):
        await asyncio.sleep(0)  # it is asked
    time.sleep(3)  # noqa: ASYNC251 - this process, too
    os.kill(workers[0].pid, signal.SIGCONT)
    assert (await asked)["cells"] == [7, 8]


@pytest.mark.usefixtures("misbehaving")
async def test_what_is_killed_makes_room_for_another(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    with pytest.raises(NoAnswer, match=r"^took too long$"):
        await pool.ask(thinking("endless"), 0.2)
    assert not workers[0].is_alive
    assert await good(pool)


@pytest.mark.usefixtures("misbehaving")
async def test_what_closes_its_streams_answers_all_the_same(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    for _ in range(2):
        assert (await pool.ask(thinking("closes"), PATIENCE_S))["cells"] == [0]
    assert workers


@pytest.mark.usefixtures("misbehaving")
async def test_children_end_with_their_parent(
    pool: ProcessPool, workers: list[Worker], tmp_path: Path
) -> None:
    asking = asyncio.create_task(pool.ask(thinking("begets"), 3600))
    processes = [Watched(pid) for pid in await told_pids(tmp_path)]
    assert len(processes) == 3
    await ended_by_cancelling(asking)
    for process in processes:
        await process.gone()
    assert not workers[0].is_alive


@pytest.mark.usefixtures("misbehaving")
async def test_a_child_that_has_run_away_keeps_nobody_waiting(
    pool: ProcessPool, workers: list[Worker], tmp_path: Path
) -> None:
    """It holds the pipes open; its parent's end is not to wait for that."""
    asking = asyncio.create_task(pool.ask(thinking("escapes"), 3600))
    (pid,) = await told_pids(tmp_path)
    try:
        async with asyncio.timeout(PATIENCE_S / 2) as patience:
            await ended_by_cancelling(asking)
        assert not patience.expired()
        assert not workers[0].is_alive
        assert await good(pool)
    finally:
        os.kill(pid, signal.SIGKILL)


async def told_pids(folder: Path) -> list[int]:
    """Waits until a strategy has written them."""
    return [int(pid) for pid in (await asyncio.to_thread((folder / "pids").read_text)).split()]


async def ended_by_cancelling(asking: "asyncio.Task[Any]") -> None:
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.usefixtures("misbehaving")
async def test_who_does_not_wait_any_more_leaves_no_process(
    pool: ProcessPool, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()
    exchange = Worker._exchange

    async def noted(worker: Worker, line: bytes) -> bytes:
        asked.set()
        return await exchange(worker, line)

    monkeypatch.setattr(Worker, "_exchange", noted)
    asking = asyncio.create_task(pool.ask(thinking("endless"), 3600))
    await asked.wait()
    await ended_by_cancelling(asking)
    assert not workers[0].is_alive


async def test_a_start_that_is_cancelled_leaves_no_words_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for steps in range(8):  # of the start
        starting = asyncio.create_task(Worker.start(COMMAND))
        for _ in range(steps):
            await asyncio.sleep(0)
        await ended_by_cancelling(starting)
    del starting
    gc.collect()  # asyncio tells of an exception that nobody asked for when it goes
    assert not caplog.records


@pytest.mark.parametrize("answer", [b'{"number": 0}', b"{}", b"[]", b"null", b"1", b"x", b"\xff"])
async def test_what_answers_another_question_is_not_trusted(
    answer: bytes, pool: ProcessPool, workers: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def exchange(_: Worker, _line: bytes) -> bytes:
        return answer

    monkeypatch.setattr(Worker, "_exchange", exchange)
    with pytest.raises(NoAnswer, match=r"^ended its process$"):
        await pool.ask(GOOD, PATIENCE_S)
    assert not workers[0].is_alive


@pytest.mark.usefixtures("misbehaving")
async def test_a_process_that_nobody_kills_ends_by_itself(workers: list[Worker]) -> None:
    """The server may have been killed while it waited."""
    worker = await Worker.start(COMMAND)
    question = {**thinking("endless"), "number": 1, "limit_s": -4}
    with pytest.raises(WorkerEnded):
        await worker._exchange(json.dumps(question).encode() + b"\n")
    assert worker._transport.get_returncode() == -signal.SIGALRM
    assert workers == [worker]


async def test_it_does_not_know_the_servers_secrets(
    monkeypatch: pytest.MonkeyPatch, workers: list[Worker]
) -> None:
    monkeypatch.setenv("TTT_SECRET", "s" * 32)
    worker = await Worker.start(strategy_worker(MEMORY_MB, 3))
    assert b"TTT_SECRET" not in of_process(worker, "environ")
    await worker.kill()
    assert workers


async def test_its_limits(workers: list[Worker]) -> None:
    worker = await Worker.start(strategy_worker(MEMORY_MB, 3))
    await worker.ask(GOOD, PATIENCE_S)
    pid = worker.pid
    lines = of_process(worker, "limits").decode().splitlines()
    (memory,) = [line.split() for line in lines if line.startswith("Max address space")]
    assert memory[3:5] == [str(MEMORY_MB << 20)] * 2
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 3
    assert os.getpgid(pid) == pid
    await worker.kill()
    assert not workers[0].is_alive


def of_process(worker: Worker, what: str) -> bytes:
    return Path(f"/proc/{worker.pid}/{what}").read_bytes()


async def test_one_is_ready_before_it_is_asked_for(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    await pool.warm_up()
    await pool.warm_up()
    assert await good(pool)
    assert len(workers) == 1


async def test_it_cannot_be_made_ready(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(*_: object) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(Worker, "start", none)
    await pool.warm_up()
    with pytest.raises(NoAnswer, match=r"^has no process to think in: too many processes$"):
        await pool.ask(GOOD, PATIENCE_S)


async def test_it_may_not_say_more_than_an_answer(pool: ProcessPool, workers: list[Worker]) -> None:
    worker = await Worker.start(COMMAND)
    worker.pipe_data_received(1, b"unasked\n")
    assert not worker._received
    asking = asyncio.create_task(worker._exchange(b"\n"))
    await asyncio.sleep(0)
    for _ in range(1 << 7):
        worker.pipe_data_received(1, b"x" * (1 << 10))
    with pytest.raises(WorkerEnded):
        await asking
    await worker.kill()
    assert await good(pool)
    assert len(workers) == 2


@pytest.mark.usefixtures("misbehaving")
async def test_what_a_strategy_has_forked_does_not_answer(
    pool: ProcessPool, workers: list[Worker]
) -> None:
    for _ in range(5):
        answer = await pool.ask(thinking("forks"), PATIENCE_S)
        assert answer["reason"] == str(workers[-1].pid)
    assert len(workers) == 1
