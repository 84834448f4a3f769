"""Traces and comparisons as JSON. Pure, except for the given clock."""

import json
from collections.abc import Callable
from typing import Any, Final

from ttt_engine import Position
from ttt_engine.strategies import Strategy, Thought
from ttt_engine.tracing import steps
from ttt_engine.tracing.node_counts import NodeCounts
from ttt_engine.tracing.trace import compare, trace
from ttt_protocol.state import BySeat
from ttt_server.core.snapshot import shown

_NAMES: Final[dict[type[steps.Step], str]] = {
    steps.Rule: "rule",
    steps.CellScored: "score",
    steps.Remember: "remember",
    steps.NodeEntered: "enter",
    steps.TableHit: "table",
    steps.Cut: "cut",
    steps.NodeLeft: "return",
    steps.Abandon: "abandon",
    steps.DepthFinished: "depth",
    steps.LeftOut: "left_out",
    steps.Decided: "decision",
}
"""The values of `step` in the lines of a trace."""


def trace_lines(
    position: Position,
    strategy: Strategy,
    limit: int,
    moves: tuple[int, ...] | None = None,
    counts: NodeCounts | None = None,
) -> str:
    """Return a trace as JSON lines: the question, at most `limit` steps, and the decision.

    `counts`, if given, follow the question.

    Raises:
        CannotPlay, GameOver: as `trace`.
    """
    question = {
        "step": "position",
        **position_as_json(position),
        "strategy": strategy.name,
        "level": getattr(strategy, "level", None),
    }
    counted = () if counts is None else ({"step": "node_counts"} | counts._asdict(),)
    told = map(_as_json, trace(position, strategy, limit, moves))
    lines = (question, *counted, *told)
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def compared(
    position: Position,
    strategy: Strategy,
    clock: Callable[[], float],
    moves: tuple[int, ...] | None = None,
) -> dict[str, Any]:
    """Return what a strategy thinks of a position, and the time and nodes it took.

    Raises:
        CannotPlay, GameOver: as `compare`.
    """
    thought, seconds, nodes = compare(position, strategy, clock, moves)
    return _thought(thought) | {"time_ms": round(seconds * 1000, 3), "nodes": nodes}


def position_as_json(position: Position) -> dict[str, Any]:
    """Return a position, with what its variant shows."""
    board = {"rules": str(position.rules), "board": position.board, "turn": position.turn.value}
    return board | {
        name: {"X": value.X, "O": value.O} if isinstance(value, BySeat) else value
        for name, value in shown(position).items()
    }


def _as_json(step: steps.Step) -> dict[str, Any]:
    fields = _thought(step.thought) if isinstance(step, steps.Decided) else step._asdict()
    return {"step": _NAMES[type(step)]} | fields


def _thought(thought: Thought) -> dict[str, Any]:
    values = thought.values
    return {
        "cells": thought.cells,
        "reason": thought.reason,
        "values": None if values is None else {str(cell): values[cell] for cell in values},
    }
