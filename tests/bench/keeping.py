"""How often `search` keeps what a position is worth, on 7x6 with gravity, judged by bitbully.

    python -m tests.bench.keeping --positions 150 --seconds 1

The positions come from random games. Left out are those where a look is enough (a win at once, one
cell to block) or where no cell is wrong; so this is harder than positions as they come.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from tests.bench.peers import peer
from ttt_engine import Position, Rules
from ttt_engine.search import see_at_once
from ttt_engine.search.value import sign
from ttt_engine.strategies import Search

CONNECT_FOUR: Final = Rules(7, 6, 4, gravity=True)

PLIES: Final = range(6, 32)
"""How many moves were made: earlier a look into an opening book, later the end is in reach."""


def games(random: Random) -> Iterator[tuple[tuple[int, ...], Position]]:
    """Moves at random, and the position after them, in which there is something to find out."""
    while True:
        moves: tuple[int, ...] = ()
        position = Position.start(CONNECT_FOUR)
        for _ in range(random.choice(PLIES)):
            if not position.legal_moves:
                break
            cell = random.choice(position.legal_moves)
            moves, position = (*moves, cell), position.play(cell)
        if position.legal_moves and see_at_once(position) is None:
            yield moves, position


def worth(bitbully: Any, solver: Any, moves: tuple[int, ...], position: Position) -> dict[int, int]:
    """By legal cell 1, 0 or -1: what it is worth to the side to move."""
    columns = CONNECT_FOUR.columns
    scores = solver.score_all_moves(bitbully.Board([cell % columns for cell in moves]))
    return {cell: sign(scores[cell % columns]) for cell in position.legal_moves}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time, a position")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    bitbully = peer("bitbully")
    if bitbully is None:
        return
    solver = bitbully.BitBully()
    search = Search(clock=time.process_time, seconds=options.seconds)
    kept, tried = Counter[int](), Counter[int]()
    for moves, position in games(Random(options.seed)):
        values = worth(bitbully, solver, moves, position)
        best = max(values.values())
        if set(values.values()) == {best}:
            continue
        thought = search.think(position)
        holds = all(values[cell] == best for cell in thought.cells)
        decade = len(moves) // 6 * 6
        tried[decade] += 1
        kept[decade] += holds
        if not holds:
            print(f"{','.join(map(str, moves))}: {thought.cells} ({thought.reason}) of {values}")
        if tried.total() == options.positions:
            break
    for decade in sorted(tried):
        print(f"ply {decade:2} to {decade + 5:2}: {kept[decade]:3} of {tried[decade]:3}")
    print(f"kept: {kept.total()} of {tried.total()}, {kept.total() / tried.total():.1%}")


if __name__ == "__main__":
    main()
