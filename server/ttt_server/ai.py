"""AI seats: asks strategies for moves, in this process or in another.

A strategy that looks its answer up or counts runs at once. One that searches, or is not ours, runs
in a worker process with a deadline that is enforced by killing the process.
"""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ttt_engine import Position
from ttt_engine.strategies import make
from ttt_protocol.state import Ai
from ttt_protocol.text import clean

THINK_LIMIT_S = 20.0
"""After this the process is killed and the seat forfeits."""

_QUICK: dict[str, Callable[[Position], bool]] = {
    "random": lambda _: True,
    "rules": lambda _: True,
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
    """Chooses moves for AI seats, in up to `workers` processes side by side."""

    def __init__(self, workers: int, random: Random, think_limit_s: float = THINK_LIMIT_S) -> None:
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[Worker] = []
        self._random = random
        self._think_limit_s = think_limit_s

    async def choose(self, ai: Ai, position: Position) -> Choice:
        """A move for the side to move. Where several cells are equally good, one of them by chance.

        Raises:
            AiFailed: if the strategy gave no legal move.
        """
        quick = _QUICK.get(ai.strategy)
        if quick is not None and quick(position):
            thought = make(ai.strategy, ai.level).think(position)
            return Choice(self._random.choice(thought.cells), thought.reason)
        async with self._slots:
            cells, reason = await self._ask(ai, position)
        if not cells or not set(cells) <= set(position.legal_moves):
            raise AiFailed(f"{ai.strategy} chose an illegal cell")
        return Choice(self._random.choice(cells), reason)

    async def close(self) -> None:
        """Ends the processes that are idle. Cancel whoever waits for an answer first."""
        while self._idle:
            await self._idle.pop().kill()

    async def _ask(self, ai: Ai, position: Position) -> tuple[list[int], str]:
        worker = await self._free_worker(ai)
        try:
            async with asyncio.timeout(self._think_limit_s):
                answer = await worker.ask(ai, position)
        except TimeoutError:
            await worker.kill()
            raise AiFailed(f"{ai.strategy} took too long") from None
        except BaseException:
            await worker.kill()
            raise
        self._idle.append(worker)
        return answer

    async def _free_worker(self, ai: Ai) -> "Worker":
        while self._idle:
            if (worker := self._idle.pop()).is_alive:
                return worker
        try:
            return await Worker.start()
        except OSError as error:
            raise AiFailed(f"{ai.strategy} has no process to think in: {error}") from error


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

    async def ask(self, ai: Ai, position: Position) -> tuple[list[int], str]:
        """The cells that the strategy holds equally good, and its reason.

        Raises:
            AiFailed: if it answered anything else.
        """
        question = {
            "strategy": ai.strategy,
            "level": ai.level,
            "rules": str(position.rules),
            "board": position.board,
        }
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:  # pragma: no cover - both were asked for
            raise AiFailed("the worker has no pipes")
        try:
            stdin.write(json.dumps(question).encode() + b"\n")
            await stdin.drain()
            return _cells_and_reason(ai, json.loads(await stdout.readline()))
        except (ConnectionError, ValueError):
            raise AiFailed(f"{ai.strategy} ended its process") from None

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def kill(self) -> None:
        if self.is_alive:
            self._process.kill()
        await self._process.wait()


def _cells_and_reason(ai: Ai, answer: dict[str, Any]) -> tuple[list[int], str]:
    cells = answer.get("cells")
    if "error" in answer or not isinstance(cells, list):
        raise AiFailed(f"{ai.strategy} failed: {answer.get('error', 'no cells')}")
    # JSON's true is an int in Python, and no cell.
    if not all(type(cell) is int for cell in cells):
        raise AiFailed(f"{ai.strategy} chose something that is no cell")
    return cells, clean(str(answer.get("reason", "")))
