import json

import pytest

from ttt_client.model.options import InvalidOption
from ttt_client.model.study import (
    COLUMNS_BOARD,
    Asked,
    StrategyThoughts,
    is_columns,
    parse_depth,
    parse_position,
    read_comparison,
    read_trace,
)
from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Rules

POSITION = {"step": "position", "rules": "3x3x3", "board": "X...O....", "turn": "X"}
POSITION |= {"strategy": "minimax", "level": 9}  # type: ignore[dict-item]
DECISION = {"step": "decision", "cells": [1, 2], "reason": "depth 7, 0", "values": {"1": 0}}


def body(*steps: object) -> bytes:
    return b"".join(json.dumps(step).encode() + b"\n" for step in steps)


def enter(cell: int, low: int | None = None, high: int | None = None) -> dict[str, object]:
    return {"step": "enter", "cell": cell, "low": low, "high": high}


def left(value: float, result: int | None = None) -> dict[str, object]:
    return {"step": "return", "value": value, "result": result}


def test_positions() -> None:
    assert parse_position("x...o....", Rules()) == {"board": "X...O...."}
    assert parse_position("X.. .O. ...", Rules()) == {"board": "X...O...."}
    assert parse_position("a1, B2", Rules()) == {"moves": "a1b2"}
    assert parse_position("", Rules()) == {"moves": ""}
    for text in ("hello", "X..?", "a1b"):
        with pytest.raises(InvalidOption):
            parse_position(text, Rules())


def test_moves_in_a_cube() -> None:
    cube = Rules(columns=4, rows=16, in_a_row=4, variant="cube")
    assert parse_position("1a1 2B3", cube) == {"moves": "1a12b3"}
    assert parse_position("51", cube) == {"moves": "1a21a1"}
    with pytest.raises(InvalidOption, match="in a cube"):
        parse_position("a1", cube)


def test_a_digit_for_each_move() -> None:
    assert parse_position("4444", COLUMNS_BOARD) == {"moves": "d6d5d4d3"}
    assert parse_position("4 4,5", COLUMNS_BOARD) == {"moves": "d6d5e6"}
    assert parse_position("519", Rules()) == {"moves": "b2a1c3"}
    assert [is_columns(text) for text in ("4444", "4 4", "", "d6", "X...")] == [True, True] + 3 * [
        False
    ]
    for text, rules in (("4444444", COLUMNS_BOARD), ("8", COLUMNS_BOARD), ("55", Rules())):
        with pytest.raises(InvalidOption):
            parse_position(text, rules)


def test_depths() -> None:
    assert parse_depth("12") == 12
    for text in ("0", "x", "100", "-1"):
        with pytest.raises(InvalidOption):
            parse_depth(text)


def test_a_trace() -> None:
    counts = {"step": "node_counts", "minimax": 7332, "alpha_beta": 844}
    found = read_trace(body(POSITION, counts, {"step": "left_out", "steps": 7}, DECISION))
    assert found.asked == Asked("3x3x3", "X...O....", "X")
    assert found.thought == StrategyThoughts("minimax:9", (1, 2), "depth 7, 0", {1: 0.0})
    assert found.counts == {"minimax": 7332, "alpha_beta": 844, "alpha_beta_table": None}
    assert found.left_out == 7
    assert found.count("left_out") == 1
    assert read_trace(body(POSITION, DECISION)).counts == {}


def test_the_nodes_of_a_trace() -> None:
    steps = (
        *(enter(1, -3, 5), enter(2), {"step": "table"}, left(4, 1)),
        *({"step": "cut", "cells": [7, 8]}, {"step": "later"}, left(0, 0)),
        *(enter(3), {"step": "abandon"}, {"step": "abandon"}, left(1), enter(5)),
    )
    first, second, third = read_trace(body(POSITION, *steps, DECISION)).nodes()
    assert (first.cell, first.low, first.high, first.value, first.cut) == (1, -3, 5, 0, (7, 8))
    (child,) = first.children
    assert (child.cell, child.value, child.result, child.in_table) == (2, 4, 1, True)
    assert (second.cell, second.value, second.children) == (3, None, [])
    assert third.cell == 5


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>",
        b"[]\n[]",
        body(POSITION),
        body(POSITION, POSITION),
        body({"step": "position"}, DECISION),
        body(POSITION, DECISION | {"cells": ["a"]}),
    ],
)
def test_no_trace(answer: bytes) -> None:
    with pytest.raises(BadMessage):
        read_trace(answer)


def test_a_comparison() -> None:
    thoughts = [
        DECISION | {"strategy": "rules", "level": None, "time_ms": 0.5, "nodes": 0},
        {"strategy": "search", "level": 9, "error": "took too long"},
    ]
    told = POSITION | {"strategies": thoughts, "node_counts": {"error": "too long"}}
    found = read_comparison(json.dumps(told).encode())
    assert found.thoughts == (
        StrategyThoughts("rules", (1, 2), "depth 7, 0", {1: 0.0}, 0.5, 0),
        StrategyThoughts("search:9", error="took too long"),
    )
    assert set(found.counts.values()) == {None}
    for answer in (b"", b"[]", b"{}", json.dumps(told | {"strategies": [5]}).encode()):
        with pytest.raises(BadMessage):
            read_comparison(answer)
