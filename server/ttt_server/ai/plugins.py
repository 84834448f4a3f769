"""Strategies that are not ours: each has processes of its own, and its code runs nowhere else."""

import asyncio
import logging
from typing import Any

from ttt_engine import BrokenStrategy, Rules, UnknownStrategy
from ttt_engine.strategies import HIGHEST_LEVEL, Description, is_ours
from ttt_protocol.codes import RefusalCode
from ttt_protocol.state import AiSetting, GivenSettings, Mark
from ttt_protocol.text import clean
from ttt_server.ai.process_pool import Answer, NoAnswer, ProcessPool
from ttt_server.ai.settle import cannot_play
from ttt_server.core.errors import Refused
from ttt_server.core.room import engine_rules

logger = logging.getLogger(__name__)

AUDITION_LIMIT_S = 8.0
"""To be imported, made, and to say which boards it plays."""

_NICE = 10
"""Their processes give way to the server's own, if it comes to that."""

_REMEMBERED = 1000
"""Auditions."""

_LONGEST_LINE = 200
"""Of what a strategy says of itself."""


class PluginStrategies:
    """Strategies by name, as far as one wants to know them."""

    def __init__(self, workers: int, memory_mb: int) -> None:
        self._workers = workers
        self._memory_mb = memory_mb
        self._pools: dict[str, ProcessPool] = {}
        self._auditions: dict[str, ProcessPool] = {}
        self._passed: dict[tuple[AiSetting, Rules], AiSetting] = {}
        self._described: dict[str, Description | None] = {}

    def pool(self, name: str) -> ProcessPool:
        """The processes that think for its seats, and for nobody else's.

        The name is one that is installed, so that there are not many.
        """
        if name not in self._pools:
            self._pools[name] = ProcessPool(self._workers, self._memory_mb, _NICE)
        return self._pools[name]

    async def probe(self, wish: AiSetting, board: Rules) -> AiSetting:
        """The AI as it would sit down on this board: with the level that it takes by itself.

        One of ours is returned as it is: `settle_ai` asks it.

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
        """The wish for a new room, after an audition of each AI in it.

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
        """What it says of itself; null if it does not work. It is asked once."""
        if name not in self._described:
            try:
                answer = await self._ask(name, {"ask": "describe"})
            except NoAnswer:
                self._described[name] = None
            else:
                self._described[name] = Description(
                    name=name,
                    levels=answer.get("levels") is True,
                    about=_line(answer.get("about")),
                    boards=_line(answer.get("boards")),
                )
        return self._described[name]

    async def close(self) -> None:
        """Ends the processes that are idle. Cancel whoever waits for an answer first."""
        for pool in (*self._pools.values(), *self._auditions.values()):
            await pool.close()

    async def _ask(self, name: str, question: dict[str, Any]) -> Answer:
        """The answer: in a process besides those that think, which may all be busy.

        Raises:
            NoAnswer: in time.
        """
        if name not in self._auditions:
            self._auditions[name] = ProcessPool(1, self._memory_mb, _NICE)
        pool = self._auditions[name]
        try:
            async with asyncio.timeout(AUDITION_LIMIT_S):
                return await pool.ask(question | {"strategy": name}, AUDITION_LIMIT_S)
        except TimeoutError:
            failure = NoAnswer("took too long")
        except NoAnswer as error:
            failure = error
        logger.warning("the strategy %s does not work: it %s", name, failure)
        raise failure


def is_plugin(name: str) -> bool:
    """Whether there is a strategy of this name that is not ours."""
    try:
        return not is_ours(name)
    except UnknownStrategy:
        return False


def _line(told: Any) -> str:
    return clean(str(told or ""))[:_LONGEST_LINE]


def _level(told: Any) -> int | None:
    """What it says of its level, if that is one: it may say anything."""
    return told if type(told) is int and 0 <= told <= HIGHEST_LEVEL else None
