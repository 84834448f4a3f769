"""Analyse finished games on request: in a worker process, one game at a time, each once."""

import asyncio
import time
from typing import Final

from ttt_engine import Position
from ttt_engine.evaluation import evaluate
from ttt_engine.outcome import Value
from ttt_engine.position import SMALLEST
from ttt_protocol.codec import encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName
from ttt_server.ai.evaluations import AnswerCache, Evaluator
from ttt_server.ai.runner import AiFailed
from ttt_server.concurrency.fair_semaphore import BoundedLock
from ttt_server.core.analysis import is_over, negated, positions_of, value_of, weigh

ANALYSIS_S: Final = 3.0
"""The time limit of one game. Positions it does not reach stay unknown."""

PATIENCE_S: Final = 6.5
"""The longest wait for other analyses. With its own, less than a request may take."""

POSITION_S: Final = 1.0
"""The time limit of one position."""

MOST_WAITING: Final = 32
"""The most requests under way or waiting; one more is `TooBusy`."""

MOST_OF_AN_ADDRESS: Final = 8
"""The most of one address; one more is `KeyTooBusy`."""

MOST_KEPT: Final = 256
"""Analyses kept, by last request."""


_Key = tuple[RoomName, int, int]
"""A room, the number of a game, and the time of its start, as a name may be reused."""


class NotOver(Exception):
    """The game still goes on."""


class GameAnalyser:
    """Evaluates the positions of a game from its end backwards, as the end is solved fastest.

    One game at a time, so that a hint waits for one position at most.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._turns = BoundedLock(MOST_WAITING, MOST_OF_AN_ADDRESS)
        self._kept: AnswerCache[_Key, bytes] = AnswerCache(MOST_KEPT)

    async def analyse(self, record: GameRecord, *, key: str = "") -> bytes:
        """Return the game as an encoded `AnalysedGame`.

        Args:
            record: the game.
            key: analyses with the same key, as an address, take turns with those of other keys.

        Raises:
            NotOver: the game still goes on.
            TooBusy: too many other analyses are under way; `KeyTooBusy` if they have the same key.
        """
        if not is_over(record):
            raise NotOver
        if (kept := self._kept.find(_key(record))) is not None:
            return kept
        async with self._turns.take(PATIENCE_S, key):
            return self._kept.find(_key(record)) or await self._analyse(record)

    async def _analyse(self, record: GameRecord) -> bytes:
        evaluated: dict[int, dict[int, Value | None]] = {}
        try:
            async with asyncio.timeout(ANALYSIS_S):
                await self._evaluate_all(positions_of(record), evaluated)
        except TimeoutError:
            pass  # report what is known: more time would seldom help
        except AiFailed:
            return encode_message(weigh(record, evaluated))  # not kept: a later attempt may succeed
        return self._kept.add(_key(record), encode_message(weigh(record, evaluated)))

    async def _evaluate_all(
        self,
        positions: tuple[tuple[int, Position], ...],
        evaluated: dict[int, dict[int, Value | None]],
    ) -> None:
        """Fill `evaluated` as results come, so that a time limit keeps those that are there."""
        backwards = tuple(reversed(positions))
        for ply, position in backwards:
            evaluated[ply] = await self._evaluate(position)
        # A search stops once it has proven a win. A reader wants the other moves, too.
        for ply, position in backwards:
            values = evaluated[ply]
            if value_of(values) is not None:
                for cell in [cell for cell in values if values[cell] is None]:
                    values[cell] = await self._worth(position.play(cell))

    async def _worth(self, after: Position) -> Value | None:
        """Return the value of the move that led here."""
        if outcome := after.outcome():
            return 1 if outcome.winner else 0
        value = value_of(await self._evaluate(after))
        return None if value is None else negated(value)

    async def _evaluate(self, position: Position) -> dict[int, Value | None]:
        if position.rules.cells == SMALLEST and position.rules.variant is None:
            # A look-up, but the first one works out all positions, in 2.5 ms.
            found = await asyncio.to_thread(evaluate, position, POSITION_S, time.monotonic)
        else:
            found = await self._evaluator.evaluate(position, POSITION_S)
        return dict(found.values)


def _key(record: GameRecord) -> _Key:
    return record.room, record.game, record.events[0].at
