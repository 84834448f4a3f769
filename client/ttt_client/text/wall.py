"""The liveliest boards of an event as text, side by side. Pure."""

from collections.abc import Sequence
from itertools import zip_longest

from ttt_client.text import render
from ttt_client.text.standings import width
from ttt_protocol.state import Mark, Rules
from ttt_protocol.text import clean
from ttt_protocol.tournament.messages import WallBoard

_GAP = 4
"""Columns between two boards."""


def board_lines(
    boards: Sequence[WallBoard], rules: Rules, columns: int, rows: int, *, ascii_only: bool = False
) -> list[str]:
    """Return the lines of as many boards as fit in these columns and rows."""
    blocks = [_block(board, rules, ascii_only=ascii_only) for board in boards]
    wide = max((width(line) for block in blocks for line in block), default=0)
    per_row = max(1, (columns + _GAP) // (wide + _GAP))
    shown: list[str] = []
    for first in range(0, len(blocks), per_row):
        lines = [*([""] if shown else []), *_beside(blocks[first : first + per_row], wide)]
        if wide > columns or len(shown) + len(lines) > rows:
            break
        shown += lines
    return shown


def _block(board: WallBoard, rules: Rules, *, ascii_only: bool) -> list[str]:
    """Return a board between the names of its players and who is to move, or how it ended."""
    names = {Mark.X: clean(board.X), Mark.O: clean(board.O)}
    outcome = board.game.outcome
    if outcome is None:
        below = f"{board.game.turn} to move"
    else:
        below = "a draw" if outcome.winner is None else f"{names[outcome.winner]} won"
    lines = render.board(rules, board.game, ascii_only=ascii_only)
    return [f"{names[Mark.X]} - {names[Mark.O]}", *lines, below]


def _beside(blocks: Sequence[Sequence[str]], wide: int) -> list[str]:
    """Return the lines of blocks that stand side by side, each `wide` columns wide."""
    rows = zip_longest(*blocks, fillvalue="")
    gap = " " * _GAP
    return [gap.join(line + " " * (wide - width(line)) for line in row).rstrip() for row in rows]
