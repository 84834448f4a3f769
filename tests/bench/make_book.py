"""Make a book of four in a row: `python -m tests.bench.make_book 10`, in a minute or two.

The solver bitbully tells who wins in each position of eight marks, or of ten, in which the side to
move cannot win at once. A table is made in which three places together are the value of each: the
positions are taken in an order in which each has a place that none before it has, and so can be
given its value.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.bench.peers import peer
from ttt_engine.bitboard import cells_of
from ttt_engine.gravity import learnt
from ttt_engine.gravity.learnt import MARKS, Book, file_of, key_of, places_of
from ttt_engine.outcome import sign
from ttt_engine.rules import FOUR_IN_A_ROW

_ROOM: Final = 1.24
"""The places of the table for a position. With fewer than 1.23 there is no such order."""

_CODE: Final = {0: 0, 1: 1, -1: 2}


def positions(marks: int) -> dict[int, tuple[int, ...]]:
    """Return moves to each position of so many marks in which the side to move cannot win."""
    lines = FOUR_IN_A_ROW.lines
    found: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
    for _ in range(marks):
        after: dict[int, tuple[tuple[int, int], tuple[int, ...]]] = {}
        for (own, other), moves in found.items():
            for cell in cells_of(FOUR_IN_A_ROW.playable(own | other)):
                placed = own | 1 << cell
                if not lines.complete(placed):
                    after.setdefault(key_of(other, placed), ((other, placed), (*moves, cell)))
        found = dict(after.values())
    return {
        key_of(own, other): moves
        for (own, other), moves in found.items()
        if not lines.ends(own) & FOUR_IN_A_ROW.playable(own | other)
    }


def table_of(values: Mapping[int, int], seed: int) -> bytes | None:
    """Return the table with these values by key, or None where the seed has no such order."""
    third = (int(len(values) * _ROOM) // 12 + 1) * 4
    places = {key: places_of(key, seed, third) for key in values}
    keys_at: dict[int, set[int]] = defaultdict(set)
    for key, three in places.items():
        for place in three:
            keys_at[place].add(key)
    alone = [place for place, keys in keys_at.items() if len(keys) == 1]
    order: list[tuple[int, int]] = []
    while alone:
        place = alone.pop()
        if len(keys_at[place]) != 1:
            continue
        (key,) = keys_at[place]
        order.append((key, place))
        for each in places[key]:
            keys_at[each].discard(key)
            if len(keys_at[each]) == 1:
                alone.append(each)
    if len(order) < len(values):
        return None
    codes = [0] * (3 * third)
    for key, place in reversed(order):
        for each in places[key]:
            if each != place:
                codes[place] ^= codes[each]
        codes[place] ^= _CODE[values[key]]
    return bytes(
        sum(code << 2 * index for index, code in enumerate(codes[begin : begin + 4]))
        for begin in range(0, len(codes), 4)
    )


def make(values: Mapping[int, int], seeds: Iterable[int] = range(1000)) -> tuple[bytes, int]:
    """Return a table of these values, and its seed."""
    for seed in seeds:
        table = table_of(values, seed)
        if table is not None:
            return table, seed
    raise ValueError("no seed gives an order: more room is needed")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("marks", type=int, help=" or ".join(map(str, MARKS)))
    parser.add_argument("--out", type=Path, help="elsewhere than into the package")
    options = parser.parse_args(arguments)
    bitbully = peer("bitbully")
    if bitbully is None:
        return
    solver, values = bitbully.BitBully(), dict[int, int]()
    for key, moves in positions(options.marks).items():
        board = bitbully.Board([cell % FOUR_IN_A_ROW.columns for cell in moves])
        values[key] = sign(solver.mtdf(board))
    table, seed = make(values)
    held = Book(table, seed)
    cells, full = FOUR_IN_A_ROW.cells, FOUR_IN_A_ROW.full
    assert all(held.value(key >> cells, key & full) == value for key, value in values.items())
    out = options.out or Path(learnt.__file__).with_name(file_of(options.marks))
    out.write_bytes(held.to_bytes())
    print(f"{len(values)} positions in {len(table)} bytes")


if __name__ == "__main__":
    main()
