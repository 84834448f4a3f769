"""AI seats: asks strategies for moves, in this process or in another.

A strategy that looks its answer up or counts runs at once. One that searches, or is not ours, runs
in a worker process with a deadline that is enforced by killing the process.
"""

import asyncio
import json
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from ttt_engine import Position
from ttt_engine.strategies import Strategy, make
from ttt_protocol.state import Ai
from ttt_protocol.text import clean
from ttt_server.judge import Judgement, judge

THINK_LIMIT_S = 20.0
"""After this the process is killed and the seat forfeits."""

JUDGE_S = 0.5
"""For a hint or the answer to an offer, which are to come within a second."""

SHARE = 1 / 20
"""Of the time left on its clock, what an AI may spend on one move."""

_LONGEST_S = 2.0
"""What it spends at most, as much time as it has: as without a clock, and far from its end."""

_QUICK: dict[str, Callable[[Position], bool]] = {
    "random": lambda _: True,
    "rules": lambda _: True,
    "lines": lambda position: position.rules.cells <= 64,
    "perfect": lambda _: True,
    "minimax": lambda position: position.rules.cells == 9,  # looked up, not searched
}


class AiFailed(Exception):
    """A strategy gave no move: it raised, answered nonsense, or took too long."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell, and the strategy's reason for it."""

    cell: int
    reason: str


class Thinkers:
    """Chooses moves for AI seats, in up to `workers` processes side by side.

    As many more judge positions: a player who waits for a hint does not wait for the seats.
    """

    def __init__(self, workers: int, random: Random, think_limit_s: float = THINK_LIMIT_S) -> None:
        self._seats = asyncio.Semaphore(workers)
        self._judges = asyncio.Semaphore(workers)
        self._idle: list[Worker] = []
        self._random = random
        self._think_limit_s = think_limit_s

    async def choose(self, ai: Ai, position: Position, left_s: float | None = None) -> Choice:
        """A move for the side to move, which has `left_s` on its clock, if there is one.

        Where several cells are equally good, one of them by chance.

        Raises:
            AiFailed: if the strategy gave no legal move.
        """
        quick = _QUICK.get(ai.strategy)
        if quick is not None and quick(position):
            thought = _made(ai.strategy, ai.level).think(position)
            return Choice(self._random.choice(thought.cells), thought.reason)
        seconds = None if left_s is None else min(left_s * SHARE, _LONGEST_S)
        question = _question(position, ai.strategy, ai.level, seconds)
        answer = await self._ask(question, ai.strategy, self._seats)
        cells = _cells(answer)
        if not cells or not set(cells) <= set(position.legal_moves):
            raise AiFailed(f"{ai.strategy} chose an illegal cell")
        return Choice(self._random.choice(cells), clean(str(answer.get("reason", ""))))

    async def judge(self, position: Position) -> Judgement:
        """What the position is worth, within a second.

        Raises:
            AiFailed: if no process could say.
        """
        if position.rules.cells == 9:
            return judge(position, JUDGE_S, time.monotonic)
        question = _question(position, None, None, JUDGE_S)
        answer = await self._ask(question, "the judge", self._judges)
        return Judgement(
            tuple(_cells(answer)), dict(answer["values"]), answer["value"], answer["reason"]
        )

    async def close(self) -> None:
        """Ends the processes that are idle. Cancel whoever waits for an answer first."""
        while self._idle:
            await self._idle.pop().kill()

    async def _ask(
        self, question: dict[str, Any], who: str, slots: asyncio.Semaphore
    ) -> dict[str, Any]:
        async with slots:
            worker = await self._free_worker(who)
            try:
                async with asyncio.timeout(self._think_limit_s):
                    answer = await worker.ask(question)
            except TimeoutError:
                await worker.kill()
                raise AiFailed(f"{who} took too long") from None
            except (ConnectionError, ValueError):
                await worker.kill()
                raise AiFailed(f"{who} ended its process") from None
            except BaseException:
                await worker.kill()
                raise
            self._idle.append(worker)
        if "error" in answer:
            raise AiFailed(f"{who} failed: {clean(str(answer['error']))}")
        return answer

    async def _free_worker(self, who: str) -> "Worker":
        while self._idle:
            if (worker := self._idle.pop()).is_alive:
                return worker
        try:
            return await Worker.start()
        except OSError as error:
            raise AiFailed(f"{who} has no process to think in: {error}") from error


class Worker:
    """A process that runs `ttt_server.worker`."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls) -> "Worker":
        command = (sys.executable, "-m", "ttt_server.worker")
        return cls(
            await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        )

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to one question.

        Raises:
            ConnectionError, ValueError: if the process has ended.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:  # pragma: no cover - both were asked for
            raise ConnectionError("the worker has no pipes")
        stdin.write(json.dumps(question).encode() + b"\n")
        await stdin.drain()
        answer: dict[str, Any] = json.loads(await stdout.readline())
        return answer

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def kill(self) -> None:
        if self.is_alive:
            self._process.kill()
        await self._process.wait()


@cache
def _made(strategy: str, level: int | None) -> Strategy:
    return make(strategy, level)


def _question(
    position: Position, strategy: str | None, level: int | None, seconds: float | None
) -> dict[str, Any]:
    return {
        "strategy": strategy,
        "level": level,
        "seconds": seconds,
        "rules": str(position.rules),
        "board": position.board,
    }


def _cells(answer: dict[str, Any]) -> list[int]:
    cells = answer.get("cells")
    # JSON's true is an int in Python, and no cell.
    if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
        raise AiFailed("what was chosen is no cell")
    return cells
