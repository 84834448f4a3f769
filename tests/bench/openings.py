"""Make the book of swap2 openings: `python -m tests.bench.openings [--seconds 6000]`.

Three stones are drawn at random around the middle of 15x15. They come into the book if a search
sees neither side ahead, and if each side wins at least a third of the games from there that a
search plays against itself with several budgets. The budgets count positions, and chance has a
seed: the same openings come out on every machine, as many as the time allows.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

from ttt_engine import Mark, Position, Rules
from ttt_engine.openings.choose import CLOSE, BookOpening
from ttt_engine.strategies import make

RULES = Rules(15, 15, 5)
LOOK_S = 1.0
"""Of the search that looks who is ahead."""

BUDGETS_S = (0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
"""Of the searches that play on, a game each."""

LEAST_WON = len(BUDGETS_S) // 3
"""The games that each side must win."""


def drawn(seed: int) -> Iterator[BookOpening]:
    random = Random(seed)
    while True:
        stones = [(random.randint(-5, 5), random.randint(-5, 5)) for _ in range(3)]
        if len(set(stones)) == len(stones):
            yield BookOpening(*stones)


def winner(position: Position, seconds: float) -> Mark | None:
    search = make("search", seconds=seconds)
    while (outcome := position.outcome()) is None:
        position = position.play(search.think(position).cells[0])
    return outcome.winner


def winners(position: Position) -> Counter[Mark | None]:
    """Play on until it is known whether each side wins enough games."""
    won = Counter[Mark | None]()
    for left, seconds in zip(reversed(range(len(BUDGETS_S))), BUDGETS_S, strict=True):
        won[winner(position, seconds)] += 1
        if least(won) + left < LEAST_WON:
            break
    return won


def least(won: Counter[Mark | None]) -> int:
    return min(won[Mark.X], won[Mark.O])


def worth(position: Position) -> int:
    return make("search", seconds=LOOK_S).worth(position)  # type: ignore[attr-defined, no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=6000.0, help="for all (default: 6000)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.seconds
    for opening in drawn(arguments.seed):
        if time.monotonic() > until:
            return
        position = Position.after(opening(RULES), RULES)
        value = worth(position)
        if abs(value) > CLOSE:
            continue
        won = winners(position)
        words = f"worth {value:+}, X won {won[Mark.X]}, O won {won[Mark.O]} of {won.total()}"
        kept = "keep" if least(won) >= LEAST_WON else "    "
        print(kept, tuple(opening), words, flush=True)


if __name__ == "__main__":
    main()
