"""The game: rules, positions, symmetry, and the strategies that play it.

Pure, and nothing but the standard library: no clock, no network, no files, no global random.
"""

from ttt_engine.exceptions import (
    BrokenStrategy,
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
    OutOfBoard,
    StrategyError,
    UnknownStrategy,
)
from ttt_engine.mark import Mark
from ttt_engine.outcome import DRAW, Outcome
from ttt_engine.position import Position
from ttt_engine.rules import TIC_TAC_TOE, Rules
from ttt_engine.symmetry import canonical, canonical_cells, symmetries

__all__ = [
    "DRAW",
    "TIC_TAC_TOE",
    "BrokenStrategy",
    "CannotPlay",
    "CellTaken",
    "EngineError",
    "FloatingCell",
    "GameOver",
    "IllegalMove",
    "Invalid",
    "InvalidCell",
    "InvalidLevel",
    "InvalidPosition",
    "InvalidRules",
    "InvalidThought",
    "Mark",
    "OutOfBoard",
    "Outcome",
    "Position",
    "Rules",
    "StrategyError",
    "UnknownStrategy",
    "canonical",
    "canonical_cells",
    "symmetries",
]
