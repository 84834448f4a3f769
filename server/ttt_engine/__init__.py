"""The game: boards, positions, outcomes, and the strategies that play it.

Pure, on the standard library only: no clock, no network, no files, no global random.

    rules, position, outcome, exceptions         the game itself; begin with `position`
    variant, variants                            the other games of the family, one a file
    lines, bitboard, symmetry                    the mathematics of a board
    strategies                                   our strategies, and those of other packages
    search                                       alpha-beta, for the strategy of that name
    openings                                     fair openings: their course, and how an AI opens
    evaluation                                   the value of a position, for hints and analyses
    arena                                        matches between strategies, and their statistics
    puzzles                                      questions with one answer, and a new one each day
    tracing                                      the steps of a thought, to watch it
    learning                                     the memory of the learner, and its training
"""

from ttt_engine.exceptions import (
    BrokenStrategy,
    BrokenVariant,
    CannotPlay,
    CellTaken,
    EngineError,
    FloatingCell,
    GameOver,
    IllegalMove,
    Invalid,
    InvalidCell,
    InvalidLevel,
    InvalidPosition,
    InvalidRules,
    InvalidThought,
    OtherBoard,
    OutOfBoard,
    StrategyError,
    UnknownStrategy,
    UnknownVariant,
)
from ttt_engine.outcome import DRAW, Mark, Outcome
from ttt_engine.position import GridPosition, Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.symmetry import canonical, canonical_cells, symmetries

__all__ = [
    "DRAW",
    "TIC_TAC_TOE",
    "BrokenStrategy",
    "BrokenVariant",
    "CannotPlay",
    "CellTaken",
    "EngineError",
    "FloatingCell",
    "GameOver",
    "GridPosition",
    "IllegalMove",
    "Invalid",
    "InvalidCell",
    "InvalidLevel",
    "InvalidPosition",
    "InvalidRules",
    "InvalidThought",
    "Mark",
    "OtherBoard",
    "OutOfBoard",
    "Outcome",
    "Position",
    "Rules",
    "StrategyError",
    "UnknownStrategy",
    "UnknownVariant",
    "canonical",
    "canonical_cells",
    "symmetries",
]
