"""The strategies: what one is, how to get one by name, and ours, one file each."""

from ttt_engine.strategies.base import HIGHEST_LEVEL, Strategy, Thought
from ttt_engine.strategies.minimax import Minimax
from ttt_engine.strategies.random import Random
from ttt_engine.strategies.registry import Description, catalogue, make, names
from ttt_engine.strategies.rules import RuleBased

__all__ = [
    "HIGHEST_LEVEL",
    "Description",
    "Minimax",
    "Random",
    "RuleBased",
    "Strategy",
    "Thought",
    "catalogue",
    "make",
    "names",
]
