"""Puzzles: a position and a question that has one answer, which the exact solver has found.

They are made from a seed, the same ones on every server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Final, TypeVar

from ttt_engine.bitboard import cells_of
from ttt_engine.outcome import Mark
from ttt_engine.position import SMALLEST, GridPosition, Position
from ttt_engine.rules import FOUR_IN_A_ROW, TIC_TAC_TOE, Rules
from ttt_engine.strategies.rules import foresee
from ttt_engine.strategies.solvers import Minimax, Scores
from ttt_engine.symmetry import canonical, symmetries

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


T = TypeVar("T")


class Dice:
    """Throws that follow from a seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._throws = 0

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of the choices; there must be one."""
        self._throws += 1
        thrown = sha256(f"{self._seed} {self._throws}".encode()).digest()
        return choices[int.from_bytes(thrown[:8], "big") % len(choices)]


_FIVE: Final = Rules(5, 5, 4)
_ULTIMATE: Final = Rules(9, 9, 3, variant="ultimate")

BOARDS: Final[Mapping[Kind, tuple[Rules, ...]]] = {
    Kind.WIN_IN_TWO: (TIC_TAC_TOE, FOUR_IN_A_ROW, _FIVE, _ULTIMATE),
    Kind.ONLY_MOVE: (TIC_TAC_TOE, FOUR_IN_A_ROW),
    Kind.WHO_WINS: (TIC_TAC_TOE, FOUR_IN_A_ROW),
}
"""The boards on which each kind is asked."""

MOST_IN_SET: Final = 10
"""The most puzzles of a set."""

_FEWEST_EMPTY: Final = 4
"""With fewer empty cells there is too little to think about."""


def daily(day: date) -> Puzzle:
    """Return the puzzle of a day."""
    dice = Dice(f"daily {day.isoformat()}")
    kind = dice.one_of(tuple(Kind))
    boards = [rules for rules in BOARDS[kind] if rules.variant is None]
    return _made(kind, dice.one_of(boards), dice)


def make_set(name: str, kinds: Sequence[Kind], rules: Rules, size: int) -> tuple[Puzzle, ...]:
    """Return the puzzles of a set, no two of which are the same, or images of each other.

    Args:
        name: the seed.
        kinds: what is asked, in turn; each must be asked on this board: see `BOARDS`.
        rules: the board.
        size: the number of puzzles, at most `MOST_IN_SET`.
    """
    found: dict[tuple[Kind, Position], Puzzle] = {}
    tries = 0
    while len(found) < size:
        kind = kinds[len(found) % len(kinds)]
        made = _made(kind, rules, Dice(f"{name} {rules} {tries}"))
        found.setdefault((kind, canonical(made.position)), made)
        tries += 1
    return tuple(found.values())


def _made(kind: Kind, rules: Rules, dice: Dice) -> Puzzle:
    # The answer is thrown first, or else most games would be draws.
    winner = dice.one_of((Mark.X, Mark.O, None)) if kind is Kind.WHO_WINS else None
    fitting: list[Puzzle] = []
    while not fitting:
        posed = _all(kind, rules) if rules.cells == SMALLEST else _of_a_game(kind, rules, dice)
        fitting = [each for each in posed if kind is not Kind.WHO_WINS or each.winner is winner]
    puzzle = dice.one_of(fitting)
    return _turned(puzzle, dice)


@lru_cache(maxsize=len(Kind))
def _all(kind: Kind, rules: Rules) -> tuple[Puzzle, ...]:
    """Return all puzzles of the smallest board, one of each group of images."""
    seen: set[Position] = set()
    puzzles: list[Puzzle] = []
    unread = [Position.start(rules)]
    while unread:
        position = canonical(unread.pop())
        if position in seen or not _is_worth_a_thought(position):
            continue
        seen.add(position)
        unread += [position.play(cell) for cell in position.legal_moves]
        if puzzle := pose(kind, position):
            puzzles.append(puzzle)
    return tuple(puzzles)


def _of_a_game(kind: Kind, rules: Rules, dice: Dice) -> list[Puzzle]:
    """Return the puzzles in a game of chance, in which both sides win and block where they can."""
    puzzles: list[Puzzle] = []
    position = Position.start(rules)
    while _is_worth_a_thought(position):
        if _is_told_by_board(position) and (puzzle := pose(kind, position)):
            puzzles.append(puzzle)
        if not isinstance(position, GridPosition):
            seen = foresee(position)
            position = position.play(dice.one_of(seen.wins or seen.safe or position.legal_moves))
            continue
        own, other = position.sides
        free = rules.playable(own | other)
        ends = rules.lines.ends(own) & free or rules.lines.ends(other) & free
        position = position.play(dice.one_of(cells_of(ends or free)))
    return puzzles


def _is_told_by_board(position: Position) -> bool:
    """Whether the board says all: in ultimate, any open small board may be played."""
    return position.is_plain or Position.parse(position.board, position.rules) == position


def _is_worth_a_thought(position: Position) -> bool:
    return position.outcome() is None and position.rules.cells - position.ply >= _FEWEST_EMPTY


def _turned(puzzle: Puzzle, dice: Dice) -> Puzzle:
    """Return an image of a puzzle."""
    position, rules = puzzle.position, puzzle.position.rules
    view = dice.one_of(symmetries(rules))
    board = "".join(position.board[view.index(cell)] for cell in range(rules.cells))
    cell = None if puzzle.cell is None else view[puzzle.cell]
    return Puzzle(puzzle.kind, Position.parse(board, rules), cell, puzzle.winner)
