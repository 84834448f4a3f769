"""All cores at work: batches of games go out to processes, and what they count comes back."""

import signal
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Self

from ttt_engine.arena.match import Batch, Match


class WorkerEnded(Exception):
    """A process ended in the middle of a game: a strategy saw to that, or an alarm."""


def play_all(
    batches: Iterable[Batch], workers: int, limit_s: float
) -> Generator[tuple[Batch, Match], None, None]:
    """Plays them all, in so many processes; each with its match, in no order.

    The processes are gone when it ends, fails or is closed.

    Args:
        batches: what to play.
        workers: the most processes there are.
        limit_s: the longest that a thought may take.

    Raises:
        WorkerEnded: naming whose game it was.
    """
    waiting = iter(batches)
    playing: dict[Connection, tuple[_Worker, Batch]] = {}
    with ExitStack() as processes:
        # No more processes than batches: `islice` takes from those that wait.
        for batch in islice(waiting, workers):
            worker = processes.enter_context(_Worker(limit_s))
            worker.pipe.send(batch)
            playing[worker.pipe] = worker, batch
        while playing:
            ready = wait(list(playing))
            for pipe in [pipe for pipe in playing if pipe in ready]:
                worker, batch = playing.pop(pipe)
                try:
                    match: Match = pipe.recv()
                    if (more := next(waiting, None)) is not None:
                        pipe.send(more)
                        playing[pipe] = worker, more
                except (EOFError, ConnectionError):
                    first, second = batch.pair
                    why = f"in a game of {first} and {second} {worker.why_it_ended()}"
                    raise WorkerEnded(why) from None
                yield batch, match


class _Worker:
    """A process that runs `ttt_server.cli.arena.worker` for as long as the block goes.

    Should this process be killed, the pipe ends, and with it the worker, after its batch.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s

    def __enter__(self) -> Self:
        self.pipe, theirs = Pipe()
        with theirs:
            command = (sys.executable, "-P", "-m", "ttt_server.cli.arena.worker")
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                (*command, str(theirs.fileno()), str(self._limit_s)),
                pass_fds=(theirs.fileno(),),
                process_group=0,  # Ctrl-C is for the arena, which ends its workers
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,  # what a strategy prints is no result
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self.pipe.close()

    def why_it_ended(self) -> str:
        """What is wrong with the strategies that it has asked last."""
        if self._process.wait() == -signal.SIGALRM:
            return f"one took longer than {self._limit_s:g} s for a move"
        return "one ended the process that it plays in"
