"""Draw positions of four in a row to learn from, each with its value by the solver bitbully.

    python -m tests.bench.draw_positions --seconds 2400 --seed 1 positions.txt

A line of the file is a position: the cells of the side to move and of the other, as numbers, and 1,
0 or -1 as the side to move wins, draws or loses. They are like those where a search ends: after
some moves at random both sides see wins and blocks at once, and most often play what looks good.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from tests.bench.peers import peer
from ttt_engine import Position
from ttt_engine.bitboard import cells_of
from ttt_engine.outcome import sign
from ttt_engine.rules import FOUR_IN_A_ROW
from ttt_engine.search.state import BoardState, board_of, options_of

_PLIES: Final = (10, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 20, 21, 22, 24)
"""The numbers of moves after which a position is taken, as often as they stand here."""

_FORCED: Final = 4
"""The most moves beyond that while a side has to block."""

_CHANCE: Final = 60
"""The most that chance adds to the estimate of a move that looks good."""


def draw(random: Random) -> tuple[list[int], BoardState] | None:
    """Return moves and the quiet position after them, or None where the game is decided."""
    board = board_of(FOUR_IN_A_ROW)
    state, moves = board.state(Position.start(FOUR_IN_A_ROW)), list[int]()
    at_random, plies = random.randint(4, 11), random.choice(_PLIES)
    greedy = random.choice((0.0, 0.3, 0.6, 0.9))
    while True:
        value, cells, forced = options_of(FOUR_IN_A_ROW, state)
        if value is not None or len(moves) > plies + _FORCED:
            return None
        if len(moves) >= plies and not forced:
            return moves, state
        if len(moves) < at_random:
            cells = FOUR_IN_A_ROW.playable(state.own | state.other)
        choice = cells_of(cells)
        if len(moves) >= at_random and len(choice) > 1 and random.random() < greedy:
            worths = {
                cell: board.estimate(board.place(state, cell)) + random.random() * _CHANCE
                for cell in choice
            }
            cell = min(worths, key=worths.__getitem__)
        else:
            cell = random.choice(choice)
        moves.append(cell)
        state = board.place(state, cell)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="to which they are added")
    parser.add_argument("--seconds", type=float, default=2400.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    bitbully = peer("bitbully")
    if bitbully is None:
        return
    random, solver = Random(options.seed), bitbully.BitBully()
    end, drawn = time.monotonic() + options.seconds, 0
    with options.file.open("a") as file:
        while time.monotonic() < end or not drawn:
            found = draw(random)
            if found is None:
                continue
            moves, state = found
            board = bitbully.Board([cell % FOUR_IN_A_ROW.columns for cell in moves])
            value = sign(solver.negamax(board, -1, 1, 0))
            print(state.own, state.other, value, file=file)
            drawn += 1
    print(f"{drawn} positions")


if __name__ == "__main__":
    main()
