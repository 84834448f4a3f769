from collections.abc import Mapping
from typing import Any

from ttt_client.model.study import Asked, Comparison, StrategyThoughts, Trace
from ttt_client.text.study import comparison_lines, trace_lines

ASKED = Asked("3x3x3", "X...O....", "X")
BOARD = ["3x3, 3 in a row; X to move", " X | 2 | 3", "---+---+---", " 4 | O | 6"]
BOARD += ["---+---+---", " 7 | 8 | 9"]
COUNTS = {"minimax": None, "alpha_beta": 844, "alpha_beta_table": 130}


def lines(
    *steps: Mapping[str, Any], depth: int | None = None, thought: StrategyThoughts | None = None
) -> list[str]:
    decided = thought or StrategyThoughts("rules", (2, 6), "corner")
    trace = Trace(ASKED, steps, {}, decided)
    return list(trace_lines(trace, depth, ascii_only=True))


def test_the_steps_of_a_rule_player() -> None:
    told = lines(
        {"step": "rule", "rule": "win", "cells": []},
        {"step": "score", "cell": 2, "value": 0.25},
        {"step": "remember", "cell": 2, "won": 3, "lost": 1, "drawn": 0},
        {"step": "rule", "rule": "corner", "cells": [2, 6]},
        {"step": "later"},
    )
    assert told == [
        "rules thinks",
        *BOARD,
        "rule win: does not fit",
        "  3: 0.25",
        "  3: 3 won, 1 lost, 0 drawn",
        "rule corner: 3 7",
        "X plays 3 7: corner",
    ]


def enter(cell: int, low: int | None = None, high: int | None = None) -> dict[str, object]:
    return {"step": "enter", "cell": cell, "low": low, "high": high}


def left(value: float, result: int | None = None) -> dict[str, object]:
    return {"step": "return", "value": value, "result": result}


SEARCH = (
    *(enter(1, -(1 << 25), 7), enter(2), enter(3), {"step": "table"}, left(1 << 24, 1)),
    *(left(-12), {"step": "cut", "cells": [7, 8]}, left(0, 0)),
    *(enter(5), left(4, 1), enter(6), {"step": "abandon"}),
    {"step": "depth", "depth": 2, "cell": 5, "value": -(1 << 24)},
    {"step": "left_out", "steps": 9},
)


def test_the_tree_of_a_search() -> None:
    thought = StrategyThoughts("search:3", (5,), "depth 2", dict.fromkeys(range(10), 1.0))
    told = lines(*SEARCH, depth=2, thought=thought)
    assert told[7:] == [
        "depth 2: 6, loss",
        "2: draw, between loss and 7",
        "  3: -12",
        "    ...",
        "  cut off: 8 9",
        "6: win (4)",
        "7: time is over",
        "5 nodes told, 1 found in the table, 1 line cut off",
        "9 more steps are not told",
        "values: 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, 8 1, 9 1, and 1 more",
        "X plays 6: sees 2 moves ahead",
    ]
    whole = lines(*SEARCH, depth=3, thought=thought)
    assert "    4: win, in the table" in whole
    assert lines(*SEARCH, thought=thought)[7:9] == ["depth 2: 6, loss", told[14]]


def test_strategies_side_by_side() -> None:
    comparison = Comparison(
        ASKED,
        (
            StrategyThoughts(
                "minimax:9", tuple(range(1, 9)), "depth 7, 0", {2: 0.0, 1: 0.5}, 0.21, 198
            ),
            StrategyThoughts("rules", (2,), "corner"),
            StrategyThoughts("search:9", error="the thought took too long"),
        ),
        COUNTS,
    )
    assert list(comparison_lines(comparison, ascii_only=True)) == [
        *BOARD,
        "AI         CELLS            REASON                     TIME    NODES",
        "minimax:9  2 3 4 5 6 7 8 9  depth 7, 0                 0.2 ms  198",
        "rules      3                corner",
        "search:9   -                the thought took too long",
        "values of minimax:9: 2 0.5, 3 0",
        "nodes to the end: minimax too many, alpha-beta 844, with a table and symmetry 130",
    ]


def test_a_wide_board_names_some_cells() -> None:
    asked = Asked("4x4x3", "." * 16, "X")
    thought = StrategyThoughts("random", tuple(range(16)), "random")
    (*_, last) = trace_lines(Trace(asked, (), {}, thought), None)
    assert last == "X plays a1 b1 c1 d1 a2 b2 c2 d2 a3 and 7 more: plays at random"
