"""Analyses finished games for whoever reads them: elsewhere, one at a time, and each once."""

import asyncio
import time
from collections.abc import Mapping
from typing import Final, Protocol

from ttt_engine import Position
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_engine.outcome import Value
from ttt_engine.position import SMALLEST
from ttt_protocol.codec import encode_message
from ttt_protocol.records import GameRecord
from ttt_protocol.state import RoomName
from ttt_server.ai.runner import AiFailed
from ttt_server.concurrency.bounded_lock import BoundedLock, TooBusy
from ttt_server.core.analysis import Values, is_over, negated, positions_of, value_of, weigh

ANALYSIS_S: Final = 3.0
"""The longest that one game is thought about; earlier positions than it reaches stay unknown."""

PATIENCE_S: Final = 6.5
"""The longest that one waits for others: with the analysis, less than a request may take."""

POSITION_S: Final = 1.0
"""The longest for one position of it."""

MOST_WAITING: Final = 8
"""Those whose games are analysed, or who wait for it; over it: `TooBusy`."""

MOST_KEPT: Final = 256
"""Analyses that are kept, the last that were asked for."""


class NotOver(Exception):
    """The game still goes on."""


class Evaluator(Protocol):
    """Those who say what a position is worth, about so soon and in another process."""

    async def evaluate(self, position: Position, seconds: float) -> Evaluation: ...


class GameAnalyser:
    """Asks judges about a game's positions, from the end backwards: the end is solved soonest.

    One game at a time, so that a player's hint never waits for more than one position.
    """

    def __init__(self, judges: Evaluator) -> None:
        self._judges = judges
        self._turns = BoundedLock(MOST_WAITING)
        self._kept: dict[tuple[RoomName, int], bytes] = {}

    async def analyse(self, record: GameRecord) -> bytes:
        """The game as an encoded `AnalysedGame`.

        Raises:
            NotOver, TooBusy
        """
        if not is_over(record):
            raise NotOver
        if (kept := self._recall(record)) is not None:
            return kept
        try:
            async with asyncio.timeout(PATIENCE_S) as patience, self._turns.take():
                patience.reschedule(None)
                return self._recall(record) or await self._analyse(record)
        except TimeoutError:
            raise TooBusy from None

    async def _analyse(self, record: GameRecord) -> bytes:
        evaluated: dict[int, dict[int, Value | None]] = {}
        try:
            async with asyncio.timeout(ANALYSIS_S):
                await self._judge_all(positions_of(record), evaluated)
        except TimeoutError:
            pass  # what is known is worth telling, and more time would seldom tell more
        except AiFailed:
            return _document(record, evaluated)  # not kept: it may be found out another time
        document = self._kept[record.room, record.game] = _document(record, evaluated)
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return document

    async def _judge_all(
        self, positions: tuple[Position, ...], evaluated: dict[int, dict[int, Value | None]]
    ) -> None:
        """Puts into `evaluated` what is found out, as it is."""
        backwards = tuple(reversed(tuple(enumerate(positions))))
        for ply, position in backwards:
            evaluated[ply] = await self._judge(position)
        # Who has proven a win looks no further. Who learns from the game wants the other moves too.
        for ply, position in backwards:
            values = evaluated[ply]
            if value_of(values) is not None:
                for cell in [cell for cell in values if values[cell] is None]:
                    values[cell] = await self._worth(position.play(cell))

    async def _worth(self, after: Position) -> Value | None:
        """What the move that led here was worth."""
        if outcome := after.outcome():
            return 1 if outcome.winner else 0
        value = value_of(await self._judge(after))
        return None if value is None else negated(value)

    async def _judge(self, position: Position) -> dict[int, Value | None]:
        if position.rules.cells == SMALLEST:
            # Looked up; but the first look works the whole game out.
            found = await asyncio.to_thread(evaluate, position, POSITION_S, time.monotonic)
        else:
            found = await self._judges.evaluate(position, POSITION_S)
        return dict(found.values)

    def _recall(self, record: GameRecord) -> bytes | None:
        key = record.room, record.game
        document = self._kept.pop(key, None)
        if document is not None:
            self._kept[key] = document  # now the last that is forgotten
        return document


def _document(record: GameRecord, evaluated: Mapping[int, Values]) -> bytes:
    return encode_message(weigh(record, evaluated))
