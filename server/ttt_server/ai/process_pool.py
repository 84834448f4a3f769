"""Worker processes that answer questions, each reused as long as it behaves.

A process writes an empty line when it is ready. A question is a JSON object on one line, its answer
a line as in `messages`. `worker` is the other side.
"""

import asyncio
import json
import math
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from ttt_protocol.text import clean
from ttt_server.ai.messages import Answer, decode_answer
from ttt_server.concurrency.fair_semaphore import FairSemaphore

Question = Mapping[str, Any]

_TIME_STEP_S = 0.5
"""Time limits run in steps of this length; see `_in_time`."""

_START_LIMIT_S = 20.0
"""No thought is late because its process still starts, which takes seconds on a busy machine."""

LONGEST_ANSWER = 1 << 16
"""In bytes, by default."""

_LONGEST_ERROR = 160
"""In characters: a plug-in chooses the names of its exceptions."""


class NoAnswer(Exception):
    """A question got no answer. The words follow a name: "took too long"."""

    def __init__(self, words: str, error: str = "", status: int | None = None) -> None:
        super().__init__(words)
        self.error = error
        """The class name of the exception in the process, if any."""
        self.status = status
        """The exit status if the process ended by itself; -n for signal n."""


class WorkerEnded(Exception):
    """The process has ended, or sent no proper answer."""

    def __init__(self, status: int | None = None) -> None:
        super().__init__(status)
        self.status = status
        """The exit status of the process, if it has ended; -n for signal n."""


def strategy_worker(memory_mb: int, nice: int = 0, programs: str = "") -> tuple[str, ...]:
    """Return the command of a worker that asks strategies.

    Args:
        memory_mb: the most memory it may take.
        nice: its niceness.
        programs: strategies that are programs, as a JSON object of settings by name.
    """
    return sys.executable, "-m", "ttt_server.ai.worker", str(memory_mb), str(nice), programs


class ProcessPool:
    """Up to `size` processes that run `command`.

    Args:
        size: the most processes, and questions under way.
        command: a program that serves questions, as `strategy_worker`.
        retries: how often to ask again after a new process has ended during the question, as when
            the machine runs out of memory.
        stderr: the standard error of the processes; `None` to share ours.
        longest_answer: in bytes; a process that writes more is killed.
    """

    def __init__(
        self,
        size: int,
        command: Sequence[str],
        *,
        retries: int = 0,
        stderr: int | None = DEVNULL,
        longest_answer: int = LONGEST_ANSWER,
    ) -> None:
        self._longest_answer = longest_answer
        self._slots = FairSemaphore(size)
        self._idle: list[Worker] = []
        self._command = command
        self._retries = retries
        self._stderr = stderr

    async def ask(self, question: Question, limit_s: float | None, key: str = "") -> Answer:
        """Return the answer to a question, with `lines` as bytes if JSON lines follow it.

        A process that fails to answer is killed.

        Cancelling the call frees its place in the queue, or kills its process: starting another
        takes 0.1 s, less than most thoughts.

        Args:
            question: what the command understands, as JSON.
            limit_s: the time limit, once the question has a process.
            key: questions with the same key take turns with those of other keys.

        Raises:
            NoAnswer: the process failed, ended, or took too long.
        """
        async with self._slots.take(key):
            worker, answer = await self._ask_some_worker(question, limit_s)
            if "error" in answer:
                await worker.kill()  # it may be out of memory
                error = clean(str(answer["error"]))[:_LONGEST_ERROR]
                raise NoAnswer(f"failed: {error}", error)
            self._idle.append(worker)
            return answer

    async def _ask_some_worker(
        self, question: Question, limit_s: float | None
    ) -> tuple["Worker", Answer]:
        retries = self._retries
        while True:
            worker = self._take_idle()
            is_new = worker is None
            try:
                worker = worker or await self._start()
                return worker, await worker.ask(question, limit_s)
            except WorkerEnded as ended:
                if ended.status == -signal.SIGALRM:
                    raise NoAnswer("took too long", status=ended.status) from None
                if is_new and not retries:
                    raise NoAnswer("ended its process", status=ended.status) from None
                # An idle process may have ended before the question reached it.
                retries -= is_new

    async def warm_up(self) -> None:
        """Start a process if none is idle, to save the next question the wait."""
        if not self._idle and not self._slots.locked():
            async with self._slots.take():
                with suppress(NoAnswer, WorkerEnded):  # the next question reports it
                    self._idle.append(await self._start())

    async def close(self) -> None:
        """End the idle processes. Cancel calls of `ask` first."""
        while self._idle:
            await self._idle.pop().kill()

    def _take_idle(self) -> "Worker | None":
        while self._idle:
            if (worker := self._idle.pop()).is_alive:
                return worker
        return None

    async def _start(self) -> "Worker":
        try:
            return await Worker.start(self._command, self._stderr, self._longest_answer)
        except OSError as error:
            raise NoAnswer(f"has no process to think in: {error.strerror or error}") from error


class Worker(asyncio.SubprocessProtocol):
    """A process that leads a process group."""

    def __init__(self, longest_answer: int = LONGEST_ANSWER) -> None:
        self._longest_answer = longest_answer
        self._transport: asyncio.SubprocessTransport
        self._asked = 0
        self._received = bytearray()
        self._line: asyncio.Future[bytes]
        """The next line of the process, or the last one."""
        self._ended = asyncio.Event()

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        stderr: int | None = DEVNULL,
        longest_answer: int = LONGEST_ANSWER,
    ) -> "Worker":
        """Start a process, and wait until it is ready.

        Raises:
            NoAnswer: it took too long.
            OSError: the system could not start it.
            WorkerEnded: it has ended.
        """
        _, worker = await asyncio.get_running_loop().subprocess_exec(
            partial(cls, longest_answer),
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
            start_new_session=True,  # its children are killed with it
            env={k: v for k, v in os.environ.items() if not k.startswith("TTT_")},
        )
        await worker.ready()
        return worker

    async def ready(self) -> None:
        """Wait until the process is ready.

        Raises:
            NoAnswer, WorkerEnded: as `start`.
        """
        await self._in_time(self._line, _START_LIMIT_S)

    async def ask(self, question: Question, limit_s: float | None) -> Answer:
        """Return the answer to a question; kill the process if there is none.

        Raises:
            NoAnswer: it took too long.
            WorkerEnded: the process has ended, or did not write an answer.
        """
        self._asked += 1
        alarm_s = None if limit_s is None else math.ceil(limit_s)
        numbered = {**question, "number": self._asked, "limit_s": alarm_s}
        line = json.dumps(numbered).encode() + b"\n"
        answered = await self._in_time(self._exchange(line), limit_s)
        try:
            answer = decode_answer(answered)
        except ValueError:
            answer = {}
        # A fork by a strategy might answer an earlier question again.
        if answer.get("number") != self._asked:
            await self.kill()
            raise WorkerEnded
        return answer

    async def _in_time(self, line: Awaitable[bytes], limit_s: float | None) -> bytes:
        """Return a line of the process; kill it if that takes too long."""
        try:
            return await _in_time(line, limit_s)
        except TimeoutError:
            await self.kill()
            raise NoAnswer("took too long") from None
        except BaseException:
            await self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    @property
    def is_alive(self) -> bool:
        return not self._ended.is_set()

    async def kill(self) -> None:
        """Kill the process and its group."""
        with suppress(ProcessLookupError):  # all have ended
            os.killpg(self.pid, signal.SIGKILL)
        await self._ended.wait()

    async def _exchange(self, question: bytes) -> bytes:
        if not self.is_alive:
            raise WorkerEnded(self._transport.get_returncode())
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        self._expect_line()
        stdin.write(question)
        return await self._line

    def _expect_line(self) -> None:
        self._received.clear()
        self._line = asyncio.get_running_loop().create_future()
        self._line.add_done_callback(_retrieve)

    # Callbacks of the event loop. asyncio's own `wait` returns only once the pipes are closed, and
    # a child that has left the group may hold them open.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._expect_line()

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - there is only one
        if self._line.done():
            return  # no question is open
        self._received += data
        if b"\n" in data:
            self._line.set_result(bytes(self._received.partition(b"\n")[0]))
            self._received.clear()
        elif len(self._received) > self._longest_answer:
            self._line.set_exception(WorkerEnded())

    def process_exited(self) -> None:
        self._ended.set()
        status = self._transport.get_returncode()
        self._transport.close()
        if not self._line.done():
            self._line.set_exception(WorkerEnded(status))


def _retrieve(line: asyncio.Future[bytes]) -> None:
    """Retrieve its exception, which asyncio logs where nobody waits for the line any more."""
    if not line.cancelled():
        line.exception()


async def _in_time(work: Awaitable[bytes], limit_s: float | None) -> bytes:
    """Return the result of `work`.

    If this process stands still, as when the machine sleeps, at most one step of that counts.

    Raises:
        TimeoutError: it took longer than `limit_s`.
    """
    if limit_s is None:
        return await work
    working = asyncio.ensure_future(work)
    try:
        while limit_s > 0:
            step_s = min(limit_s, _TIME_STEP_S)
            done, _ = await asyncio.wait((working,), timeout=step_s)
            if done:
                return working.result()
            limit_s -= step_s
    finally:
        working.cancel()
    raise TimeoutError
