"""Run strategies for AI seats and for hints, in this process or in a worker process.

A strategy of the engine runs here if its thoughts are short. Long thoughts run in a worker, which
is killed at its deadline. So do plug-ins: their code never runs in this process, not even to be
imported or asked which boards they play.
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import cache, partial
from random import Random
from typing import Any, Final, NamedTuple

from ttt_engine import Position, Rules, UnknownStrategy, strategies
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_engine.learning.memory import Memory
from ttt_engine.openings.opening import Choice as OpeningChoice
from ttt_engine.openings.opening import Opening
from ttt_engine.position import SMALLEST
from ttt_protocol.state import Ai, AiSetting
from ttt_protocol.text import clean, is_blank
from ttt_server.ai.messages import Answer, as_question
from ttt_server.ai.plugins import PluginStrategies, settle_ai
from ttt_server.ai.process_pool import NoAnswer, ProcessPool, strategy_worker
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.telemetry.histogram import Histogram

MOST_NAMED: Final = 1000
"""The most opening marks kept that programs named ahead; the oldest are dropped first."""

_Key = tuple[str, int | None, Rules, tuple[int, ...]]


class NamedMarks:
    """The opening marks that programs named ahead, each placed when due; shared by all rooms.

    They are kept by program, board and moves so far.
    """

    def __init__(self) -> None:
        self._cells: OrderedDict[_Key, int] = OrderedDict()

    def add(self, ai: Ai, position: Position, moves: tuple[int, ...], marks: Any) -> None:
        """Keep what a worker named, up to the first mark that is illegal.

        Args:
            ai: the player.
            position: before these marks.
            moves: the cells that led to it, in order.
            marks: the next cells, in order, if the worker behaves.
        """
        for cell in marks if isinstance(marks, list) else ():
            # JSON's true is an int in Python, but not a cell.
            if type(cell) is not int or cell not in position.legal_moves:
                return
            key = _key(ai, position.rules, moves)
            self._cells[key] = cell
            self._cells.move_to_end(key)
            if len(self._cells) > MOST_NAMED:
                self._cells.popitem(last=False)
            position, moves = position.play(cell), (*moves, cell)
            if position.outcome() is not None:
                return

    def after(self, ai: Ai, rules: Rules, moves: tuple[int, ...]) -> int | None:
        """Return the cell that the program named for after these moves."""
        return self._cells.get(_key(ai, rules, moves))


def _key(ai: Ai, rules: Rules, moves: tuple[int, ...]) -> _Key:
    return ai.strategy, ai.level, rules, moves


THINK_LIMIT_S = 20.0
"""After this a worker is killed, and the seat forfeits."""

EVALUATION_S = 0.5
"""For a hint or the answer to a draw offer, which should come within a second."""

MEMORY_MB = 512
"""The limit of one worker, well above what `search` needs."""

THINK_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25)

_SHARE = 1 / 20
"""The share of its remaining time that an AI spends on a move."""

_OVERHEAD_S = 0.02
"""The time of a move besides thinking: to a worker, to the disk and back."""

_LONGEST_S = 2.0
"""The most that an AI spends on a move, as without a clock."""

_RETRIES = 1
"""A strategy of the engine never ends its worker; something outside may."""


class AiFailed(Exception):
    """A strategy gave no move: it raised, answered nonsense, or took too long."""


class ChosenMove(NamedTuple):
    """A cell, and the strategy's reason for it."""

    cell: int
    reason: str


class StrategyRunner:
    """Chooses moves for AI seats, and evaluates positions.

    Up to `workers` processes serve the seats, as many evaluations, so that hints do not wait for
    seats, and as many each plug-in, so that it delays only itself.

    `memory`: the learner's, as of each thought. `programs`: those that may sit in AI seats, by
    strategy name.
    """

    def __init__(
        self,
        workers: int,
        random: Random,
        memory_mb: int = MEMORY_MB,
        think_limit_s: float = THINK_LIMIT_S,
        memory: Memory | None = None,
        programs: Mapping[str, ProgramSetting] | None = None,
    ) -> None:
        command = strategy_worker(memory_mb)
        self._seats = ProcessPool(workers, command, retries=_RETRIES)
        self._evaluators = ProcessPool(workers, command, retries=_RETRIES)
        self.plugins = PluginStrategies(workers, memory_mb, programs)
        self._random = random
        self._think_limit_s = think_limit_s
        self._tasks = TaskOwner()
        self.thoughts = Histogram(THINK_BOUNDS_S)
        """Seconds from each question to its move."""
        self.failures: Counter[str] = Counter()
        """Thoughts without a move, by strategy."""
        self._make = cache(partial(strategies.make, memory=memory))
        self._named = NamedMarks()

    async def settle(self, wish: AiSetting, board: Rules) -> AiSetting:
        """Return the AI as it would sit at this board. A plug-in is asked in its own process.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        return settle_ai(await self.plugins.probe(wish, board), board)

    async def choose(
        self,
        ai: Ai,
        position: Position,
        left_s: float | None = None,
        moves: tuple[int, ...] | None = None,
        *,
        key: str = "",
    ) -> ChosenMove:
        """Choose a move for the side to move, at random among equally good cells.

        Args:
            ai: the player in the seat.
            position: the position in which it moves.
            left_s: the time left on its clock, if there is one.
            moves: the cells that led to the position, if known.
            key: thoughts with the same key take turns with those of other keys.

        Raises:
            AiFailed: the strategy gave no legal move.
        """
        began = time.perf_counter()
        try:
            if strategies.cost_of(ai.strategy, position.rules) is not strategies.Cost.LONG:
                return self._consult(ai, position, moves)
            asked = {"ask": "think", "moves": moves}
            answer = await self._ask_worker(ai, position, left_s, asked, key)
            return self._mark(ai, position, answer)
        except AiFailed:
            self.failures[ai.strategy] += 1
            raise
        finally:
            self.thoughts.observe(time.perf_counter() - began)

    def answers_at_once(self, ai: Ai, position: Position) -> bool:
        """Return whether the event loop can wait for the thought: see `Cost.INSTANT`."""
        return strategies.cost_of(ai.strategy, position.rules) is strategies.Cost.INSTANT

    def choose_at_once(self, ai: Ai, position: Position, moves: tuple[int, ...]) -> ChosenMove:
        """As `choose`, for an AI that `answers_at_once`."""
        began = time.perf_counter()
        choice = self._consult(ai, position, moves)
        self.thoughts.observe(time.perf_counter() - began)
        return choice

    async def open(
        self,
        ai: Ai,
        position: Position,
        opening: Opening,
        moves: tuple[int, ...],
        left_s: float | None = None,
        *,
        key: str = "",
    ) -> ChosenMove | OpeningChoice:
        """Place a mark, or choose, during an opening. A worker thinks about it.

        A program may have named the mark ahead, with an earlier one.

        Args:
            ai: the player to act.
            position: the marks so far.
            opening: its course so far.
            moves: the cells of the marks, in order.
            left_s: the time left on the clock of the seat, if there is one.
            key: thoughts with the same key take turns with those of other keys.

        Raises:
            AiFailed: the strategy gave no answer.
        """
        setup = opening.setup(position.ply, position.turn)
        named = self._named.after(ai, position.rules, moves)
        if named is not None and not setup.choices:
            return ChosenMove(named, ai.strategy)
        asked = {"ask": "open", "setup": setup, "moves": moves}
        answer = await self._ask_worker(ai, position, left_s, asked, key)
        if "marks" in answer:
            self._named.add(ai, position, moves, answer["marks"])
        if setup.choices:
            if answer.get("choice") not in setup.choices:
                raise AiFailed(f"{ai.strategy} made a choice that is not offered")
            return OpeningChoice(answer["choice"])
        named = self._named.after(ai, position.rules, moves)
        if named is not None:
            return ChosenMove(named, ai.strategy)
        return self._mark(ai, position, answer)

    def _mark(self, ai: Ai, position: Position, answer: Answer) -> ChosenMove:
        """Return the move in a worker's answer.

        Raises:
            AiFailed: it is not a legal move.
        """
        cells = answer.get("cells")
        # JSON's true is an int in Python, but not a cell.
        if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
            raise AiFailed(f"{ai.strategy} chose something that is not a cell")
        if not cells or not set(cells) <= set(position.legal_moves):
            raise AiFailed(f"{ai.strategy} chose an illegal cell")
        reason = clean(str(answer.get("reason", "")))
        cell = self._random.choice(cells)
        return ChosenMove(cell, ai.strategy if is_blank(reason) else reason)

    async def _ask_worker(
        self, ai: Ai, position: Position, left_s: float | None, asked: dict[str, Any], key: str
    ) -> Answer:
        seconds = None if left_s is None else min(to_spend_s(left_s, position), _LONGEST_S)
        question = {"strategy": ai.strategy, "level": ai.level, "seconds": seconds}
        question |= as_question(position) | asked
        # A move after the fall of its flag is worthless.
        limit_s = min(self._think_limit_s, self._think_limit_s if left_s is None else left_s + 1)
        try:
            is_ours = strategies.is_ours(ai.strategy)
            pool = self._seats if is_ours else self.plugins.pool(ai.strategy)
            return await pool.ask(question, limit_s, key)
        except UnknownStrategy:
            raise AiFailed(f"{ai.strategy} is no longer installed") from None
        except NoAnswer as error:
            raise AiFailed(f"{ai.strategy} {error}") from None

    async def evaluate(
        self, position: Position, seconds: float = EVALUATION_S, *, key: str = ""
    ) -> Evaluation:
        """Evaluate the position, by a search of at most `seconds` where one is needed.

        Cancelling the call frees its place in the queue, and stops a search under way.

        Args:
            position: where the game goes on.
            seconds: for the search, once it has a worker.
            key: evaluations with the same key take turns with those of other keys.

        Raises:
            AiFailed: no worker gave an answer.
        """
        if self.evaluates_at_once(position.rules):
            return evaluate(position, seconds, time.monotonic)
        question = {"ask": "evaluate", "seconds": seconds} | as_question(position)
        try:
            answer = await self._evaluators.ask(question, self._think_limit_s, key)
        except NoAnswer as error:
            raise AiFailed(f"the evaluation {error}") from None
        values = dict(answer["values"])
        return Evaluation(tuple(answer["best"]), values, answer["value"], answer["reason"])

    def evaluates_at_once(self, board: Rules) -> bool:
        """Return whether evaluations on this board are look-ups, and need no worker."""
        return board.cells <= SMALLEST and board.variant is None

    def expect_to_evaluate(self, board: Rules) -> None:
        """Start a worker now if evaluations on this board will need one."""
        if not self.evaluates_at_once(board):
            self._tasks.start(self._evaluators.warm_up())

    async def catalogue(self) -> tuple[strategies.Description, ...]:
        """Return the descriptions of all working strategies, by name."""
        described = await asyncio.gather(*map(self._describe, strategies.names()))
        return tuple(one for one in described if one is not None)

    async def close(self) -> None:
        """End the idle workers. Cancel calls of `choose` and `evaluate` first."""
        await self._tasks.close()
        for pool in (self._seats, self._evaluators, self.plugins):
            await pool.close()

    def _consult(self, ai: Ai, position: Position, moves: tuple[int, ...] | None) -> ChosenMove:
        thought = strategies.consult(self._make(ai.strategy, ai.level), position, moves)
        return ChosenMove(self._random.choice(thought.cells), thought.reason)

    async def _describe(self, name: str) -> strategies.Description | None:
        if not strategies.is_ours(name):
            return await self.plugins.describe(name)
        lacks = getattr(strategies.make(name), "lacks", None)
        return strategies.describe(name) if lacks is None else None


def to_spend_s(left_s: float, position: Position) -> float:
    """Return the time for this move, if `left_s` is left for it and all later ones."""
    moves = max(1, (position.rules.cells - position.ply + 1) // 2)
    return max(0.0, left_s - moves * _OVERHEAD_S) * _SHARE
