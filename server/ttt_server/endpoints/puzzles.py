"""Puzzles: that of a day at `/api/puzzles/daily`, and sets at `/api/puzzles?set=…`.

Both follow from what is asked for, and are the same on every server: nothing is kept of who asks.
"""

import re
from datetime import date
from typing import Final

from ttt_engine import Invalid
from ttt_engine.puzzles import BOARDS, MOST_IN_SET, Kind, Puzzle
from ttt_protocol.base import FromServer, Maybe
from ttt_protocol.state import Mark, Rules
from ttt_server.ai.laboratory import PuzzleWish
from ttt_server.core.room import wire_rules
from ttt_server.core.snapshot import shown
from ttt_server.endpoints.studies import read_fields, read_rules
from ttt_server.transport.responses import HttpError

_NAME: Final = re.compile(r"[a-z0-9-]{1,24}")
_DEFAULT_SIZE: Final = 6


class PosedPuzzle(FromServer):
    """A position, a question about it, and the one answer."""

    kind: Kind
    rules: Rules
    board: str
    turn: Mark
    legal: Maybe[tuple[int, ...]] = None
    """This and the next as in a game; absent where the variant has them not."""
    boards: Maybe[str] = None
    cell: int | None
    """The answer to `win_in_two` and `only_move`."""
    winner: Mark | None
    """The side that wins with best play, which answers `who_wins`; `None` for a draw."""


class DailyPuzzle(FromServer):
    """The puzzle of a day, which begins and ends by UTC."""

    date: str
    puzzle: PosedPuzzle


class PuzzleSet(FromServer):
    """Puzzles by the name of their set."""

    set: str
    puzzles: tuple[PosedPuzzle, ...]


def read_day(query: str, today: date) -> PuzzleWish:
    """Return the wish for the puzzle of `date=2026-11-26`, or of today.

    Raises:
        HttpError: 400 for what is no date, or is a day to come.
    """
    text = _fields(query, {"date"}).get("date", today.isoformat())
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.isoformat() != text:
        raise HttpError(400, "write a date as 2026-11-26")
    if day > today:
        raise HttpError(400, "the puzzle of a day to come is not told")
    return PuzzleWish(day)


def read_set(query: str) -> PuzzleWish:
    """Return the wish for a set: `set=class-4b&kinds=win_in_two,who_wins&rules=3x3x3&count=6`.

    Raises:
        HttpError: 400 for another name, kind, board or number.
    """
    fields = _fields(query, {"set", "kinds", "rules", "count"})
    name = fields.get("set", "")
    if not _NAME.fullmatch(name):
        raise HttpError(400, "name a set: 1 to 24 of a-z, 0-9 and -")
    try:
        rules = read_rules(fields)
    except Invalid as error:
        raise HttpError(400, str(error)) from None
    asked = [kind for kind in Kind if rules in BOARDS[kind]]
    wanted = fields.get("kinds", ",".join(asked)).split(",")
    kinds = tuple(kind for kind in asked if kind in wanted)
    if not asked:
        raise HttpError(400, "there are no puzzles on this board")
    if not kinds or len(kinds) != len(wanted):
        known = ", ".join(asked)
        raise HttpError(400, f"the kinds of puzzles on this board: {known}; name each at most once")
    size = fields.get("count", str(_DEFAULT_SIZE))
    if not re.fullmatch("[0-9]{1,2}", size) or not 1 <= int(size) <= MOST_IN_SET:
        raise HttpError(400, f"a set has 1 to {MOST_IN_SET} puzzles")
    return PuzzleWish(None, name, kinds, rules, int(size))


def posed(puzzle: Puzzle) -> PosedPuzzle:
    """Return a puzzle as it is told."""
    position, winner = puzzle.position, puzzle.winner
    return PosedPuzzle(
        kind=puzzle.kind,
        rules=wire_rules(position.rules),
        board=position.board,
        turn=Mark(position.turn),
        **shown(position),
        cell=puzzle.cell,
        winner=None if winner is None else Mark(winner),
    )


def _fields(query: str, known: set[str]) -> dict[str, str]:
    fields = read_fields(query)
    if unknown := set(fields) - known:
        raise HttpError(400, f"{len(unknown)} unknown fields; known are {', '.join(sorted(known))}")
    return fields
