"""The worth of the moves of a game, as text. Pure."""

from collections.abc import Iterator

from ttt_client.model.study import AnalysedMove, Analysis
from ttt_client.text import render
from ttt_protocol.state import Rules

_WORTHS = {1: "wins", 0: "draws", -1: "loses", None: "is not known"}


def analysis_lines(analysis: Analysis, rules: Rules) -> Iterator[str]:
    """Yield a line for each move that is known of, and the verdict."""
    yield "what the moves were worth:"
    yield from filter(None, (move_line(move, rules) for move in analysis.moves))
    yield verdict(analysis, rules)


def move_line(move: AnalysedMove, rules: Rules) -> str:
    """Return `3. X a2 loses; b6, e6, f6 not known`; nothing where no worth is known."""
    is_known = move.worth is not None or any(value is not None for value in move.values.values())
    return f"{move.ply + 1}. {move.seat} {_move_words(move, rules)}" if is_known else ""


def _move_words(move: AnalysedMove, rules: Rules) -> str:
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


def verdict(analysis: Analysis, rules: Rules) -> str:
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
