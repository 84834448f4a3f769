"""How long exact values of four in a row take, with the extra `solver`, and a check of its book.

    python -m tests.bench.exact [--positions 500] [--check 0] [--seed 1]

Positions are reached by random moves, as many of each number of marks from 8 to 35. The time is
that of the processor, for all values of a position. The book, which a process reads before its
first answer, is not in it. `--check` solves so many positions of 10 and 11 marks a second time,
without the book, which has the values of their successors; each takes some seconds.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Final

from tests.bench.figures import percentile
from ttt_engine import Position
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.strategies.solvers import Exact

_MARKS: Final = ((8, 35), (8, 11), (12, 15), (16, 35))
"""The fewest and the most marks of what one line tells."""


def positions(count: int, fewest: int, most: int, seed: int) -> Iterator[Position]:
    """Yield positions in which the game goes on, with each number of marks in turn."""
    chance = random.Random(seed)
    for number in range(count):
        marks = fewest + number % (most - fewest + 1)
        position = Position.start(FOUR_IN_A_ROW)
        while position.ply < marks:
            position = position.play(chance.choice(position.legal_moves))
            if position.outcome() is not None:
                position = Position.start(FOUR_IN_A_ROW)
        yield position


def took_s(position: Position) -> float:
    began = time.process_time()
    Exact().think(position)
    return time.process_time() - began


def differing(count: int, seed: int) -> int:
    """Return how many of the positions have another value without the book."""
    bitbully = import_module("bitbully")
    with_book, alone = bitbully.BitBully(), bitbully.BitBully(opening_book=None)
    found = 0
    for position in positions(count, 10, 11, seed):
        cells = [".XO".index(mark) for mark in position.board]
        rows = [cells[start : start + 7] for start in range(0, len(cells), 7)]
        scores = (each.score_all_moves(bitbully.Board(rows)) for each in (with_book, alone))
        found += next(scores) != next(scores)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How long exact values of four in a row take.")
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--check", type=int, default=0, help="positions to solve without the book")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(argv)
    start = Position.start(FOUR_IN_A_ROW)
    print(f"first answer of a process {took_s(start):.2f} s, with the book read")
    print(f"the empty board again {took_s(start) * 1e3:.2f} ms")
    times = {one: took_s(one) for one in positions(asked.positions, 8, 35, asked.seed)}
    for fewest, most in _MARKS:
        some = [took for one, took in times.items() if fewest <= one.ply <= most]
        median, p99, worst = (percentile(some, part) * 1e3 for part in (0.5, 0.99, 1))
        print(
            f"{fewest:>2} to {most} marks: median {median:8.2f} ms   p99 {p99:8.2f} ms"
            f"   worst {worst:8.2f} ms   ({len(some)} positions)"
        )
    if asked.check:
        differ = differing(asked.check, asked.seed)
        print(f"of {asked.check} positions {differ} have another value without the book")


if __name__ == "__main__":
    main()
