"""The strategies of AI seats: checked, and settled at a level.

The code of plug-ins, strategies of other packages, runs only in worker processes.
"""

import asyncio
import json
import logging
import math
import os
from collections.abc import Mapping
from time import monotonic
from typing import Any

from ttt_engine import BrokenStrategy, Rules, UnknownStrategy
from ttt_engine.strategies import HIGHEST_LEVEL, Description, add, can_play, is_ours, make, names
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting, GivenSettings, Mark, SeatSetting, SeatSettings
from ttt_protocol.text import clean
from ttt_server.ai.messages import Answer
from ttt_server.ai.process_pool import NoAnswer, ProcessPool, strategy_worker
from ttt_server.ai.program_setting import ProgramSetting
from ttt_server.concurrency.fair_semaphore import FairSemaphore
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.room import engine_rules

logger = logging.getLogger(__name__)

PROBE_LIMIT_S = 8.0
"""The time to import a strategy, make it, and ask which boards it plays."""

ASK_AGAIN_S = 60.0
"""How long to wait before asking one again that did not describe itself."""

_AT_ONCE = os.cpu_count() or 1
"""The most plug-ins asked to describe themselves at once: each starts a process."""

_NICE = 5
"""The niceness of their processes."""

_REMEMBERED = 1000
"""The most results of probes kept."""

_LONGEST_LINE = 200
"""In characters, of what a strategy says of itself."""


class PluginStrategies:
    """Asks plug-ins, each in up to `workers` processes that think and one for probes."""

    def __init__(
        self, workers: int, memory_mb: int, programs: Mapping[str, ProgramSetting] | None = None
    ) -> None:
        self._workers = workers
        told = {name: setting.model_dump() for name, setting in (programs or {}).items()}
        self._command = strategy_worker(memory_mb, _NICE, json.dumps(told))
        for name in told:
            # Only the name is known here: workers make the strategy.
            add(name, None)
        self._pools: dict[str, ProcessPool] = {}
        self._probes: dict[str, ProcessPool] = {}
        self._passed: dict[tuple[AiSetting, Rules], AiSetting] = {}
        self._describing = FairSemaphore(_AT_ONCE)
        self._described: dict[str, Description | None] = {}
        self._ask_again_at: dict[str, float] = {}
        """When to ask one again that did not answer, by `monotonic`."""
        self._tasks = TaskOwner()

    def pool(self, name: str) -> ProcessPool:
        """Return the processes that think for one plug-in.

        Only installed plug-ins have one, so their number is bounded.
        """
        if name not in self._pools:
            self._pools[name] = ProcessPool(self._workers, self._command)
        return self._pools[name]

    async def probe(self, wish: AiSetting, board: Rules) -> AiSetting:
        """Return the AI as it would sit at this board, with its default level if none is given.

        A strategy of the engine is returned as it is; `settle_ai` checks it.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        if not is_plugin(wish.strategy):
            return wish
        if (passed := self._passed.get((wish, board))) is not None:
            return passed
        question = {"ask": "plays", "level": wish.level, "rules": str(board)}
        try:
            answer = await self._ask(wish.strategy, question)
        except NoAnswer as failure:
            is_broken = failure.error == BrokenStrategy.__name__
            code = RefusalCode.UNKNOWN_STRATEGY if is_broken else RefusalCode.STRATEGY_CANNOT_PLAY
            raise Refused(code, "this strategy does not work on this server") from None
        if answer.get("plays") is not True:
            raise cannot_play(board)
        if len(self._passed) >= _REMEMBERED:
            self._passed.clear()
        level = wish.level if wish.level is not None else _level(answer.get("level"))
        self._passed[wish, board] = settled = AiSetting(strategy=wish.strategy, level=level)
        return settled

    async def probe_all(self, given: GivenSettings) -> GivenSettings:
        """Return the settings for a new room, with each plug-in probed.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        seats = given.seats
        for mark in Mark:
            wish = seats[mark]
            if wish != "human" and is_plugin(wish.strategy):
                settled = await self.probe(wish, engine_rules(given))
                seats = seats.model_copy(update={mark.value: settled})
        return given if seats is given.seats else given.model_copy(update={"seats": seats})

    async def describe(self, name: str) -> Description | None:
        """Return how a plug-in describes itself; `None` if it does not work.

        It is asked once. If it did not answer, perhaps because the machine is busy, a later call
        has it asked again, without waiting.
        """
        if name not in self._described:
            await self._ask_to_describe(name)
        elif self._ask_again_at.get(name, math.inf) <= monotonic():
            del self._ask_again_at[name]
            self._tasks.start(self._ask_to_describe(name, again=True))
        return self._described[name]

    async def close(self) -> None:
        """End the idle processes. Cancel open calls first."""
        await self._tasks.close()
        for pool in (*self._pools.values(), *self._probes.values()):
            await pool.close()

    async def _ask_to_describe(self, name: str, *, again: bool = False) -> None:
        async with self._describing.take():
            if name in self._described and not again:
                return  # another call has asked meanwhile
            try:
                answer = await self._ask(name, {"ask": "describe"})
            except NoAnswer as failure:
                self._described[name] = None
                if not failure.error:  # else it reported what is wrong
                    self._ask_again_at[name] = monotonic() + ASK_AGAIN_S
            else:
                about, boards = _line(answer.get("about")), _line(answer.get("boards"))
                levels = answer.get("levels") is True
                self._described[name] = Description(name, levels, about, boards)

    async def _ask(self, name: str, question: dict[str, Any]) -> Answer:
        """Return the answer of a process for probes, as those that think may all be busy.

        Raises:
            NoAnswer: it failed, or took too long.
        """
        if name not in self._probes:
            self._probes[name] = ProcessPool(1, self._command)
        pool = self._probes[name]
        try:
            async with asyncio.timeout(PROBE_LIMIT_S):
                return await pool.ask(question | {"strategy": name}, PROBE_LIMIT_S)
        except TimeoutError:
            failure = NoAnswer("took too long")
        except NoAnswer as error:
            failure = error
        logger.warning("the strategy %s does not work: it %s", name, failure)
        raise failure


def settle(given: GivenSettings) -> GivenSettings:
    """Return the settings with each AI seat settled.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    seats, board = given.seats, engine_rules(given)
    settled = SeatSettings(X=_settle_seat(seats.X, board), O=_settle_seat(seats.O, board))
    return given if settled == seats else given.model_copy(update={"seats": settled})


def settle_ai(wish: AiSetting, board: Rules) -> AiSetting:
    """Return an AI that plays on this board, at the strategy's default level if none is given.

    A plug-in is returned as it is, as its code does not run here; it is probed instead.

    Raises:
        Refused: `unknown_strategy`, `strategy_cannot_play`.
    """
    try:
        if not is_ours(wish.strategy):
            return wish
    except UnknownStrategy as error:
        reason = f"there is no such strategy; there are: {', '.join(error.names)}"
        raise Refused(RefusalCode.UNKNOWN_STRATEGY, reason) from None
    strategy = make(wish.strategy, wish.level)
    if not can_play(strategy, board):
        lacks = getattr(strategy, "lacks", None)
        if lacks is not None:
            raise Refused(RefusalCode.STRATEGY_CANNOT_PLAY, lacks)
        raise cannot_play(board)
    # A strategy with levels has an attribute for its level.
    level = getattr(strategy, "level", None) if wish.level is None else wish.level
    return AiSetting(strategy=wish.strategy, level=level)


def cannot_play(board: Rules) -> Refused:
    """Return the refusal of a strategy on this board, naming ours that play there."""
    able = ", ".join(name for name in names() if is_ours(name) and can_play(make(name), board))
    reason = f"this strategy does not play on such a board; there are: {able}"
    return Refused(RefusalCode.STRATEGY_CANNOT_PLAY, reason)


def _settle_seat(seat: SeatSetting, board: Rules) -> SeatSetting:
    return seat if seat == "human" else settle_ai(seat, board)


def is_plugin(name: str) -> bool:
    """Whether a plug-in has this name."""
    try:
        return not is_ours(name)
    except UnknownStrategy:
        return False


def _line(value: Any) -> str:
    return clean(str(value or ""))[:_LONGEST_LINE]


def _level(value: Any) -> int | None:
    """Return the value if it is a level, as a plug-in may answer anything."""
    return value if type(value) is int and 0 <= value <= HIGHEST_LEVEL else None
