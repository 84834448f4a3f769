"""`search` against the `search` of another checkout, on 15x15 with sides swapped.

    git worktree add /tmp/earlier be44b76b
    python -m tests.bench.earlier /tmp/earlier --seconds 2 --openings book

Each player is a process of its own, and has so many seconds of processor time for a move: a busy
machine harms neither. Each opening is played twice, with sides swapped.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Final, NamedTuple

from ttt_engine import Mark, Position, Rules
from ttt_engine.openings.choose import BOOK
from ttt_engine.strategies import Search

HERE: Final = Path(__file__).parents[2]
RULES: Final = Rules(15, 15, 5)
REACH: Final = 2
"""Of the stones of openings at random: so far from the middle, in columns and rows."""


class Move(NamedTuple):
    """A move of a game."""

    cell: int
    seconds: float
    """Of processor time."""
    reason: str


class Player:
    """The `search` of a checkout, in a process of its own."""

    def __init__(self, checkout: Path, seconds: float) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, "--answer", str(seconds)],
            cwd=HERE,
            env={**os.environ, "PYTHONPATH": str(checkout / "server")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def move(self, moves: Sequence[int]) -> Move:
        """The move after these."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        print(*moves, file=self._program.stdin, flush=True)
        cell, seconds, reason = self._program.stdout.readline().split(maxsplit=2)
        return Move(int(cell), float(seconds), reason.strip())

    def close(self) -> None:
        self._program.communicate()


def answer(seconds: float) -> None:
    """Read the moves of a game by the line, and write the next."""
    search = Search(clock=time.process_time, seconds=seconds)
    for line in sys.stdin:
        position = Position.after(map(int, line.split()), RULES)
        begin = time.process_time()
        thought = search.think(position)
        print(thought.cells[0], time.process_time() - begin, thought.reason, flush=True)


def scattered(stones: int, seed: int) -> Iterator[tuple[int, ...]]:
    """So many stones at random around the middle."""
    random = Random(seed)
    middle = range(RULES.rows // 2 - REACH, RULES.rows // 2 + REACH + 1)
    cells = [row * RULES.columns + column for row in middle for column in middle]
    while True:
        yield tuple(random.sample(cells, stones))


def play(opening: Sequence[int], players: dict[Mark, Player]) -> tuple[Mark | None, list[Move]]:
    """Who won, and the moves after the opening."""
    position, played = Position.after(opening, RULES), list[Move]()
    while (outcome := position.outcome()) is None:
        played.append(players[position.turn].move([*opening, *(move.cell for move in played)]))
        position = position.play(played[-1].cell)
    return outcome.winner, played


def name(cells: Sequence[int]) -> str:
    return " ".join(map(RULES.cell_name, cells)) or "-"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("earlier", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--seconds", type=float, default=2.0, help="of processor time, a move")
    parser.add_argument(
        "--openings",
        default="book",
        help="those of swap2's book, or a number of stones at random around the middle",
    )
    parser.add_argument("--pairs", type=int, default=10, help="games, by two")
    parser.add_argument("--skip", type=int, default=0, help="openings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moves", action="store_true", help="print those of each game")
    parser.add_argument("--answer", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.answer is not None:
        answer(options.answer)
        return
    openings = (
        (opening(RULES) for opening in BOOK)
        if options.openings == "book"
        else scattered(int(options.openings), options.seed)
    )
    times: list[float] = []
    results = {mark: Counter[str]() for mark in Mark}
    for opening in islice(openings, options.skip, options.skip + options.pairs):
        for mark in Mark:
            ours, theirs = Player(HERE, options.seconds), Player(options.earlier, options.seconds)
            winner, played = play(opening, {mark: ours, mark.other: theirs})
            ours.close()
            theirs.close()
            result = "won" if winner is mark else "lost" if winner else "drawn"
            results[mark][result] += 1
            first = (mark is Mark.O) ^ len(opening) % 2
            times += [move.seconds for move in played[first::2]]
            print(f"{name(opening)}: {result} as {mark} after {len(played)}", flush=True)
            if options.moves:
                print("   ", name([move.cell for move in played]))
                print("   ", [move.reason for move in played[first::2]], flush=True)
    for mark, counts in results.items():
        print(f"as {mark}: {counts['won']} won, {counts['drawn']} drawn, {counts['lost']} lost")
    times.sort()
    print(
        f"a move of {options.seconds} s took {median(times):.3f} s in the median, "
        f"p99 {times[len(times) * 99 // 100]:.3f} s, at most {times[-1]:.3f} s ({len(times)} moves)"
    )


if __name__ == "__main__":
    main()
