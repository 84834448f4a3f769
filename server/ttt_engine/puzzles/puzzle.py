"""A question about a position, with its one answer."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ttt_engine.bitboard import cells_of
from ttt_engine.mark import Mark
from ttt_engine.position import SMALLEST, GridPosition, Position
from ttt_engine.rules import Rules
from ttt_engine.strategies.minimax import Minimax, Scores

MOST_EMPTY: Final = 9
"""With more empty cells a position is not solved to its end, as that takes too long."""

MOST_EMPTY_COLUMNS: Final = 10
"""The same where marks fall, and so few cells can be played at once."""

_LEAST_CHOICE: Final = 3
"""The fewest legal cells of a question for one of them."""


class Kind(StrEnum):
    """What is asked."""

    WIN_IN_TWO = "win_in_two"
    """Which cell wins with the next move but one, whatever the other side does?"""
    ONLY_MOVE = "only_move"
    """Which cell is the only one that does not lose?"""
    WHO_WINS = "who_wins"
    """Who wins if both sides play their best?"""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which the game goes on, a question, and the answer."""

    kind: Kind
    position: Position
    cell: int | None
    """The answer to `WIN_IN_TWO` and `ONLY_MOVE`."""
    winner: Mark | None
    """The side that wins with best play, which answers `WHO_WINS`; None for a draw."""


def pose(kind: Kind, position: Position) -> Puzzle | None:
    """Ask about a position.

    Args:
        kind: what is asked.
        position: where the game goes on.

    Returns:
        The puzzle; None if the question has no answer here, more than one, or one that is seen at
        a glance because the side to move wins at once.
    """
    if not isinstance(position, GridPosition):
        return _pose_by_play(kind, position)
    own, other = position.sides
    rules = position.rules
    if rules.lines.ends(own) & rules.playable(own | other):
        return None
    if kind is Kind.WIN_IN_TWO:
        winning = _winning_in_two(rules, own, other)
        return Puzzle(kind, position, winning[0], position.turn) if len(winning) == 1 else None
    if not _is_solved(position):
        return None
    values = _values(position)
    best = max(values.values())
    cells = [cell for cell, value in values.items() if value == best]
    if kind is Kind.ONLY_MOVE:
        is_asked = best == 0 and len(cells) == 1 and len(values) >= _LEAST_CHOICE
        return Puzzle(kind, position, cells[0], None) if is_asked else None
    winner = None if best == 0 else position.turn if best > 0 else position.turn.other
    return Puzzle(kind, position, None, winner)


def _pose_by_play(kind: Kind, position: Position) -> Puzzle | None:
    """Ask about a position of any game. Of such a one only a win in two is asked for."""
    if kind is not Kind.WIN_IN_TWO or _has_win(position):
        return None
    winning = []
    for cell in position.legal_moves:
        after = position.play(cell)
        if after.outcome() is None and not _has_win(after):
            answered = map(after.play, after.legal_moves)
            if all(each.outcome() is None and _has_win(each) for each in answered):
                winning.append(cell)
    return Puzzle(kind, position, winning[0], position.turn) if len(winning) == 1 else None


def _has_win(position: Position) -> bool:
    """Whether the side to move wins at once."""
    turn = position.turn
    ends = (position.play(cell).outcome() for cell in position.legal_moves)
    return any(end is not None and end.winner is turn for end in ends)


def _winning_in_two(rules: Rules, own: int, other: int) -> tuple[int, ...]:
    """Return the cells after which each answer allows a line. No cell wins at once."""
    lines = rules.lines
    found = []
    for cell in cells_of(rules.playable(own | other)):
        after = own | 1 << cell
        answers = rules.playable(after | other)
        if not answers or lines.ends(other) & answers:
            continue
        ends = lines.ends(after)
        answered = (other | 1 << answer for answer in cells_of(answers))
        if all(ends & rules.playable(after | theirs) for theirs in answered):
            found.append(cell)
    return tuple(found)


def _is_solved(position: Position) -> bool:
    most = MOST_EMPTY_COLUMNS if position.rules.gravity else MOST_EMPTY
    return position.rules.cells - position.ply <= most


def _values(position: Position) -> dict[int, float]:
    """Return what each legal cell is worth for the side to move: exact, and above 0 for a win."""
    if position.rules.cells == SMALLEST:
        return dict(Minimax().think(position).values or {})  # looked up
    scores, (own, other) = Scores(position.rules), position.sides
    return {cell: scores.of_move(own, other, 1 << cell) for cell in position.legal_moves}
