"""A study as text. Pure.

How a strategy came to its move, strategies side by side, and what the moves of a game were worth.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ttt_client.model import study, variants, words
from ttt_client.model.exploration import position
from ttt_client.model.options import parse_rules
from ttt_client.model.study import Asked, Comparison, Node, StrategyThoughts, Trace
from ttt_client.text import render
from ttt_protocol.state import Mark, Rules
from ttt_protocol.text import clean, counted

MOST_VALUES = 9
"""The values of a thought that are shown, the highest first."""

_RESULTS = {1: "win", 0: "draw", -1: "loss"}


def trace_lines(trace: Trace, depth: int | None, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield a trace in lines: the position, the steps, the decision, the counts.

    Args:
        trace: the trace.
        depth: the plies of the tree to show; `None` for none.
        ascii_only: whether to draw the board in ASCII.
    """
    rules = parse_rules(trace.asked.rules)
    yield f"{clean(trace.thought.strategy)} thinks"
    yield from _board_lines(trace.asked, rules, ascii_only=ascii_only)
    yield from filter(None, (_step_line(step, rules) for step in trace.steps))
    if depth is not None:
        for node in trace.nodes():
            yield from _node_lines(node, rules, depth, "")
    if entered := trace.count("enter"):
        nodes, lines = counted(entered, "node"), counted(trace.count("cut"), "line")
        yield f"{nodes} told, {trace.count('table')} found in the table, {lines} cut off"
    if trace.left_out:
        are = "step is" if trace.left_out == 1 else "steps are"
        yield f"{trace.left_out} more {are} not told"
    if trace.thought.values:
        yield f"values: {_values(trace.thought, rules)}"
    cells = render.labels(trace.thought.cells, rules)
    yield f"{trace.asked.turn} plays {cells}: {words.thought(trace.thought.reason)}"
    yield from _count_lines(trace.counts)


def comparison_lines(comparison: Comparison, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield a comparison in lines: the position, a table, the values, the counts."""
    asked = comparison.asked
    rules = parse_rules(asked.rules)
    yield from _board_lines(asked, rules, ascii_only=ascii_only)
    head = ("AI", "CELLS", "REASON", "TIME", "NODES")
    yield from render.table([head, *(_row(thought, rules) for thought in comparison.thoughts)])
    for thought in comparison.thoughts:
        if thought.values:
            yield f"values of {clean(thought.strategy)}: {_values(thought, rules)}"
    yield from _count_lines(comparison.counts)


def _board_lines(asked: Asked, rules: Rules, *, ascii_only: bool) -> Iterator[str]:
    game = position(asked.board, Mark(asked.turn))
    yield f"{variants.words(rules)}; {asked.turn} to move"
    yield from render.board(rules, game, ascii_only=ascii_only)


def _step_line(step: Mapping[str, Any], rules: Rules) -> str | None:
    """Return the line of a step that is no node of a search."""
    match step:
        case {"step": "rule", "rule": rule, "cells": []}:
            return f"rule {clean(str(rule))}: does not fit"
        case {"step": "rule", "rule": rule, "cells": cells}:
            return f"rule {clean(str(rule))}: {render.labels(cells, rules)}"
        case {"step": "score", "cell": cell, "value": value}:
            return f"  {render.label(cell, rules)}: {_number(value)}"
        case {"step": "remember", "cell": cell, "won": won, "lost": lost, "drawn": drawn}:
            return f"  {render.label(cell, rules)}: {won} won, {lost} lost, {drawn} drawn"
        case {"step": "depth", "depth": depth, "cell": cell, "value": value}:
            return f"depth {depth}: {render.label(cell, rules)}, {_bound(value)}"
        case _:
            return None


def _node_lines(node: Node, rules: Rules, depth: int, indent: str) -> Iterator[str]:
    notes = ["time is over" if node.value is None else _worth(node)]
    if node.low is not None and node.high is not None:
        notes.append(f"between {_bound(node.low)} and {_bound(node.high)}")
    if node.in_table:
        notes.append("in the table")
    yield f"{indent}{render.label(node.cell, rules)}: {', '.join(notes)}"
    if depth > 1:
        for child in node.children:
            yield from _node_lines(child, rules, depth - 1, f"{indent}  ")
    elif node.children:
        yield f"{indent}  ..."
    if node.cut:
        yield f"{indent}  cut off: {render.labels(node.cut, rules)}"


def _worth(node: Node) -> str:
    value = _bound(node.value or 0)
    if node.result not in _RESULTS:
        return value
    result = _RESULTS[node.result]
    return result if value in {"win", "loss", "0"} else f"{result} ({value})"


_WON = 1 << 20
"""A search values a win above every estimate: no player wants to read such a number."""


def _bound(value: float) -> str:
    if abs(value) >= _WON:
        return "win" if value > 0 else "loss"
    return _number(value)


def _row(thought: StrategyThoughts, rules: Rules) -> tuple[str, str, str, str, str]:
    name = clean(thought.strategy)
    if thought.error is not None:
        return name, "-", clean(thought.error), "", ""
    cells = render.labels(thought.cells, rules)
    time = "" if thought.time_ms is None else f"{thought.time_ms:.1f} ms"
    # With the reason in words the table would be wider than a terminal.
    return name, cells, clean(thought.reason), time, str(thought.nodes or "")


def _values(thought: StrategyThoughts, rules: Rules) -> str:
    best = sorted(thought.values.items(), key=lambda one: (-one[1], one[0]))
    shown = [f"{render.label(cell, rules)} {_number(value)}" for cell, value in best[:MOST_VALUES]]
    more = len(best) - len(shown)
    return ", ".join(shown) + (f", and {more} more" if more else "")


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


def _count_lines(counts: Mapping[str, int | None]) -> Iterator[str]:
    words = {
        "minimax": "minimax",
        "alpha_beta": "alpha-beta",
        "alpha_beta_table": "with a table and symmetry",
    }
    if any(count is not None for count in counts.values()):
        told = [
            f"{words[name]} {'too many' if count is None else count}"
            for name, count in counts.items()
        ]
        yield f"nodes to the end: {', '.join(told)}"


_WORTHS = {1: "wins", 0: "draws", -1: "loses", None: "is not known"}


def analysis_lines(analysis: study.Analysis, rules: Rules) -> Iterator[str]:
    """Yield a line for each move that is known of, and the verdict."""
    yield "what the moves were worth:"
    yield from filter(None, (move_line(move, rules) for move in analysis.moves))
    yield verdict(analysis, rules)


def move_line(move: study.AnalysedMove, rules: Rules) -> str:
    """Return `3. X a2 loses; b6, e6, f6 not known`; nothing where no worth is known."""
    is_known = move.worth is not None or any(value is not None for value in move.values.values())
    return f"{move.ply + 1}. {move.seat} {_move_words(move, rules)}" if is_known else ""


def _move_words(move: study.AnalysedMove, rules: Rules) -> str:
    """Return `a2 loses; b6, e6, f6 not known`."""
    words = f"{render.label(move.cell, rules)} {_WORTHS[move.worth]}"
    if move.is_mistake:
        words += ", a mistake"
    for worth in (1, 0, -1):
        cells = [cell for cell, value in move.values.items() if value == worth]
        others = tuple(cell for cell in cells if cell != move.cell)
        if others and (move.worth is None or worth > move.worth):
            verb = _WORTHS[worth] if len(others) == 1 else _WORTHS[worth].removesuffix("s")
            words += f"; {_names(others, rules)} {verb}"
    others = tuple(cell for cell in move.unknown if cell != move.cell)
    return words + (f"; {_names(others, rules)} not known" if others else "")


def verdict(analysis: study.Analysis, rules: Rules) -> str:
    """Return who threw the game away, as far as it is known."""
    moves = analysis.moves
    known = [move for move in moves if move.worth is not None]
    if not moves:
        return "no move was made"
    if not known:
        return "this board is too large to be solved"
    at = analysis.thrown_away_at
    if at is not None:
        thrown = next(move for move in moves if move.ply == at)
        cell = render.label(thrown.cell, rules)
        words = f"{thrown.seat} threw it away with move {at + 1}, {cell}"
    elif (doubt := analysis.doubt) is not None:
        words = "no move is known to have given anything away; "
        words += f"move {doubt.ply + 1}: {_move_words(doubt, rules)}"
    else:
        words = "no move gave anything away"
    if len(known) < len(moves):
        words += f"; moves before {known[0].ply + 1} could not be worked out"
    return words


def _names(cells: tuple[int, ...], rules: Rules) -> str:
    return render.labels(cells, rules, ", ", 8)
