"""Make puzzles from a seed: the same ones on every server."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Final

from ttt_engine.bitboard import bitboard, cells_of
from ttt_engine.mark import Mark
from ttt_engine.position import SMALLEST, GridPosition, Position
from ttt_engine.puzzles.dice import Dice
from ttt_engine.puzzles.puzzle import Kind, Puzzle, pose
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.strategies.foresight import foresee
from ttt_engine.symmetry import canonical, symmetries

_FALLING: Final = Rules(7, 6, 4, gravity=True)
_FIVE: Final = Rules(5, 5, 4)
_ULTIMATE: Final = Rules(9, 9, 3, variant="ultimate")

BOARDS: Final[Mapping[Kind, tuple[Rules, ...]]] = {
    Kind.WIN_IN_TWO: (TIC_TAC_TOE, _FALLING, _FIVE, _ULTIMATE),
    Kind.ONLY_MOVE: (TIC_TAC_TOE, _FALLING),
    Kind.WHO_WINS: (TIC_TAC_TOE, _FALLING),
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
    position = puzzle.position
    view = dice.one_of(symmetries(position.rules))
    cell = None if puzzle.cell is None else view[puzzle.cell]
    if not isinstance(position, GridPosition):
        board = "".join(position.board[view.index(cell)] for cell in range(position.rules.cells))
        return Puzzle(puzzle.kind, Position.parse(board, position.rules), cell, puzzle.winner)
    x, o = (bitboard(view[cell] for cell in cells_of(side)) for side in (position.x, position.o))
    return Puzzle(puzzle.kind, GridPosition(position.rules, x, o), cell, puzzle.winner)
