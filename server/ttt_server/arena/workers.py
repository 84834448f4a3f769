"""All cores at work: batches of games go out to processes, and what they count comes back."""

import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import TracebackType

from ttt_engine.arena import Batch, Match


class WorkerEnded(Exception):
    """A process ended in the middle of a game: a strategy, or the machine, saw to that."""


def play_all(batches: Iterable[Batch], workers: int) -> Generator[tuple[Batch, Match], None, None]:
    """Plays them all, in so many processes; each with its match, in no order.

    The processes are gone when it ends, fails or is closed.

    Raises:
        WorkerEnded: naming whose game it was.
    """
    waiting = iter(batches)
    playing: dict[Connection, Batch] = {}
    with ExitStack() as processes:
        # No more processes than batches: `islice` takes from those that wait.
        for batch in islice(waiting, workers):
            pipe = processes.enter_context(_Worker())
            pipe.send(batch)
            playing[pipe] = batch
        while playing:
            ready = wait(list(playing))
            for pipe in [pipe for pipe in playing if pipe in ready]:
                batch = playing.pop(pipe)
                try:
                    match: Match = pipe.recv()
                    if (more := next(waiting, None)) is not None:
                        pipe.send(more)
                        playing[pipe] = more
                except (EOFError, ConnectionError):
                    first, second = batch.pair
                    raise WorkerEnded(f"a game of {first} and {second} ended its process") from None
                yield batch, match


class _Worker:
    """A process that runs `ttt_server.arena.worker` for as long as the block goes; our pipe to it.

    Should this process be killed, the pipe ends, and with it the worker, after its batch.
    """

    def __enter__(self) -> Connection:
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                (sys.executable, "-P", "-m", "ttt_server.arena.worker", str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                process_group=0,  # Ctrl-C is for the arena, which ends its workers
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,  # what a strategy prints is no result
            )
        return self._pipe

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._pipe.close()
