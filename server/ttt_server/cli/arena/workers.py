"""Play batches of games in worker processes, on all cores."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterable

from ttt_engine.arena.match import Batch, PairGame
from ttt_protocol.bots.system import adopted_orphans
from ttt_server.ai.process_pool import NoAnswer, ProcessPool
from ttt_server.cli.arena.worker import Limits, as_question, played_of


class BatchFailed(Exception):
    """A process ended in the middle of a game. The message names the strategies."""


async def play_all(
    batches: Iterable[Batch],
    workers: int,
    limits: Limits,
    on_played: Callable[[Batch, list[PairGame]], bool],
) -> None:
    """Play all batches in parallel. The processes have ended when it returns or raises.

    Args:
        batches: the games.
        workers: the most processes.
        limits: those of each move.
        on_played: called with each batch and its games, in any order; returns whether to go on.

    Raises:
        BatchFailed: a strategy took too long, or ended its process.
    """
    # -P: modules in the current folder must not hide those that a worker imports.
    worker = (sys.executable, "-P", "-m", "ttt_server.cli.arena.worker")
    pool = ProcessPool(workers, (*worker, *map(str, limits)), stderr=None)
    waiting = iter(batches)
    is_decided = False

    async def play_on() -> None:
        nonlocal is_decided
        for batch in waiting:
            games = await _played(batch, pool, limits.strategy_s)
            if is_decided or not on_played(batch, games):
                is_decided = True
                return

    with adopted_orphans():
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(play_on())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            await pool.close()


async def _played(batch: Batch, pool: ProcessPool, limit_s: float) -> list[PairGame]:
    try:
        answer = await pool.ask(as_question(batch), limit_s=None)
        return [played_of(told) for told in answer["games"]]
    except NoAnswer as failure:
        first, second = batch.pair
        if failure.status == -signal.SIGALRM:
            why = f"one took longer than {limit_s:g} s for a move"
        elif failure.status is not None:
            why = "one ended the process that it plays in"
        else:
            why = f"the process {failure}"
        raise BatchFailed(f"in a game of {first} and {second} {why}") from None
