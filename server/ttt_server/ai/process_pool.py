"""Processes that think: so many side by side, each used again for as long as it behaves."""

import asyncio
import json
import math
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, cast

from ttt_protocol.text import clean
from ttt_server.concurrency.fair_semaphore import FairSemaphore

Question = Mapping[str, Any]
Answer = dict[str, Any]
"""As `ttt_server.ai.worker` asks for them and gives them."""

_PART_S = 0.5
"""Of the time for an answer."""

_LONGEST_ANSWER = 1 << 16
"""Bytes."""

_LONGEST_NAME = 60
"""Of what went wrong, which whoever wrote the strategy has named."""


class NoAnswer(Exception):
    """Nothing came back, in words that go on from a name: "took too long"."""

    def __init__(self, words: str, error: str = "") -> None:
        super().__init__(words)
        self.error = error
        """The name of what the question's answer failed with, if it did."""


class WorkerEnded(Exception):
    """The process is gone, or speaks nonsense."""


class ProcessPool:
    """Up to `size` processes, with no more than `memory_mb` for each.

    `nice`: by how much they give way to everything else on the machine.
    """

    def __init__(self, size: int, memory_mb: int, nice: int = 0) -> None:
        self._slots = FairSemaphore(size)
        self._idle: list[Worker] = []
        self._memory_mb = memory_mb
        self._nice = nice

    async def ask(self, question: Question, limit_s: float, whose: str = "") -> Answer:
        """The answer to a question. One that fails to answer ends its process.

        Args:
            question: JSON, for `ttt_server.ai.worker`.
            limit_s: how long it may take from when there is a process for it.
            whose: who shares a turn with it: questions of others do not wait for all of theirs.

        Raises:
            NoAnswer: in time.
        """
        async with self._slots.take(whose):
            while True:
                worker = self._take_idle()
                is_fresh = worker is None
                try:
                    worker = worker or await self._start()
                    answer = await worker.ask(question, limit_s)
                except WorkerEnded:
                    if is_fresh:
                        raise NoAnswer("ended its process") from None
                    continue  # it may have died while it was idle: nobody is to suffer for it
                break
            if "error" in answer:
                # It may hold on to what it could not get enough of.
                await worker.kill()
                error = clean(str(answer["error"]))[:_LONGEST_NAME]
                raise NoAnswer(f"failed: {error}", error)
            self._idle.append(worker)
            return answer

    async def warm_up(self) -> None:
        """Has a process ready, if none is: the next question does not wait for its start."""
        if not self._idle and not self._slots.locked():
            async with self._slots.take():
                with suppress(NoAnswer):  # whoever asks is told
                    self._idle.append(await self._start())

    async def close(self) -> None:
        """Ends the processes that are idle. Cancel whoever waits for an answer first."""
        while self._idle:
            await self._idle.pop().kill()

    def _take_idle(self) -> "Worker | None":
        while self._idle:
            if (worker := self._idle.pop()).is_alive:
                return worker
        return None

    async def _start(self) -> "Worker":
        try:
            return await Worker.start(self._memory_mb, self._nice)
        except OSError as error:
            raise NoAnswer(f"has no process to think in: {error.strerror or error}") from error


class Worker(asyncio.SubprocessProtocol):
    """A process that runs `ttt_server.ai.worker`, at the head of a group of its own."""

    def __init__(self) -> None:
        self._transport: asyncio.SubprocessTransport
        self._asked = 0
        self._heard = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self._ended = asyncio.Event()

    @classmethod
    async def start(cls, memory_mb: int, nice: int) -> "Worker":
        """Starts one.

        Raises:
            OSError: if there is no process to be had.
        """
        _, worker = await asyncio.get_running_loop().subprocess_exec(
            cls,
            *(sys.executable, "-m", "ttt_server.ai.worker", str(memory_mb), str(nice)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,  # so that what it starts ends with it
            env={k: v for k, v in os.environ.items() if not k.startswith("TTT_")},
        )
        return worker

    async def ask(self, question: Question, limit_s: float) -> Answer:
        """The answer to one question; without one, the process is ended.

        Raises:
            NoAnswer: if it took too long.
            WorkerEnded: if the process has ended, or what it said is no answer.
        """
        self._asked += 1
        numbered = {**question, "number": self._asked, "limit_s": math.ceil(limit_s)}
        try:
            line = json.dumps(numbered).encode() + b"\n"
            answer = json.loads(await _in_time(self._exchange(line), limit_s))
            # What a strategy has forked might answer an earlier question once more.
            if not isinstance(answer, dict) or answer.get("number") != self._asked:
                raise WorkerEnded
        except TimeoutError:
            await self.kill()
            raise NoAnswer("took too long") from None
        except ValueError:
            await self.kill()
            raise WorkerEnded from None
        except BaseException:
            await self.kill()
            raise
        return answer

    @property
    def pid(self) -> int:
        return self._transport.get_pid()

    @property
    def is_alive(self) -> bool:
        return not self._ended.is_set()

    async def kill(self) -> None:
        """Ends the process and all of its group."""
        with suppress(ProcessLookupError):  # all of them have ended
            os.killpg(self.pid, signal.SIGKILL)
        await self._ended.wait()

    async def _exchange(self, line: bytes) -> bytes:
        if not self.is_alive:
            raise WorkerEnded
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        self._heard.clear()
        self._answer = asyncio.get_running_loop().create_future()
        stdin.write(line)
        return await self._answer

    # What the event loop tells. Of a process's end the library's own `wait` tells only when its
    # pipes are closed, and a child that ran away may hold on to those.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - there is one
        if self._answer is None or self._answer.done():
            return  # nobody has asked
        self._heard += data
        if b"\n" in data:
            self._answer.set_result(bytes(self._heard.partition(b"\n")[0]))
        elif len(self._heard) > _LONGEST_ANSWER:
            self._answer.set_exception(WorkerEnded())

    def process_exited(self) -> None:
        self._ended.set()
        self._transport.close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerEnded())


async def _in_time(work: Coroutine[Any, Any, bytes], limit_s: float) -> bytes:
    """What `work` gives. Of a time in which this process stood still only a part is counted.

    Raises:
        TimeoutError: if it gives nothing.
    """
    working = asyncio.ensure_future(work)
    try:
        while limit_s > 0:
            part_s = min(limit_s, _PART_S)
            done, _ = await asyncio.wait((working,), timeout=part_s)
            if done:
                return working.result()
            limit_s -= part_s
    finally:
        working.cancel()
    raise TimeoutError
