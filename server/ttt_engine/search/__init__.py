"""Alpha-beta on bitboards: what a position is worth, as far as a budget lets one see."""

from ttt_engine.search.budget import Budget, TimeBudget
from ttt_engine.search.result import Judgement, judge, judge_at_once

__all__ = ["Budget", "Judgement", "TimeBudget", "judge", "judge_at_once"]
