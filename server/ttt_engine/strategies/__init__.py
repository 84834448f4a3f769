"""The strategies, one module each.

`base` holds the protocol of a strategy, and `registry` makes one by its name.
"""

from ttt_engine.learning.learner import Learner
from ttt_engine.strategies.brute import BruteForce
from ttt_engine.strategies.exact import Exact
from ttt_engine.strategies.guard import Guard
from ttt_engine.strategies.lines import OpenLines
from ttt_engine.strategies.mcts import Mcts
from ttt_engine.strategies.minimax import Minimax
from ttt_engine.strategies.perfect import Perfect
from ttt_engine.strategies.random import Random
from ttt_engine.strategies.registry import (
    Description,
    add,
    cost_of,
    describe,
    is_ours,
    make,
    names,
)
from ttt_engine.strategies.rules import RuleBased
from ttt_engine.strategies.search import Search
from ttt_engine.strategy import HIGHEST_LEVEL, Cost, Strategy, Thought, can_play, consult

__all__ = [
    "HIGHEST_LEVEL",
    "BruteForce",
    "Cost",
    "Description",
    "Exact",
    "Guard",
    "Learner",
    "Mcts",
    "Minimax",
    "OpenLines",
    "Perfect",
    "Random",
    "RuleBased",
    "Search",
    "Strategy",
    "Thought",
    "add",
    "can_play",
    "consult",
    "cost_of",
    "describe",
    "is_ours",
    "make",
    "names",
]
