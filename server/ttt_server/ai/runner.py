"""AI seats: asks strategies for moves, in this process or in another.

A strategy of ours that looks its answer up or counts runs at once. One that searches, or is not
ours, runs in a process with a deadline that is enforced by killing it. Code that is not ours never
runs in this process: not to import it, not to make it, not to ask it which boards it plays.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from ttt_engine import Position, Rules, UnknownStrategy
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_engine.learning.memory import Memory
from ttt_engine.position import SMALLEST
from ttt_engine.strategies import Description, Strategy, consult, describe, is_ours, make, names
from ttt_protocol.state import Ai, AiSetting, GivenSettings
from ttt_protocol.text import clean, is_blank
from ttt_server.ai.plugins import PluginStrategies
from ttt_server.ai.process_pool import NoAnswer, ProcessPool
from ttt_server.ai.settle import settle, settle_ai
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.telemetry.histogram import Histogram

THINK_LIMIT_S = 20.0
"""After this the process is killed and the seat forfeits."""

EVALUATION_S = 0.5
"""For a hint or the answer to an offer, which are to come within a second."""

MEMORY_MB = 512
"""Of one process. The memory of `search` is bounded well below."""

THINK_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25)

_SHARE = 1 / 20
"""Of the time left on its clock, what an AI may spend on one move."""

_BESIDE_S = 0.02
"""What a move takes beside that, on its way to a process, to the disk and back."""

_LONGEST_S = 2.0
"""What it spends at most, as much time as it has: as without a clock, and far from its end."""

_QUICK: dict[str, Callable[[Position], bool]] = {
    "random": lambda _: True,
    "rules": lambda _: True,
    "learner": lambda _: True,
    "lines": lambda position: position.rules.cells <= 64,
    "perfect": lambda _: True,
    "minimax": lambda position: position.rules.cells == SMALLEST,  # looked up
}


class AiFailed(Exception):
    """A strategy gave no move: it raised, answered nonsense, or took too long."""


class Choice(NamedTuple):
    """A cell, and the strategy's reason for it."""

    cell: int
    reason: str


class StrategyRunner:
    """Chooses moves for AI seats, in up to `workers` processes side by side.

    As many more judge positions: a player who waits for a hint does not wait for the seats. And as
    many more for each strategy that is not ours, so that it keeps nobody waiting but itself.

    `memory`: what the learner thinks with, as it is when it thinks.
    """

    def __init__(
        self,
        workers: int,
        random: Random,
        memory_mb: int = MEMORY_MB,
        think_limit_s: float = THINK_LIMIT_S,
        memory: Memory | None = None,
    ) -> None:
        self._seats = ProcessPool(workers, memory_mb)
        self._judges = ProcessPool(workers, memory_mb)
        self.plugins = PluginStrategies(workers, memory_mb)
        self._random = random
        self._think_limit_s = think_limit_s
        self._tasks = TaskOwner()
        self.thoughts = Histogram(THINK_BOUNDS_S)
        """How long it took to have a move."""
        self.failures: Counter[str] = Counter()
        """By strategy, how often it gave none."""
        self._memory = memory
        self._made: dict[tuple[str, int | None], Strategy] = {}

    def settle(self, given: GivenSettings) -> GivenSettings:
        """Return the settings with each AI seat settled. Plug-ins have been probed before.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        return settle(given)

    def settle_ai(self, wish: AiSetting, board: Rules) -> AiSetting:
        """As `settle`, for one seat.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        return settle_ai(wish, board)

    async def choose(
        self,
        ai: Ai,
        position: Position,
        left_s: float | None = None,
        moves: tuple[int, ...] | None = None,
        *,
        whose: str = "",
    ) -> Choice:
        """A move for the side to move; where several cells are equally good, one by chance.

        Args:
            ai: who sits there.
            position: at which it is to move.
            left_s: on its clock, if there is one.
            moves: the cells that led to the position, if they are known.
            whose: who opened the room: all that think for them share a turn.

        Raises:
            AiFailed: if the strategy gave no legal move.
        """
        began = time.perf_counter()
        try:
            return await self._choose(ai, position, left_s, moves, whose)
        except AiFailed:
            self.failures[ai.strategy] += 1
            raise
        finally:
            self.thoughts.observe(time.perf_counter() - began)

    def answers_at_once(self, ai: Ai, position: Position) -> bool:
        """Whether it takes so short a time that nobody notices: no more than a tenth of a ms.

        So it is on the smallest board with all that run in this process, but for the first thought
        of each, which may take some ten.
        """
        return position.rules.cells == SMALLEST and ai.strategy in _QUICK

    def choose_at_once(self, ai: Ai, position: Position, moves: tuple[int, ...]) -> Choice:
        """As `choose`, of one that `answers_at_once`."""
        began = time.perf_counter()
        choice = self._consult(ai, position, moves)
        self.thoughts.observe(time.perf_counter() - began)
        return choice

    async def _choose(
        self,
        ai: Ai,
        position: Position,
        left_s: float | None,
        moves: tuple[int, ...] | None,
        whose: str,
    ) -> Choice:
        quick = _QUICK.get(ai.strategy)
        if quick is not None and quick(position):
            return self._consult(ai, position, moves)
        seconds = None if left_s is None else min(to_spend_s(left_s, position), _LONGEST_S)
        question = {"ask": "think", "strategy": ai.strategy, "level": ai.level, "seconds": seconds}
        # Once its flag has fallen, nobody waits for its move.
        limit_s = min(self._think_limit_s, self._think_limit_s if left_s is None else left_s + 1)
        try:
            pool = self._seats if is_ours(ai.strategy) else self.plugins.pool(ai.strategy)
            asked = question | _told(position) | {"moves": moves}
            answer = await pool.ask(asked, limit_s, whose)
        except UnknownStrategy:
            raise AiFailed(f"{ai.strategy} is not installed any more") from None
        except NoAnswer as error:
            raise AiFailed(f"{ai.strategy} {error}") from None
        cells = answer.get("cells")
        # JSON's true is an int in Python, and no cell.
        if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
            raise AiFailed(f"{ai.strategy} chose what is no cell")
        if not cells or not set(cells) <= set(position.legal_moves):
            raise AiFailed(f"{ai.strategy} chose an illegal cell")
        reason = clean(str(answer.get("reason", "")))
        cell = self._random.choice(cells)
        return Choice(cell, ai.strategy if is_blank(reason) else reason)

    async def evaluate(
        self, position: Position, seconds: float = EVALUATION_S, *, whose: str = ""
    ) -> Evaluation:
        """What the position is worth, after a search of at most so long, in the turn of `whose`.

        Raises:
            AiFailed: if no process could say.
        """
        if not _needs_process(position.rules):
            return evaluate(position, seconds, time.monotonic)
        question = {"ask": "judge", "seconds": seconds}
        try:
            asked = question | _told(position)
            answer = await self._judges.ask(asked, self._think_limit_s, whose)
        except NoAnswer as error:
            raise AiFailed(f"the judge {error}") from None
        return Evaluation(
            tuple(answer["cells"]), dict(answer["values"]), answer["value"], answer["reason"]
        )

    def expect_to_evaluate(self, board: Rules) -> None:
        """Somebody may soon ask for a judgement: it should not wait for a process to start."""
        if _needs_process(board):
            self._tasks.start(self._judges.warm_up())

    async def catalogue(self) -> tuple[Description, ...]:
        """What there is to choose from, by name, without what does not work."""
        described = await asyncio.gather(*map(self._describe, names()))
        return tuple(one for one in described if one is not None)

    async def close(self) -> None:
        """Ends the processes that are idle. Cancel whoever waits for an answer first."""
        await self._tasks.close()
        for pool in (self._seats, self._judges, self.plugins):
            await pool.close()

    def _consult(self, ai: Ai, position: Position, moves: tuple[int, ...] | None) -> Choice:
        thought = consult(self._make(ai), position, moves)
        return Choice(self._random.choice(thought.cells), thought.reason)

    def _make(self, ai: Ai) -> Strategy:
        """One of ours; made once."""
        wanted = ai.strategy, ai.level
        made = self._made.get(wanted)
        if made is None:
            made = self._made[wanted] = make(*wanted, memory=self._memory)
        return made

    async def _describe(self, name: str) -> Description | None:
        return describe(name) if is_ours(name) else await self.plugins.describe(name)


def to_spend_s(left_s: float, position: Position) -> float:
    """What the side to move may spend on this move, with so much left for all of its moves."""
    moves = (position.rules.cells - position.ply + 1) // 2
    return max(0.0, left_s - moves * _BESIDE_S) * _SHARE


def _needs_process(board: Rules) -> bool:
    return board.cells > SMALLEST  # else it is looked up


def _told(position: Position) -> dict[str, str]:
    return {"rules": str(position.rules), "board": position.board}
