"""Have batches of games played in worker processes, on all cores."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterable

from ttt_engine.arena.match import Batch, Match
from ttt_server.ai.process_pool import NoAnswer, ProcessPool
from ttt_server.cli.arena.worker import as_question, match_of


class BatchFailed(Exception):
    """A process ended in the middle of a game. The words name the strategies."""


async def play_all(
    batches: Iterable[Batch],
    workers: int,
    limit_s: float,
    on_played: Callable[[Batch, Match], None],
) -> None:
    """Have all batches played, side by side. The processes have ended when it returns or raises.

    Args:
        batches: the games.
        workers: the most processes.
        limit_s: the time limit of a thought.
        on_played: called with each batch and its counts, in any order.

    Raises:
        BatchFailed: a strategy took too long, or ended its process.
    """
    # -P: modules in the current folder must not hide those that a worker imports.
    command = (sys.executable, "-P", "-m", "ttt_server.cli.arena.worker", str(limit_s))
    pool = ProcessPool(workers, command, stderr=None)
    waiting = iter(batches)

    async def play_on() -> None:
        for batch in waiting:
            on_played(batch, await _played(batch, pool, limit_s))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(play_on())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    finally:
        await pool.close()


async def _played(batch: Batch, pool: ProcessPool, limit_s: float) -> Match:
    try:
        return match_of(await pool.ask(as_question(batch), limit_s=None))
    except NoAnswer as failure:
        first, second = batch.pair
        if failure.status == -signal.SIGALRM:
            why = f"one took longer than {limit_s:g} s for a move"
        elif failure.status is not None:
            why = "one ended the process that it plays in"
        else:
            why = f"the process {failure}"
        raise BatchFailed(f"in a game of {first} and {second} {why}") from None
