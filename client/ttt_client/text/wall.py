"""The wall of an event in a window of text: standings, and as many boards as have room. Pure."""

from collections.abc import Sequence
from itertools import zip_longest

from ttt_client.text import render
from ttt_client.text.standings import status_line, table, width
from ttt_protocol.state import Mark, Rules
from ttt_protocol.text import clean
from ttt_protocol.tournament.messages import TournamentState, WallBoard

_GAP = 4
"""Columns between two boards."""
_LEAST_ROWS = 6
"""Rows of the standings, with their heads, that boards leave free."""
_ANNOUNCEMENTS = 2
"""Announcements that are shown, the newest."""


def wall_lines(
    event: TournamentState,
    boards: Sequence[WallBoard],
    columns: int,
    rows: int,
    *,
    ascii_only: bool = False,
) -> list[str]:
    """Return the lines of the wall, for a window of so many columns and rows."""
    head = [status_line(event), *(f"* {it}" for it in event.announcements[-_ANNOUNCEMENTS:]), ""]
    standings = table(event)
    free = rows - len(head) - min(len(standings), _LEAST_ROWS)
    blocks = [_block(board, event.settings.rules, ascii_only=ascii_only) for board in boards]
    wide = max((width(line) for block in blocks for line in block), default=0)
    per_row = max(1, (columns + _GAP) // (wide + _GAP))
    shown: list[str] = []
    for first in range(0, len(blocks), per_row):
        lines = ["", *_beside(blocks[first : first + per_row], wide)]
        if wide > columns or len(shown) + len(lines) > free:
            break
        shown += lines
    return [*head, *standings[: max(0, rows - len(head) - len(shown))], *shown][:rows]


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
    """Return the lines of blocks that stand side by side, each so many columns wide."""
    rows = zip_longest(*blocks, fillvalue="")
    gap = " " * _GAP
    return [gap.join(line + " " * (wide - width(line)) for line in row).rstrip() for row in rows]
