"""What a server tells of positions: what moves were worth, and how strategies think. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ttt_client.model.options import InvalidOption, parse_start
from ttt_client.model.variants import shape_of
from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Mark, Rules

DEPTH = 3
"""The plies of a tree that are shown without a wish."""

COLUMNS_BOARD = Rules(columns=7, rows=6, in_a_row=4, gravity=True)
"""The board of a string of columns that names no other."""


class AnalysedMove(NamedTuple):
    """A move and what it was worth: 1, 0 or -1 for the side that made it; `None` if not known."""

    ply: int
    """The number of moves before it."""
    seat: Mark
    cell: int
    worth: int | None
    values: Mapping[int, int | None]
    """The same for every legal cell; empty if none is known."""
    is_mistake: bool
    """Whether a better move is known."""

    @property
    def unknown(self) -> tuple[int, ...]:
        """The legal cells whose worth is not known."""
        return tuple(cell for cell in sorted(self.values) if self.values[cell] is None)


class Analysis(NamedTuple):
    """The moves of a finished game, in order, without those that were taken back."""

    moves: tuple[AnalysedMove, ...]
    thrown_away_at: int | None
    """The ply of the last known mistake of a side that did not win."""
    winner: Mark | None

    @property
    def doubt(self) -> AnalysedMove | None:
        """The last move of a side that did not win which may have been a mistake.

        It is worth less than a win, and cells that may have been better are not known.
        """
        others = (move for move in reversed(self.moves) if move.seat is not self.winner)
        return next((move for move in others if move.worth in {0, -1} and move.unknown), None)


def read_analysis(body: bytes) -> Analysis:
    """Return the analysis in the server's answer.

    Raises:
        BadMessage: if the body is something else.
    """
    with _reading("analysis"):
        told = json.loads(body)
        moves = tuple(map(_weighed, told["analysis"]))
        return Analysis(moves, told["thrown_away_at"], _winner(told))


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turn the faults of an answer that is something else into a `BadMessage`."""
    try:
        yield
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise BadMessage(f"no {what}") from None


def _weighed(told: Mapping[str, Any]) -> AnalysedMove:
    values = {int(cell): value for cell, value in told["values"].items()}
    seat, cell, mistake = Mark(told["seat"]), int(told["cell"]), bool(told["mistake"])
    return AnalysedMove(int(told["ply"]), seat, cell, told["worth"], values, mistake)


def _winner(told: Mapping[str, Any]) -> Mark | None:
    for event in told["events"]:
        if event["type"] == "ended" and event["outcome"]["winner"] is not None:
            return Mark(event["outcome"]["winner"])
    return None


def is_columns(text: str) -> bool:
    """Return whether the text is a digit for each move: `44536`."""
    return re.fullmatch(r"[1-9][1-9\s,]*", text) is not None


def parse_position(text: str, rules: Rules) -> Mapping[str, str]:
    """Return the query of a position: `X...O....` as `board`, `a1b2` or digits as `moves`.

    The server says whether there is such a position on its board.

    Raises:
        InvalidOption: the text is neither.
    """
    plain = re.sub(r"[\s,]", "", text)
    if re.fullmatch(r"[.XOxo]+", plain):
        return {"board": plain.upper()}
    shape = shape_of(rules)
    form = r"([1-9][a-s][1-9])*" if shape.is_cube else r"([a-s][1-9][0-9]?)*"
    if re.fullmatch(form, plain.lower()):
        return {"moves": plain.lower()}
    if is_columns(plain):
        return {"moves": "".join(map(shape.name, parse_start(plain, rules)))}
    raise InvalidOption(
        "a position is a letter for each cell, X...O...., moves, a1b2 (in a cube 1a12b2), "
        "or columns, 4453"
    )


def parse_depth(text: str) -> int:
    """Return the plies of a tree to show.

    Raises:
        InvalidOption: it is not 1 to 99.
    """
    if not re.fullmatch(r"[1-9][0-9]?", text):
        raise InvalidOption("a depth is 1 to 99 plies")
    return int(text)


@dataclass
class Node:
    """A node of a search, as reported."""

    cell: int
    low: float | None = None
    high: float | None = None
    value: float | None = None
    """For the side that moved into it; `None` where the time was over, or the rest not told."""
    result: int | None = None
    in_table: bool = False
    cut: tuple[int, ...] = ()
    children: list["Node"] = field(default_factory=list)


class Asked(NamedTuple):
    """The question of a study."""

    rules: str
    board: str
    turn: str


@dataclass(frozen=True, slots=True)
class StrategyThoughts:
    """The thoughts of a strategy about a position."""

    strategy: str
    """With its level: `minimax:9`."""
    cells: tuple[int, ...] = ()
    reason: str = ""
    values: Mapping[int, float] = field(default_factory=dict)
    time_ms: float | None = None
    nodes: int | None = None
    error: str | None = None
    """Why there is no thought."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a thought, in order, as the server told them."""

    asked: Asked
    steps: tuple[Mapping[str, Any], ...]
    counts: Mapping[str, int | None]
    """Node counts of three searches on the position, by name; empty if none were reported."""
    thought: StrategyThoughts

    @property
    def left_out(self) -> int:
        """The number of steps that were not told."""
        return sum(step["steps"] for step in self.steps if step["step"] == "left_out")

    def count(self, step: str) -> int:
        """Return how many steps of a kind were told."""
        return sum(one["step"] == step for one in self.steps)

    def nodes(self) -> list[Node]:
        """Return the nodes below the position, with those below them.

        A step of a kind that this client does not know is left out.
        """
        top = Node(-1)
        path = [top]
        for step in self.steps:
            match step:
                case {"step": "enter", "cell": cell, "low": low, "high": high}:
                    node = Node(cell, low, high)
                    path[-1].children.append(node)
                    path.append(node)
                case {"step": "return", "value": value, "result": result} if len(path) > 1:
                    node = path.pop()
                    node.value, node.result = value, result
                case {"step": "abandon"} if len(path) > 1:
                    path.pop()
                case {"step": "table"}:
                    path[-1].in_table = True
                case {"step": "cut", "cells": cells}:
                    path[-1].cut = tuple(cells)
                case _:
                    pass
        return top.children


class Comparison(NamedTuple):
    """The thoughts of all strategies about a position."""

    asked: Asked
    thoughts: tuple[StrategyThoughts, ...]
    counts: Mapping[str, int | None]


def read_trace(body: bytes) -> Trace:
    """Return the trace in the server's answer.

    Raises:
        BadMessage: if the body is something else.
    """
    with _reading("trace"):
        first, *steps = [json.loads(line) for line in body.splitlines()]
        last = steps.pop()
        if (first["step"], last["step"]) != ("position", "decision"):
            raise BadMessage("no trace")
        counted = [step for step in steps if step["step"] == "node_counts"]
        others = tuple(step for step in steps if step["step"] != "node_counts")
        counts = _counts(counted[0]) if counted else {}
        return Trace(_asked(first), others, counts, _thought(first | last))


def read_comparison(body: bytes) -> Comparison:
    """Return the comparison in the server's answer.

    Raises:
        BadMessage: if the body is something else.
    """
    with _reading("comparison"):
        told = json.loads(body)
        thoughts = tuple(map(_thought, told["strategies"]))
        return Comparison(_asked(told), thoughts, _counts(told["node_counts"]))


def _asked(told: Mapping[str, Any]) -> Asked:
    return Asked(str(told["rules"]), str(told["board"]), str(told["turn"]))


def _thought(told: Mapping[str, Any]) -> StrategyThoughts:
    level = told["level"]
    strategy = str(told["strategy"]) + ("" if level is None else f":{level}")
    if "error" in told:
        return StrategyThoughts(strategy, error=str(told["error"]))
    cells, reason = tuple(map(int, told["cells"])), str(told["reason"])
    values = {int(cell): float(value) for cell, value in (told["values"] or {}).items()}
    time_ms, nodes = told.get("time_ms"), told.get("nodes")
    return StrategyThoughts(strategy, cells, reason, values, time_ms, nodes)


def _counts(told: Mapping[str, Any]) -> dict[str, int | None]:
    return {name: told.get(name) for name in ("minimax", "alpha_beta", "alpha_beta_table")}
