import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.server.core.test_analysis import record
from ttt_engine import Position, Rules
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_engine.outcome import Value
from ttt_protocol.state import RoomName
from ttt_server.ai import evaluations as module
from ttt_server.ai.evaluations import (
    ANALYSIS_S,
    GAME_POSITION_S,
    MOST_ANALYSES,
    PATIENCE_S,
    GameAnalyser,
    NotOver,
)
from ttt_server.ai.runner import AiFailed
from ttt_server.concurrency.fair_semaphore import TooBusy
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S

LARGE: dict[str, Any] = {"columns": 4, "rows": 4, "in_a_row": 3}


@dataclass
class Evaluator:
    """An evaluator that can be made to wait or to fail, and that counts open calls."""

    fails: bool = False
    seen: list[int] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()

    async def evaluate(self, position: Position, seconds: float) -> Evaluation:
        assert seconds == GAME_POSITION_S
        self.seen.append(position.ply)
        self.asked.set()
        if self.fails:
            raise AiFailed("no process")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.gate.wait()
            await asyncio.sleep(0)
        finally:
            self.at_once -= 1
        return Evaluation((0,), dict.fromkeys(position.legal_moves, 0), 0, "draw")


async def analysed(analyser: GameAnalyser, *cells: int, **rules: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(await analyser.analyse(record(*cells, **rules)))
    return answer


async def test_the_smallest_board_needs_no_process() -> None:
    evaluator = Evaluator()
    answer = await analysed(GameAnalyser(evaluator), 0, 1, 4, 8, 6)
    assert [move["worth"] for move in answer["analysis"]] == [0, -1, 1, -1, 1]
    assert evaluator.seen == []


async def test_from_the_end_backwards_and_only_once() -> None:
    evaluator = Evaluator()
    analyser = GameAnalyser(evaluator)
    first = await analysed(analyser, 0, 1, 5, **LARGE)
    assert evaluator.seen == [2, 1, 0]
    assert await analysed(analyser, 0, 1, 5, **LARGE) == first
    assert evaluator.seen == [2, 1, 0]


async def test_a_game_that_goes_on_is_not_analysed() -> None:
    with pytest.raises(NotOver):
        await GameAnalyser(Evaluator()).analyse(record(0, over=False))


async def test_what_time_allows_is_told_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANALYSIS_S", 0)
    evaluator = Evaluator()
    evaluator.gate.clear()
    analyser = GameAnalyser(evaluator)
    answer = await analysed(analyser, 0, 1, 5, **LARGE)
    assert [move["worth"] for move in answer["analysis"]] == [None, None, None]
    seen = list(evaluator.seen)
    await analysed(analyser, 0, 1, 5, **LARGE)
    assert evaluator.seen == seen


async def test_a_failure_is_not_kept() -> None:
    evaluator = Evaluator(fails=True)
    analyser = GameAnalyser(evaluator)
    assert (await analysed(analyser, 0, 1, 5, **LARGE))["analysis"][2]["worth"] is None
    evaluator.fails = False
    assert (await analysed(analyser, 0, 1, 5, **LARGE))["analysis"][2]["worth"] == 0


async def test_one_at_a_time_and_not_too_many() -> None:
    evaluator = Evaluator()
    evaluator.gate.clear()
    analyser = GameAnalyser(evaluator)
    games = [record(0, 1, **LARGE).model_copy(update={"game": n}) for n in range(MOST_ANALYSES)]
    waiting = [
        asyncio.create_task(analyser.analyse(game, key=str(n % 4))) for n, game in enumerate(games)
    ]
    await evaluator.asked.wait()
    with pytest.raises(TooBusy):
        await analyser.analyse(record(0, 1, **LARGE).model_copy(update={"room": RoomName("late")}))
    evaluator.gate.set()
    await asyncio.gather(*waiting)
    assert evaluator.most_at_once == 1


async def test_nobody_waits_longer_than_a_request_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert PATIENCE_S + ANALYSIS_S < HANDSHAKE_TIMEOUT_S
    monkeypatch.setattr(module, "PATIENCE_S", 0)
    evaluator = Evaluator()
    evaluator.gate.clear()
    analyser = GameAnalyser(evaluator)
    first = asyncio.create_task(analyser.analyse(record(0, 1, **LARGE)))
    await evaluator.asked.wait()
    with pytest.raises(TooBusy):
        await analyser.analyse(record(0, 1, 5, **LARGE))
    evaluator.gate.set()
    assert json.loads(await first)["analysis"], "it had its turn, and has its own time"


async def test_those_who_wait_for_one_game_share_its_analysis() -> None:
    evaluator = Evaluator()
    evaluator.gate.clear()
    analyser = GameAnalyser(evaluator)
    waiting = [asyncio.create_task(analyser.analyse(record(0, 1, **LARGE))) for _ in range(3)]
    await evaluator.asked.wait()
    evaluator.gate.set()
    assert len(set(await asyncio.gather(*waiting))) == 1
    assert evaluator.seen == [1, 0]


async def test_the_one_asked_for_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ANALYSES_KEPT", 2)
    evaluator = Evaluator()
    analyser = GameAnalyser(evaluator)
    games = [record(0, **LARGE).model_copy(update={"game": n}) for n in (1, 2, 3)]
    for game in (games[0], games[1], games[0], games[2]):
        await analyser.analyse(game)
    assert len(evaluator.seen) == 3
    await analyser.analyse(games[0])
    assert len(evaluator.seen) == 3
    await analyser.analyse(games[1])
    assert len(evaluator.seen) == 4


class WhoStopsAtAWin:
    """Finds a win where no more than nine cells are empty, and looks at nothing else then."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def evaluate(self, position: Position, seconds: float) -> Evaluation:
        self.asked.append(position.board)
        values: dict[int, Value | None] = dict.fromkeys(position.legal_moves)
        if len(values) > 9:
            return Evaluation(position.legal_moves, values, 0, "depth 1")
        found = evaluate(position, seconds, lambda: 0)
        if found.value == 1:
            return Evaluation(found.best[:1], values | {found.best[0]: 1}, 1, "win")
        return found


async def test_moves_beside_a_win_are_looked_at_too() -> None:
    evaluator = WhoStopsAtAWin()
    board = Rules(4, 3, 3)
    cells = (0, 6, 1, 11, 4, 5, 9)  # X could win at once in two ways, and does not
    answer = await analysed(GameAnalyser(evaluator), *cells, columns=4, rows=3, in_a_row=3)
    for move in answer["analysis"][3:]:
        exact = evaluate(Position.after(cells[: move["ply"]], board), 1, lambda: 0).values
        assert move["values"] == {str(cell): value for cell, value in exact.items()}
    # Where nothing is known, only what follows tells something.
    assert set(answer["analysis"][1]["values"].values()) == {None}
    assert all(asked.count(".") <= 9 for asked in evaluator.asked[len(cells) :])
