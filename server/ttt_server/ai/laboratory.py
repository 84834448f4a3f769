"""Watch strategies think, compare them, and make puzzles, outside of rooms.

They think in a process of low priority, so that rooms do not wait for it.
"""

import asyncio
import json
import time
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ttt_engine import TIC_TAC_TOE, CannotPlay, Mark, Position, Rules, UnknownStrategy
from ttt_engine.learning.memory import Memory
from ttt_engine.puzzles import Kind, Puzzle
from ttt_engine.strategies import Strategy, can_play, is_ours, make, names
from ttt_server.ai.evaluations import AnswerCache
from ttt_server.ai.messages import as_question
from ttt_server.ai.process_pool import NoAnswer, ProcessPool, Question, strategy_worker
from ttt_server.ai.runner import AiFailed
from ttt_server.ai.told_steps import compared, position_as_json, trace_lines
from ttt_server.concurrency.fair_semaphore import BoundedLock

MOST_STEPS: Final = 10_000
"""The most steps of a trace, about a megabyte."""

MOST_WAITING: Final = 64
"""The most studies under way or waiting; one more is `TooBusy`."""

MOST_OF_AN_ADDRESS: Final = 16
"""The most of one address, which may be a school's; one more is `KeyTooBusy`."""

STUDY_S: Final = 4.5
"""The time limit of one study. A comparison reports what it has by then."""

PATIENCE_S: Final = 5.0
"""The longest wait for other studies: longer than one, as an address waits for at most one of each
other address. With the study itself, less than a request may take."""

SEARCH_S: Final = 0.5
"""The length of a search, in seconds at its pace without a clock."""

MOST_KEPT: Final = 256
"""Days and sets of puzzles that are kept, by last request."""

_LEVELS: Final = {"mcts": (9,), "minimax": (9,), "search": (3, 9)}
"""The levels in a comparison; other strategies choose their own. Those with levels take longest."""

_NICE: Final = 5
_LONGEST_ANSWER: Final = 4 << 20
"""In bytes."""


class Study(NamedTuple):
    """A position in which the game goes on."""

    position: Position
    moves: tuple[int, ...] | None
    """The cells that led there, in order; `None` if only the board is known."""
    memory: Memory | None = None
    """What the learner remembers; `None` for what the server's has seen."""


class StrategyWish(NamedTuple):
    """A strategy of the engine, and its level; `None` for its default."""

    strategy: str
    level: int | None


class PuzzleWish(NamedTuple):
    """The puzzle of a day; where that is None, a set as `make_set` takes it."""

    day: date | None = None
    name: str = ""
    kinds: tuple[Kind, ...] = ()
    rules: Rules = TIC_TAC_TOE
    size: int = 1


class Laboratory:
    """Traces and compares strategies, and makes puzzles.

    One study at a time, each limited in time and steps. Addresses take turns. Cancelling a call
    frees its place, and kills the process of a study under way: nothing thinks without a reader.

    Args:
        memory: the learner's, as of each study.
        memory_mb: the most memory the process may take.
    """

    def __init__(self, memory: Memory | None, memory_mb: int) -> None:
        self._memory = memory
        self._turns = BoundedLock(MOST_WAITING, MOST_OF_AN_ADDRESS)
        self._kept: AnswerCache[PuzzleWish, tuple[Puzzle, ...]] = AnswerCache(MOST_KEPT)
        self._pool = ProcessPool(
            1, strategy_worker(memory_mb, _NICE), retries=1, longest_answer=_LONGEST_ANSWER
        )

    async def trace(
        self, study: Study, wish: StrategyWish, limit: int, *, counts: bool = False, key: str = ""
    ) -> bytes:
        """Return the steps of a thought as lines of JSON; see `docs/protocol.md`.

        Args:
            study: the position.
            wish: a strategy of the engine.
            limit: the most steps before the decision.
            counts: whether to count the nodes of three searches beside it; not for a strategy
                with a memory.
            key: studies with the same key, as an address, take turns with those of other keys.

        Raises:
            UnknownStrategy: no strategy of the engine has this name.
            CannotPlay: it does not play on this board.
            InvalidLevel: it has no such level.
            TooBusy: too many other studies are under way; `KeyTooBusy` if they have the same key.
            AiFailed: there was no answer in time.
        """
        strategy = self._make(study, wish)
        limit = min(limit, MOST_STEPS)
        if _knows_memory(strategy):
            return trace_lines(study.position, strategy, limit, study.moves).encode()
        question = _question("trace", study, wish) | {"limit": limit, "counts": counts}
        async with self._turns.take(PATIENCE_S, key):
            answer = await self._ask(question)
        lines: bytes = answer["lines"]
        return lines

    async def compare(self, study: Study, *, key: str = "") -> bytes:
        """Return what every strategy of the engine that plays it thinks of a position, as JSON.

        Raises:
            TooBusy: as `trace`.
        """
        position = study.position
        async with self._turns.take(PATIENCE_S, key):
            await self._pool.warm_up()  # its start does not count
            end = asyncio.get_running_loop().time() + STUDY_S
            wishes = _compared_on(position.rules)
            thoughts = await self._thoughts(study, wishes, end)
            counts = await self._answer_by(
                end, _question("count", study, StrategyWish("random", None))
            )
        told = position_as_json(position) | {"strategies": thoughts, "node_counts": counts}
        return json.dumps(told).encode()

    async def puzzles(self, wish: PuzzleWish, *, key: str = "") -> tuple[Puzzle, ...]:
        """Return puzzles, each made once.

        Raises:
            TooBusy, AiFailed: as `trace`.
        """
        if (kept := self._kept.find(wish)) is not None:
            return kept
        async with self._turns.take(PATIENCE_S, key):
            if (kept := self._kept.find(wish)) is not None:
                return kept  # made meanwhile
            answer = await self._ask(_puzzle_question(wish))
            return self._kept.add(wish, tuple(map(_puzzle, answer["puzzles"])))

    async def close(self) -> None:
        """End the process. Cancel the calls of `trace` and `compare` before."""
        await self._pool.close()

    def _make(self, study: Study, wish: StrategyWish) -> Strategy:
        own = [name for name in names() if is_ours(name)]
        if wish.strategy not in own:
            raise UnknownStrategy(wish.strategy, own)
        strategy = make(*wish, memory=study.memory or self._memory)
        if not can_play(strategy, study.position.rules):
            lacks = getattr(strategy, "lacks", None)
            raise CannotPlay(lacks or f"{strategy.name} does not play {study.position.rules}")
        return strategy

    async def _thoughts(
        self, study: Study, wishes: tuple[StrategyWish, ...], end: float
    ) -> list[dict[str, Any]]:
        """Return what each strategy thinks. The quick ones are asked first, so none starves."""
        told = {}
        for asked, wish in enumerate(sorted(wishes, key=lambda wish: wish.strategy in _LEVELS)):
            now = asyncio.get_running_loop().time()
            share = (end - now) / (len(wishes) - asked)
            told[wish] = await self._thought(study, wish, now + share)
        return [told[wish] for wish in wishes]

    async def _thought(self, study: Study, wish: StrategyWish, end: float) -> dict[str, Any]:
        strategy = self._make(study, wish)
        named = {"strategy": wish.strategy, "level": getattr(strategy, "level", None)}
        if _knows_memory(strategy):
            return named | compared(study.position, strategy, time.perf_counter, study.moves)
        return named | await self._answer_by(end, _question("compare", study, wish))

    async def _answer_by(self, end: float, question: Question) -> dict[str, Any]:
        """Return an answer, or why there is none, as `error`."""
        left_s = end - asyncio.get_running_loop().time()
        try:
            if left_s <= 0:
                raise AiFailed("there was no time left for it")
            answer = await self._ask(question, left_s)
        except AiFailed as failure:
            return {"error": str(failure)}
        answer.pop("number", None)
        return answer

    async def _ask(self, question: Question, limit_s: float = STUDY_S) -> dict[str, Any]:
        try:
            return await self._pool.ask(question, limit_s)
        except NoAnswer as error:
            raise AiFailed(f"the thought {error}") from None


@lru_cache(maxsize=64)  # making them all takes 0.5 ms
def _compared_on(rules: Rules) -> tuple[StrategyWish, ...]:
    """Return the strategies to compare on this board."""
    return tuple(
        StrategyWish(name, level)
        for name in names()
        if is_ours(name) and can_play(make(name), rules)
        for level in _LEVELS.get(name, (None,))
    )


def _knows_memory(strategy: Strategy) -> bool:
    """Whether it uses the memory, which is in this process. Such a thought is short."""
    return "memory" in getattr(strategy, "parts", ())


def _question(ask: str, study: Study, wish: StrategyWish) -> dict[str, Any]:
    return {"ask": ask, **wish._asdict(), "seconds": SEARCH_S} | as_question(study.position)


def _puzzle_question(wish: PuzzleWish) -> dict[str, Any]:
    day = None if wish.day is None else wish.day.isoformat()
    return {"ask": "puzzles"} | wish._asdict() | {"day": day, "rules": str(wish.rules)}


def _puzzle(told: dict[str, Any]) -> Puzzle:
    position = Position.parse(told["board"], Rules.parse(told["rules"]))
    winner = None if told["winner"] is None else Mark(told["winner"])
    return Puzzle(Kind(told["kind"]), position, told["cell"], winner)
