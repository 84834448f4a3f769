"""A program that plays, and its pipe, on asyncio: start it, ask it, time it, kill it.

`ttt_server.ai.program` is the blocking shell around the same `Conversation`.
"""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, cast

from ttt_protocol.bots.conversation import GRACE_S, MOST_BYTES, START_S, BotProtocol, Conversation
from ttt_protocol.bots.failures import MOST_STDERR, BotFailed, cannot_start, crashed, too_slow
from ttt_protocol.bots.language import Answer, BotTurn, GameEnd, MustStartAgain, UnplayableBoard
from ttt_protocol.bots.system import kill_orphans, memory_limit
from ttt_protocol.codes import Choice

_END_S = 0.5
"""How long a program may take to exit after the end of its input."""

_LAST_OUTPUT_S = 0.1
"""How long the last output of an ended process may take to arrive."""

OnLine = Callable[[str, str], None]
"""Called with each line at the pipe: `>` to the program, `<` from it, `!` its standard error."""


class Reply(NamedTuple):
    """An answer, its time, and what the program wrote on standard error."""

    answer: Answer
    seconds: float
    """From the question to the answer, at the pipe."""
    stderr: str
    """The standard error of the program meanwhile, at most 1 KiB."""


class BotProcess:
    """A program that is started by its first question, and restarted after a failure.

    Args:
        command: the program and its arguments.
        protocol: the language that it speaks.
        variables: environment variables to add. Those of this process that begin with `TTT_`
            may hold secrets, and are left out.
        on_line: called with every line.
        tolerance_s: how long after its limit an answer still counts.
    """

    def __init__(
        self,
        command: Sequence[str],
        protocol: BotProtocol,
        variables: Mapping[str, str] | None = None,
        on_line: OnLine = lambda _mark, _line: None,
        *,
        tolerance_s: float = GRACE_S,
    ) -> None:
        self._command = command
        self.protocol = protocol
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TTT_")}
        self._environment = kept | dict(variables or {})
        self._on_line = on_line
        self._tolerance_s = tolerance_s
        self._pipe: _Pipe | None = None
        self._variants: frozenset[str] = frozenset()

    @property
    def unasked(self) -> str | None:
        """The last line since the answer that is not a message, and so answers nothing."""
        return None if self._pipe is None else self._pipe.conversation.unasked

    def names(self, variant: str) -> bool:
        """Return whether the program has said, up to its last answer, that it plays a variant."""
        return not self._variants.isdisjoint({variant, "*"})

    async def ask(self, turn: BotTurn) -> Reply:
        """Return the program's move. A process that fails is killed; the next question starts one.

        The limit is the turn's `time_ms`, and the tolerance. Time to start, or to make ready for
        another game, is not counted.

        Raises:
            CannotStart: the system cannot run the program.
            BotFailed: it gave no legal move.
            CannotPlay: its language has no words for such a board.
        """
        answer, seconds = await self._exchange(turn)
        if not isinstance(answer, Answer):  # pragma: no cover - a talk answers what it was asked
            raise TypeError(answer)
        return Reply(answer, seconds, "" if self._pipe is None else self._pipe.stderr)

    async def choose(self, turn: BotTurn) -> Choice:
        """Return what the program chooses in an opening, within the limits of `ask`.

        Raises:
            CannotStart, BotFailed, CannotPlay: as by `ask`.
        """
        answer, _ = await self._exchange(turn)
        if not isinstance(answer, Choice):  # pragma: no cover - a talk answers what it was asked
            raise TypeError(answer)
        return answer

    async def _exchange(self, question: BotTurn) -> tuple[Answer | Choice, float]:
        """Return the answer to a question, and the seconds that it took."""
        limit_s = question.time_ms / 1000
        loop = asyncio.get_running_loop()
        began = loop.time()
        timer = asyncio.timeout(limit_s + self._tolerance_s + START_S)

        def on_asked() -> None:
            nonlocal began
            began = loop.time()
            timer.reschedule(began + limit_s + self._tolerance_s)

        pipe, is_new = self._pipe, False
        try:
            async with timer:
                if pipe is None or pipe.ended.is_set():
                    await self.kill()
                    pipe = self._pipe = await self._start()
                    is_new = True
                answer = await pipe.ask(question, on_asked, is_new=is_new)
        except MustStartAgain:
            await self.close()
            return await self._exchange(question)
        except TimeoutError:
            await self.kill()
            raise too_slow(limit_s, loop.time() - began) from None
        except BaseException:
            await self.kill()
            raise
        finally:
            if pipe is not None:
                self._variants = pipe.conversation.language.variants
        return answer, loop.time() - began

    def tell_end(self, end: GameEnd) -> None:
        """Tell the program, if it is running, how a game ended."""
        if self._pipe is not None and not self._pipe.ended.is_set():
            self._pipe.tell_end(end)

    async def close(self) -> None:
        """Ask the program to exit, and kill it if it does not."""
        if self._pipe is not None:
            self._pipe.say_goodbye()
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_S):
                    await self._pipe.ended.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill the program and all processes that it has started."""
        if self._pipe is not None:
            pipe, self._pipe = self._pipe, None
            await pipe.kill()
            _running.discard(self)
            if not _running:
                kill_orphans()

    async def _start(self) -> "_Pipe":
        _running.add(self)  # before it starts: else it could be taken for an orphan
        try:
            _, pipe = await asyncio.get_running_loop().subprocess_exec(
                lambda: _Pipe(Conversation(self.protocol, memory_limit()), self._on_line),
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,  # Ctrl-C is for this program; and its children end with it
                env=self._environment,
            )
        except OSError as error:
            _running.discard(self)
            raise cannot_start(self._command[0], error) from None
        return pipe


_running: set[BotProcess] = set()
"""The programs that run. Orphans are killed with the last."""


class _Pipe(asyncio.SubprocessProtocol):
    """A process at the head of a group of its own."""

    def __init__(self, conversation: Conversation, on_line: OnLine) -> None:
        self.conversation = conversation
        self._on_line = on_line
        self._transport: asyncio.SubprocessTransport
        self._answer: asyncio.Future[Answer | Choice] | None = None
        self._on_asked: Callable[[], None] = lambda: None
        self._partial = {1: "", 2: ""}
        self._errors = bytearray()
        self._error_size = 0
        self.ended = asyncio.Event()

    @property
    def stderr(self) -> str:
        """The last that it wrote on standard error since the last question."""
        return self._errors.decode(errors="replace")

    async def ask(
        self, question: BotTurn, on_asked: Callable[[], None], *, is_new: bool
    ) -> Answer | Choice:
        """Ask. `on_asked` is called when the clock starts later than the question."""
        if (known := self.conversation.recall(question)) is not None:
            return known
        written = self.conversation.ask(question)
        self._errors.clear()
        self._error_size = 0
        self._pause(2, paused=False)
        self._answer = asyncio.get_running_loop().create_future()
        self._on_asked = on_asked
        self._write(written)
        if not is_new and not self.conversation.language.is_preparing:
            on_asked()
        return await self._answer

    def tell_end(self, end: GameEnd) -> None:
        self._write(self.conversation.language.tell_end(end))

    def say_goodbye(self) -> None:
        stdin = self._stdin()
        if not self.ended.is_set() and not stdin.is_closing():
            self._write(self.conversation.language.say_goodbye())
            stdin.close()

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        await self.ended.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._show(fd, data)
        if fd == 2:
            self._errors += data
            del self._errors[:-MOST_STDERR]
            self._error_size += len(data)
            if self._error_size > MOST_BYTES:
                self._pause(2, paused=True)
        elif self._answer is None or self._answer.done():
            if not self.conversation.ignore(data):
                self._pause(1, paused=True)
        else:
            self._receive(data, self._answer)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's
        if fd == 1:
            # The exit status usually follows at once.
            asyncio.get_running_loop().call_later(_LAST_OUTPUT_S, self._fail)

    def process_exited(self) -> None:
        if self._answer is not None and not self._answer.done():  # a question waits
            asyncio.get_running_loop().call_later(_LAST_OUTPUT_S, self._finish)
        else:
            self._finish()

    def _receive(self, data: bytes, answer: asyncio.Future[Answer | Choice]) -> None:
        try:
            step = self.conversation.receive(data)
        except (BotFailed, UnplayableBoard, MustStartAgain) as failure:
            answer.set_exception(failure)
            return
        if step.reply:
            self._write(step.reply)
        if step.is_asked:
            self._on_asked()
        if step.answer is not None:
            answer.set_result(step.answer)

    def _finish(self) -> None:
        self._fail()
        self.ended.set()
        self._transport.close()

    def _fail(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(crashed(self._transport.get_returncode(), self.stderr))

    def _write(self, data: bytes) -> None:
        stdin = self._stdin()
        if data and not stdin.is_closing():
            for line in data.decode().splitlines():
                self._on_line(">", line)
            stdin.write(data)

    def _stdin(self) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def _pause(self, fd: int, *, paused: bool) -> None:
        """Pause or resume reading, which makes the program wait when it writes."""
        pipe = cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(fd))
        if pipe is None or pipe.is_closing() or pipe.is_reading() is not paused:
            return
        if paused:
            pipe.pause_reading()
        else:
            pipe.resume_reading()

    def _show(self, fd: int, data: bytes) -> None:
        """Report the whole lines, and of an endless one only its beginning."""
        *lines, rest = (self._partial[fd] + data.decode(errors="replace")).split("\n")
        self._partial[fd] = rest[:MOST_STDERR]
        for line in lines:
            self._on_line("<" if fd == 1 else "!", line)
