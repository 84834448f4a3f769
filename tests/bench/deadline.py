"""Whether `search` keeps its deadline, on every board from 3x3 to 19x19.

    python -m tests.bench.deadline --levels 0 4

Of every size, without and with gravity, the empty board and one half full, each with nothing known
of the board as yet. Times are the processor's: on a busy machine the clock on the wall measures
the others. What is solved sooner takes less.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from ttt_engine import Position, Rules
from ttt_engine.rules import LEAST, MOST
from ttt_engine.search.state import board_of
from ttt_engine.strategies import Search

ALLOWED: Final = 1.2
"""So many times its time may a thought take."""


def boards(sizes: Sequence[int]) -> Iterator[Rules]:
    for size in sizes:
        for in_a_row in sorted({3, min(size, 5), size}):
            for gravity in (False, True):
                yield Rules(size, size, in_a_row, gravity)
    for columns, rows, in_a_row in ((7, 6, 4), (3, MOST, 4), (MOST, 3, 4)):
        yield Rules(columns, rows, in_a_row)
        yield Rules(columns, rows, in_a_row, gravity=True)


def half_full(rules: Rules) -> Position:
    """Half the board at random, or what the last game was that had no line so far."""
    random = Random(1)
    position = Position.start(rules)
    for _ in range(rules.cells // 2):
        after = position.play(random.choice(position.legal_moves))
        if after.outcome() is None:
            position = after
    return position


def took(search: Search, position: Position) -> float:
    """Seconds for a result, which unlike a thought looks deeper where one cell blocks."""
    board_of.cache_clear()
    begin = time.process_time()
    search.search(position)
    return time.process_time() - begin


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, nargs="*", default=[0, 4])
    parser.add_argument("--sizes", type=int, nargs="*", default=[*range(LEAST, MOST + 1)])
    options = parser.parse_args(arguments)
    late = 0
    for level in options.levels:
        search = Search(level, clock=time.process_time)
        print(f"level {level}: {search.seconds * 1e3:.0f} ms")
        for rules in boards(options.sizes):
            times = [
                took(search, position) for position in (Position.start(rules), half_full(rules))
            ]
            ratio = max(times) / search.seconds
            late += ratio > ALLOWED
            print(f"  {rules!s:<11} {ratio:6.1%} of its time{' LATE' * (ratio > ALLOWED)}")
    print(f"late by more than a fifth: {late}")


if __name__ == "__main__":
    main()
