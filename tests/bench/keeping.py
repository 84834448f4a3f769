"""How often `search` keeps what a position is worth, on 7x6 with gravity, judged by bitbully.

    python -m tests.bench.keeping --positions 150 --seconds 1
    python -m tests.bench.keeping --positions 1000 --seconds 1 --all

The positions come from random games. Left out are those where a look is enough (a win at once, one
cell to block) or where no cell is wrong; so this is harder than positions as they come. Those count
as well with `--all`, and each of these kinds is told apart.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from tests.bench.peers import peer
from ttt_engine import Position, Rules
from ttt_engine.outcome import sign
from ttt_engine.search import see_at_once
from ttt_engine.strategies import Search

CONNECT_FOUR: Final = Rules(7, 6, 4, gravity=True)

HARD: Final = "hard"

PLIES: Final = range(6, 32)
"""How many moves were made: earlier a look into an opening book, later the end is in reach."""


def games(random: Random) -> Iterator[tuple[tuple[int, ...], Position]]:
    """Moves at random, and the position after them, in which the game goes on."""
    while True:
        moves: tuple[int, ...] = ()
        position = Position.start(CONNECT_FOUR)
        for _ in range(random.choice(PLIES)):
            if not position.legal_moves:
                break
            cell = random.choice(position.legal_moves)
            moves, position = (*moves, cell), position.play(cell)
        if position.legal_moves:
            yield moves, position


def kind_of(position: Position, values: Mapping[int, int]) -> str:
    """Return how hard it is to keep what the position is worth, by the values of its cells."""
    if see_at_once(position) is not None:
        return "at a look"
    return HARD if len(set(values.values())) > 1 else "no wrong cell"


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
    parser.add_argument("--all", action="store_true", help="positions as they come")
    options = parser.parse_args(arguments)
    bitbully = peer("bitbully")
    if bitbully is None:
        return
    solver = bitbully.BitBully()
    search = Search(clock=time.process_time, seconds=options.seconds)
    kept, tried = Counter[str](), Counter[str]()
    for moves, position in games(Random(options.seed)):
        if not options.all and see_at_once(position) is not None:
            continue
        values = worth(bitbully, solver, moves, position)
        kind = kind_of(position, values)
        if not options.all and kind != HARD:
            continue
        best = max(values.values())
        thought = search.think(position)
        holds = all(values[cell] == best for cell in thought.cells)
        decade = len(moves) // 6 * 6
        for group in (kind, f"ply {decade:2} to {decade + 5:2}"):
            tried[group] += 1
            kept[group] += holds
        if not holds:
            print(f"{','.join(map(str, moves))}: {thought.cells} ({thought.reason}) of {values}")
        if tried.total() == 2 * options.positions:
            break
    for group in sorted(tried):
        print(f"{group}: {kept[group]:3} of {tried[group]:3}")
    right, all_of_them = kept.total() // 2, tried.total() // 2
    print(f"kept: {right} of {all_of_them}, {right / all_of_them:.1%}")


if __name__ == "__main__":
    main()
