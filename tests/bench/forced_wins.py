"""How many forced wins `search` finds, of a set of positions of 15x15 with a proven one.

    python -m tests.bench.forced_wins                     # the share that level 9 solves
    python -m tests.bench.forced_wins --make 60 > tests/bench/forced_wins.txt

The set was made by the search for threats itself, with a budget of 30 000 positions, from games
of `search` at 10 ms a move. `tests/engine/threats/checker.py`, which
shares no code with it, has checked each win against every legal answer.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from tests.engine.threats.checker import Answers, Cells, NotWonError, check_win
from ttt_engine import Position, Rules
from ttt_engine.bitboard import cells_of
from ttt_engine.search.budget import Budget, Exhausted
from ttt_engine.search.proof import Proof
from ttt_engine.strategies import Search
from ttt_engine.threats.board import threat_board_of

RULES: Final = Rules(15, 15, 5)
POSITIONS: Final = Path(__file__).with_suffix(".txt")
BUDGET: Final = 30_000
"""The positions in which a win must be proven: several times what level 9 has for it."""

SHORTEST: Final = 7
"""Wins of fewer plies are seen at a look."""


class ForcedWin(NamedTuple):
    plies: int
    """The side to move wins within so many."""
    moves: tuple[int, ...]


def forced_wins() -> list[ForcedWin]:
    """The set: a line each, the plies of the win and the moves before it."""
    rows = [line.split() for line in POSITIONS.read_text().splitlines()]
    return [ForcedWin(int(plies), tuple(map(int, moves.split(",")))) for plies, moves in rows]


def answers(moves: Sequence[int], budget: int) -> tuple[int, Answers] | None:
    """The plies of a win, and the winner's moves; None if it is not proven."""
    board = threat_board_of(RULES)
    proof = Proof(board, Budget(budget))
    try:
        root = proof.prove(board.state(Position.after(moves, RULES)))
    except Exhausted:
        return None
    if root.proof:
        return None
    tree: dict[tuple[Cells, Cells], int] = {}
    nodes = [root]
    for node in nodes:
        if node.attacks:
            cell = proof.first(node)
            own, other = cells_of(node.state.own), cells_of(node.state.other)
            tree[frozenset(own), frozenset(other)] = cell
            nodes += [kid for taken, kid in node.kids if taken == cell]
        else:
            nodes += [kid for _, kid in node.kids]
    return root.plies, tree


def games(random: Random) -> Iterator[tuple[int, ...]]:
    """The moves of games between searches of 10 ms, from five random marks around the middle."""
    search = Search(seconds=0.01)
    while True:
        moves: list[int] = []
        while len(moves) < 5:
            cell = (7 + random.randint(-3, 3)) * 15 + 7 + random.randint(-3, 3)
            if cell not in moves:
                moves.append(cell)
        position = Position.after(moves, RULES)
        while position.outcome() is None:
            moves.append(random.choice(search.think(position).cells))
            position = position.play(moves[-1])
        yield tuple(moves)


def make(count: int, random: Random) -> None:
    """Print positions of games in which the side to move has a long forced win."""
    for moves in games(random):
        longest: tuple[int, int] | None = None
        # From the end of the game back, as long as the winner's win is still proven.
        for ply in range(len(moves) - 5, 5, -2):
            found = answers(moves[:ply], BUDGET)
            if found is None:
                break
            longest = found[0], ply
        if longest is not None and longest[0] >= SHORTEST:
            plies, ply = longest
            check(moves[:ply])
            print(plies, ",".join(map(str, moves[:ply])), flush=True)
            count -= 1
        if not count:
            return


def check(moves: tuple[int, ...]) -> None:
    """Check the win in a position of the set.

    Raises:
        NotWonError: the win has a hole.
    """
    found = answers(moves, BUDGET)
    if found is None:
        raise NotWonError
    check_win(RULES.columns, RULES.in_a_row, moves, found[1])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--make", type=int, default=0, help="so many positions, in place of solving"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of processor time, a position")
    parser.add_argument("--most", type=int, default=1000, help="positions of the set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.make:
        make(options.make, Random(options.seed))
        return
    search = Search(clock=time.process_time, seconds=options.seconds)
    chosen = forced_wins()[: options.most]
    solved = 0
    for plies, moves in chosen:
        found = search.search(Position.after(moves, RULES))
        solved += found.value == 1
        if found.value != 1:
            print(f"not solved, {plies} plies: {','.join(map(str, moves))}")
    print(f"solved: {solved} of {len(chosen)}, {solved / len(chosen):.0%}")


if __name__ == "__main__":
    main()
