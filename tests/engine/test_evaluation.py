from itertools import count
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from ttt_engine import GameOver, Position, Rules
from ttt_engine import evaluation as module
from ttt_engine.evaluation import Evaluation, evaluate
from ttt_engine.strategies import Exact

NO_TIME = 0.0


def stopped() -> float:
    return 0.0


def evaluated(*cells: int, rules: Rules | None = None) -> Evaluation:
    position = Position.start() if rules is None else Position.start(rules)
    for cell in cells:
        position = position.play(cell)
    return evaluate(position, NO_TIME, stopped)


@pytest.mark.parametrize(
    ("cells", "best", "values", "value"),
    [
        ((), tuple(range(9)), dict.fromkeys(range(9), 0), 0),
        ((4,), (0, 2, 6, 8), {0: 0, 1: -1, 2: 0, 3: -1, 5: -1, 6: 0, 7: -1, 8: 0}, 0),
        # X wins at 2. O threatens 5, and wins there unless X closes it.
        ((0, 3, 1, 4), (2,), {2: 1, 5: 0, 6: -1, 7: -1, 8: -1}, 1),
        # O is lost: it has to close 8, and X has two more ways.
        ((0, 1, 4), (8,), {2: -1, 3: -1, 5: -1, 6: -1, 7: -1, 8: -1}, -1),
    ],
)
def test_3x3_is_known_exactly(
    cells: tuple[int, ...], best: tuple[int, ...], values: dict[int, int], value: int
) -> None:
    evaluation = evaluated(*cells)
    assert evaluation.best == best
    assert dict(evaluation.values) == values
    assert evaluation.value == value


def test_the_reason_is_the_strategys() -> None:
    assert evaluated(0, 3, 1, 4).reason == "win"


def test_a_larger_board_with_few_empty_cells_is_known_exactly() -> None:
    # 9 of its 12 cells are empty.
    rules = Rules(4, 3, 3)
    evaluation = evaluated(0, 5, 1, rules=rules)
    assert set(evaluation.values) == set(Position.after((0, 5, 1), rules).legal_moves)
    assert set(evaluation.values.values()) <= {-1, 0, 1}
    assert evaluation.value == max(v for v in evaluation.values.values() if v is not None)
    assert all(evaluation.values[cell] == evaluation.value for cell in evaluation.best)


def test_with_gravity_the_legal_cells_are_evaluated() -> None:
    rules = Rules(3, 3, 3, gravity=True)
    assert set(evaluated(7, rules=rules).values) == {4, 6, 8}


@pytest.mark.parametrize(
    ("value", "estimate", "told"),
    [(1, -9, 1), (0, 9, 0), (-1, 9, -1), (None, 40, 1), (None, 0, 0), (None, -7, -1)],
)
def test_elsewhere_it_is_what_a_search_proves_or_thinks(
    monkeypatch: pytest.MonkeyPatch, value: int | None, estimate: int, told: int
) -> None:
    asked: list[dict[str, Any]] = []

    class Stub:
        def __init__(self, **parts: Any) -> None:
            asked.append(parts)

        def search(self, position: Position) -> SimpleNamespace:
            cells = position.legal_moves[1:2]
            values = {2: -1, 4: 1}
            found = {"value": value, "estimate": estimate, "reason": "deep"}
            return SimpleNamespace(cells=cells, values=values, **found)

    monkeypatch.setattr(module, "Search", Stub)
    evaluation = evaluate(Position.after((0, 5), Rules(4, 3, 3)), 0.5, stopped)
    assert asked == [{"clock": stopped, "seconds": 0.5}]
    unknown = dict.fromkeys((1, 2, 3, 4, 6, 7, 8, 9, 10, 11))
    assert evaluation == Evaluation((2,), {**unknown, 2: -1, 4: 1}, told, "deep")  # type: ignore[arg-type]  # one of three


def test_a_search_sees_a_win_at_once() -> None:
    evaluation = evaluated(0, 5, 1, 6, rules=Rules(5, 5, 3))
    assert evaluation.best == (2,)
    assert (evaluation.values[2], evaluation.value) == (1, 1)
    assert len(evaluation.values) == 21


def test_there_is_nothing_to_evaluate() -> None:
    with pytest.raises(GameOver):
        evaluated(0, 3, 1, 4, 2)


def test_a_process_with_too_little_memory_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> NoReturn:
        raise MemoryError

    monkeypatch.setattr(Exact, "plays", lambda *_: True)
    monkeypatch.setattr(Exact, "think", none)
    position = Position.start(Rules(7, 6, 4, gravity=True))
    assert None in evaluate(position, 0.0, lambda: 0.0).values.values()


def test_where_search_does_not_play_mcts_does() -> None:
    ticks = count(step=0.01)
    evaluation = evaluate(Position.start(Rules.parse("vanishing:4x4x4")), 0.1, lambda: next(ticks))
    assert set(evaluation.best) <= set(range(16))
    assert len(evaluation.values) == 16
