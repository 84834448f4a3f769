"""A program that plays, driven over a pipe by a worker, which may block; and as a strategy.

`ttt_client.bots.process` is the asyncio shell around the same `Conversation`. A program stays in
the process group of its worker, which is killed as a whole.
"""

import os
import select
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import NamedTuple, cast

from ttt_engine import Mark, Position, Rules
from ttt_engine.openings.opening import Setup
from ttt_engine.order import in_turns
from ttt_engine.strategies import Thought
from ttt_engine.strategy import EVERY
from ttt_protocol.bots import failures
from ttt_protocol.bots.conversation import GRACE_S, START_S, BotProtocol, Conversation
from ttt_protocol.bots.gomocup import has_words_for
from ttt_protocol.bots.language import Answer, BotTurn, GameEnd, MustStartAgain
from ttt_protocol.bots.system import memory_limit
from ttt_protocol.codes import Choice, Opening
from ttt_protocol.state import Mark as Seat
from ttt_protocol.text import clean
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.core.room import wire_rules

_READ = 1 << 16
_END_S = 0.2
"""How long a program may take to end, or to report its status."""

_OUR_VARIABLES = "TTT_", "PYDANTIC_DISABLE_PLUGINS"
"""The beginnings of variables that are not for programs: secrets, and what the server sets."""


class TimedAnswer(NamedTuple):
    """An answer, and the seconds from the question to it."""

    answer: Answer
    seconds: float


class Program:
    """A program that is started when asked, and restarted after a failure.

    `tolerance_s`: how late an answer may come and still count.
    """

    def __init__(
        self,
        command: Sequence[str],
        protocol: BotProtocol,
        level: int | None = None,
        tolerance_s: float = GRACE_S,
    ) -> None:
        self._command = command
        self._protocol = protocol
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_OUR_VARIABLES)}
        self._environment = kept | ({} if level is None else {"TTT_LEVEL": str(level)})
        self._tolerance_s = tolerance_s
        self._pipe: _Pipe | None = None

    def ask(self, turn: BotTurn) -> TimedAnswer:
        """Return the program's move. A failing process is killed; the next question starts one.

        The limit is the turn's `time_ms` plus the tolerance. Starting, or preparing for another
        game, does not count.

        Raises:
            CannotStart: the system cannot run the program.
            BotFailed: it gave no legal move.
            CannotPlay: its language has no words for such a board.
        """
        answer, seconds = self._exchange(turn)
        return TimedAnswer(cast("Answer", answer), seconds)

    def choose(self, turn: BotTurn) -> Choice:
        """Return what the program chooses in an opening, within the limits of `ask`.

        Raises:
            CannotStart, BotFailed, CannotPlay: as by `ask`.
        """
        return cast("Choice", self._exchange(turn)[0])

    def _exchange(self, question: BotTurn) -> tuple[Answer | Choice, float]:
        """Return the answer to a question, and the seconds that it took."""
        limit_s = question.time_ms / 1000
        allowed_s = limit_s + self._tolerance_s
        pipe, is_new = self._pipe, False
        if pipe is None or pipe.has_ended:
            self.kill()
            pipe = self._pipe = self._start()
            is_new = True
        try:
            return pipe.ask(question, limit_s, allowed_s, is_new=is_new)
        except MustStartAgain:
            self.close()
            return self._exchange(question)
        except BaseException:
            self.kill()
            raise

    def tell_end(self, end: GameEnd) -> None:
        """Tell the program, if it runs, how a game ended."""
        if self._pipe is not None:
            self._pipe.tell_end(end)

    def close(self) -> None:
        """Ask the program to end, then kill it."""
        if self._pipe is not None:
            self._pipe.say_goodbye()
        self.kill()

    def kill(self) -> None:
        """Kill the process, if there is one."""
        if self._pipe is not None:
            self._pipe.kill()
            self._pipe = None

    def _start(self) -> "_Pipe":
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator names the program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=self._environment,
            )
        except OSError as error:
            raise failures.cannot_start(self._command[0], error) from None
        return _Pipe(process, Conversation(self._protocol, memory_limit()))


class _Pipe:
    """A process with non-blocking descriptors."""

    def __init__(self, process: subprocess.Popen[bytes], conversation: Conversation) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a program without pipes")
        self._process = process
        self._conversation = conversation
        self._stdin, self._stdout = process.stdin.fileno(), process.stdout.fileno()
        self._stderr = process.stderr.fileno()
        self._errors = bytearray()
        self._poll = select.poll()
        for descriptor in (self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
            self._poll.register(descriptor, select.POLLIN)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ask(
        self, question: BotTurn, limit_s: float, allowed_s: float, *, is_new: bool
    ) -> tuple[Answer | Choice, float]:
        # What came since the last answer belongs to no question.
        while (data := self._read(self._stdout)) and self._conversation.ignore(data):
            pass
        if (known := self._conversation.recall(question)) is not None:
            return known, 0.0
        written = self._conversation.ask(question)
        self._errors.clear()
        began = time.perf_counter()
        is_preparing = is_new or self._conversation.language.is_preparing
        end = began + allowed_s + (START_S if is_preparing else 0)
        self._write(written)
        while (left_s := end - time.perf_counter()) > 0:
            for descriptor, _ in self._poll.poll(1000 * left_s):
                data = self._read(descriptor)
                if descriptor == self._stderr:
                    self._hear_errors(data)
                elif not data:
                    raise self._crashed()
                else:
                    step = self._conversation.receive(data)
                    if step.reply:
                        self._write(step.reply)
                    if step.is_asked:
                        began = time.perf_counter()
                        end = began + allowed_s
                    if step.answer is not None:
                        return step.answer, time.perf_counter() - began
        raise failures.too_slow(limit_s, time.perf_counter() - began)

    def tell_end(self, end: GameEnd) -> None:
        self._write(self._conversation.language.tell_end(end))

    def say_goodbye(self) -> None:
        self._write(self._conversation.language.say_goodbye())
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)

    def kill(self) -> None:
        with self._process:  # closes the pipes, and waits for the end
            self._process.kill()

    def _read(self, descriptor: int) -> bytes:
        """Return what there is to read; empty at the end, or if there is nothing yet."""
        try:
            return os.read(descriptor, _READ)
        except BlockingIOError:
            return b""

    def _write(self, data: bytes) -> None:
        with suppress(BrokenPipeError):  # reading notices its end
            while data:
                data = data[os.write(self._stdin, data) :]

    def _hear_errors(self, data: bytes) -> None:
        self._errors += data
        del self._errors[: -failures.MOST_STDERR]
        if not data:
            self._poll.unregister(self._stderr)  # closed, which poll would keep reporting

    def _crashed(self) -> failures.BotFailed:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        while data := self._read(self._stderr):
            self._hear_errors(data)
        return failures.crashed(self._process.returncode, self._errors.decode(errors="replace"))


_games = count(1)
"""A number for each question, which is a game of its own to the program."""


class ProgramMaker:
    """Makes the strategy of a program; the registry calls it like a class.

    A worker has one process a level, and starts it with the first question.
    """

    parts = ("seconds",)

    def __init__(self, name: str, setting: ProgramSetting) -> None:
        self._name = name
        self._setting = setting
        self.levels = setting.levels
        self.about = setting.about
        self.boards = setting.boards or "every board"
        self._programs: dict[int | None, Program] = {}

    def __call__(self, level: int | None = None, seconds: float | None = None) -> "ProgramStrategy":
        if level not in self._programs:
            protocol = BotProtocol(self._setting.protocol)
            self._programs[level] = Program(self._setting.command, protocol, level)
        own = self._setting.time_s if seconds is None else seconds
        return ProgramStrategy(self._name, self._setting, self._programs[level], own)


_MORE = 2
"""Marks that a player places after choosing `more`."""


class OpeningPart(NamedTuple):
    """What a program contributes to an opening: its choice, and its marks."""

    choice: Choice | None
    """`None` where it was asked for marks."""

    marks: tuple[int, ...]
    """Cells in order, up to the other side's choice, or fewer if it failed."""


class ProgramStrategy:
    """A program that chooses a cell, and in an opening whatever its protocol can express.

    Each question is a game of its own to the program, as a worker serves many rooms.
    """

    variants = EVERY

    def __init__(
        self, name: str, setting: ProgramSetting, program: Program, seconds: float
    ) -> None:
        self.name = name
        self.seconds = seconds
        self._setting = setting
        self._program = program

    def plays(self, rules: Rules) -> bool:
        return self._setting.plays(rules)

    def think(self, position: Position) -> Thought:
        return self.think_after(position, None)

    def think_after(self, position: Position, moves: tuple[int, ...] | None) -> Thought:
        """Ask the program.

        Raises:
            BotError: it gave no legal move.
        """
        known = moves if moves is not None else in_turns(position)
        turn = self._turn(next(_games), position, known, position.turn, self.seconds)
        answer, _ = self._program.ask(turn)
        return Thought((answer.cell,), clean(answer.reason or "") or self.name)

    def open_game(
        self, position: Position, moves: tuple[int, ...], setup: Setup
    ) -> OpeningPart | None:
        """Ask the program to choose in an opening, or to place marks up to the next choice.

        Without a choice it stays on its side, as it may not know openings. Marks are asked for
        together, as parts of one game: some protocols name them in one answer.

        Returns:
            `None` if the program's protocol cannot express it.

        Raises:
            BotError: it placed no mark.
        """
        game = next(_games)
        asked = self._turn(game, position, moves, setup.seat, self.seconds, setup.kind)
        if setup.choices:
            asked = asked._replace(legal=(), choices=tuple(map(Choice, setup.choices)))
        if self._setting.protocol == "gomocup" and not has_words_for(asked):
            return None
        if not setup.choices:
            return OpeningPart(None, self._marks(game, position, moves, setup, setup.stones))
        try:
            choice = self._program.choose(asked)
        except failures.BotFailed:
            return OpeningPart(Choice.STAY, ())
        if choice is not Choice.MORE:
            return OpeningPart(choice, ())
        try:
            marks = self._marks(game, position, moves, setup, setup.stones + _MORE)
        except failures.BotError:
            marks = ()  # it is asked for its marks again
        return OpeningPart(choice, marks)

    def _marks(
        self, game: int, position: Position, moves: tuple[int, ...], setup: Setup, until: int
    ) -> tuple[int, ...]:
        """Return the next marks, until there are this many on the board.

        Raises:
            BotError: it did not place the first.
        """
        marks: tuple[int, ...] = ()
        seconds = self.seconds / (until - len(moves))
        while len(moves) + len(marks) < until:
            so_far = moves + marks
            turn = self._turn(game, position, so_far, setup.seat, seconds, setup.kind)
            try:
                answer, _ = self._program.ask(turn)
            except failures.BotError:
                if not marks:
                    raise
                break
            marks += (answer.cell,)
            position = position.play(answer.cell)
        return marks

    def _turn(
        self,
        game: int,
        position: Position,
        moves: tuple[int, ...],
        seat: Mark,
        seconds: float,
        kind: str = Opening.NONE,
    ) -> BotTurn:
        return BotTurn(
            game,
            wire_rules(position.rules),
            Seat(seat),
            position.board,
            moves,
            position.legal_moves,
            time_ms=max(1, round(1000 * seconds)),
            opening=Opening(kind),
        )
