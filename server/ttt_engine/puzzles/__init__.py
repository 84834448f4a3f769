"""Puzzles: a position and a question that has one answer, which the exact solver has found."""

from ttt_engine.puzzles.maker import BOARDS, MOST_IN_SET, daily, make_set
from ttt_engine.puzzles.puzzle import Kind, Puzzle, pose

__all__ = ["BOARDS", "MOST_IN_SET", "Kind", "Puzzle", "daily", "make_set", "pose"]
