import json

from ttt_engine import Position, Rules
from ttt_engine.strategies import Guard, Minimax, RuleBased, Search
from ttt_server.ai.told_steps import compared, position_as_json, trace_lines


def test_the_lines_of_a_rule_player() -> None:
    lines = trace_lines(Position.after((0, 4, 1)), RuleBased(), 100)
    assert [json.loads(line) for line in lines.splitlines()] == [
        {
            "step": "position",
            "rules": "3x3x3",
            "board": "XX..O....",
            "turn": "O",
            "strategy": "rules",
            "level": None,
        },
        {"step": "rule", "rule": "win", "cells": []},
        {"step": "rule", "rule": "block", "cells": [2]},
        {"step": "decision", "cells": [2], "reason": "block", "values": None},
    ]


def test_the_steps_of_a_search() -> None:
    lines = [json.loads(one) for one in trace_lines(Position.start(), Search(0), 9999).splitlines()]
    told = {line["step"] for line in lines}
    assert {"rule", "enter", "return", "table", "cut", "depth", "decision"} <= told
    assert set(lines[-1]["values"] or {}) <= {str(cell) for cell in range(9)}
    assert lines[0]["level"] == 0


def test_a_comparison() -> None:
    ticks = iter((1.0, 1.0025))
    told = compared(Position.after((0, 4)), Minimax(), ticks.__next__)
    assert told["time_ms"] == 2.5
    assert told["nodes"] > 100
    assert told["values"]["1"] == 0


def test_a_trace_tells_what_a_variant_shows_beside_its_board() -> None:
    position = Position.after([0, 2, 6], Rules.parse("ultimate"))
    question = json.loads(trace_lines(position, Guard(), 10).splitlines()[0])
    assert question["legal"] == list(position.legal_moves)
    assert question["boards"] == "........."
    ages = Position.after([4, 0, 2, 6, 3], Rules.parse("vanishing:3x3x3"))
    assert position_as_json(ages)["leaving"] == {"X": 4, "O": None}
    assert position_as_json(Position.start()).keys() == {"rules", "board", "turn"}
