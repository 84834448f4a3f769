"""Fit the judgement of four in a row to positions with their values, and write its weights.

    python -m tests.bench.draw_positions --seconds 2400 positions.txt
    python -m tests.bench.fit_judgement positions.txt

It is a logistic regression: the sum of the weights is the logarithm of the odds that the first
player wins, and a draw is half a win. Beside the contents of each part it has those of each line
and the ends of each column, which are seen more often; at the end they are added to the parts.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ttt_engine.gravity import learnt
from ttt_engine.gravity.learnt import FILE, PARTS, UNIT, Judgement, Part, packed
from ttt_engine.rules import FOUR_IN_A_ROW

_ROWS, _COLUMNS, _CELLS = FOUR_IN_A_ROW.rows, FOUR_IN_A_ROW.columns, FOUR_IN_A_ROW.cells
_RATE: Final = 0.02
_PULL: Final = {True: 1e-4, False: 1e-5}
"""How strongly weights are drawn to 0: those of parts, and those of lines and ends."""

_BATCH: Final = 4000


class Boards(NamedTuple):
    """Positions, as arrays of a row for each: whether each cell is a mark or an end."""

    first: Any
    second: Any
    first_ends: Any
    second_ends: Any
    second_moves: Any
    """Whether the second player is to move."""

    won: Any
    """1 where the first player wins, 1/2 where it draws, else 0."""


class Feature(NamedTuple):
    """What has weights of its own: parts that share them, by the numbers of their contents."""

    size: int
    indices: tuple[Any, ...]
    pull: float


def read(file: Path) -> Boards:
    """Read positions as `draw_positions` writes them."""
    rows = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
    own, other = (_bits([row[side] for row in rows]) for side in (0, 1))
    value = np.array([row[2] for row in rows])
    second_moves = (own.sum(1) + other.sum(1)) % 2 == 1
    first = np.where(second_moves[:, None], other, own)
    second = np.where(second_moves[:, None], own, other)
    won = (1 + np.where(second_moves, -value, value)) / 2
    ends = _ends(first, second), _ends(second, first)
    return Boards(first, second, *ends, second_moves, won)


def _bits(sets: list[int]) -> Any:
    shifted = np.array(sets, dtype=np.uint64)[:, None] >> np.arange(_CELLS, dtype=np.uint64)
    return (shifted & np.uint64(1)).astype(np.int64)


def _ends(marks: Any, others: Any) -> Any:
    ends = np.zeros_like(marks)
    for line in FOUR_IN_A_ROW.lines.cells:
        cells = list(line)
        short = (marks[:, cells].sum(1) == 3) & (others[:, cells].sum(1) == 0)
        ends[:, cells] |= short[:, None] & (marks[:, cells] == 0)
    return ends


def _indices(boards: Boards, part: Part) -> Any:
    """Return the number of the contents of the part in each position."""
    index = np.zeros(len(boards.won), dtype=np.int64)
    for cell in part.cells:
        first, second = boards.first[:, cell], boards.second[:, cell]
        if part.base == 4:
            first, second = first | boards.first_ends[:, cell], second | boards.second_ends[:, cell]
        index = index * part.base + first + 2 * second
    return index


def _digits(part: Part) -> Any:
    """Return what each cell of the part has, in a row for each of its contents."""
    places = part.base ** np.arange(len(part.cells) - 1, -1, -1)
    return np.arange(part.contents)[:, None] // places % part.base


def _heights_and_ends() -> Any:
    """Return, by the number of a column's contents, a number of its height and ends alone."""
    column = PARTS[-1]
    digits = _digits(column)
    free = np.logical_or.accumulate((digits == 0)[:, ::-1], axis=1)[:, ::-1]
    places = 4 ** np.arange(_ROWS - 1, -1, -1)
    return (~free).sum(1) * column.contents + (np.where(free, digits, 0) * places).sum(1)


def _lines() -> list[Part]:
    """Return the lines but for upright ones, of each line and its mirror image the first."""
    lines = [
        Part(cells, 3) for cells in FOUR_IN_A_ROW.lines.cells if cells[1] - cells[0] != _COLUMNS
    ]
    return [line for line in lines if min(line.cells) <= min(line.mirrored().cells)]


def _images(part: Part) -> tuple[Part, ...]:
    mirrored = part.mirrored()
    return (part,) if set(mirrored.cells) == set(part.cells) else (part, mirrored)


def features(boards: Boards) -> Iterator[Feature]:
    """Yield the parts, the columns' ends, the lines, and who is to move."""
    for part in PARTS:
        indices = tuple(_indices(boards, image) for image in _images(part))
        yield Feature(part.contents, indices, _PULL[True])
    ends = _heights_and_ends()
    for part in PARTS:
        if part.base == 4:
            indices = tuple(ends[_indices(boards, image)] for image in _images(part))
            yield Feature((_ROWS + 1) * part.contents, indices, _PULL[False])
    for line in _lines():
        indices = tuple(_indices(boards, image) for image in _images(line))
        yield Feature(line.contents, indices, _PULL[False])
    yield Feature(2, (boards.second_moves.astype(np.int64),), 0.0)


def fit(boards: Boards, rounds: int, check: int) -> list[Any]:
    """Return the weights of each feature, by Adam. So many positions are left out, to check."""
    every = list(features(boards))
    starts = np.cumsum([0, *(each.size for each in every)])
    columns = [start + i for each, start in zip(every, starts, strict=False) for i in each.indices]
    seen, places = np.unique(np.stack(columns, 1), return_inverse=True)
    places = places.reshape(len(boards.won), -1)
    pull = np.repeat([each.pull for each in every], [each.size for each in every])[seen]
    random = np.random.default_rng(1)
    order = random.permutation(len(boards.won))
    checked, learnt = order[:check], order[check:]
    found = np.zeros(len(seen))
    mean, square, step = np.zeros(len(seen)), np.zeros(len(seen)), 0
    for turn in range(rounds):
        random.shuffle(learnt)
        rate = _RATE * (1 - turn / rounds) + 0.001
        for begin in range(0, len(learnt), _BATCH):
            batch = learnt[begin : begin + _BATCH]
            error = _chance(found, places[batch]) - boards.won[batch]
            errors = np.repeat(error, places.shape[1])
            slope = np.bincount(places[batch].ravel(), errors, len(found)) / len(batch)
            slope += pull * found
            step += 1
            mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
            square_now = np.sqrt(square / (1 - 0.999**step)) + 1e-6
            found -= rate * mean / (1 - 0.9**step) / square_now
        for name, some in ("learnt", learnt[:check]), ("checked", checked):
            print(
                f"round {turn + 1}, {name}: {_told(_chance(found, places[some]), boards.won[some])}"
            )
    whole = np.zeros(starts[-1])
    whole[seen] = found
    return [whole[start : start + each.size] for each, start in zip(every, starts, strict=False)]


def _chance(found: Any, places: Any) -> Any:
    return 1 / (1 + np.exp(-found[places].sum(1)))


def _told(chance: Any, won: Any) -> str:
    loss = -np.mean(won * np.log(chance + 1e-9) + (1 - won) * np.log(1 - chance + 1e-9))
    decided = won != 1 / 2
    right = np.mean((chance > 1 / 2)[decided] == (won > 1 / 2)[decided])
    return f"loss {loss:.4f}, right about {right:.1%} of wins and losses"


def fold(found: list[Any]) -> tuple[bytes, list[int]]:
    """Add the weights of lines and ends to those of parts; return these and those of the move."""
    flat = [part for part in PARTS if part.base == 3]
    uprights = len(PARTS) - len(flat)
    parts, ends = found[: len(PARTS)], found[len(PARTS) : len(PARTS) + uprights]
    for number, worths in enumerate(ends, len(flat)):
        parts[number] = parts[number] + worths[_heights_and_ends()]
    holders = [set(image.cells) for part in flat for image in _images(part)]
    for line, worths in zip(_lines(), found[len(PARTS) + uprights : -1], strict=True):
        for image in _images(line):
            share = sum(set(image.cells) <= holder for holder in holders)
            for number, part in enumerate(flat):
                if set(image.cells) <= set(part.cells):
                    at = [part.cells.index(cell) for cell in image.cells]
                    index = (_digits(part)[:, at] * 3 ** np.arange(3, -1, -1)).sum(1)
                    parts[number] = parts[number] + worths[index] / share
    raw = b"".join(_whole(part, worths) for part, worths in zip(PARTS, parts, strict=True))
    return raw, [round(float(worth) * UNIT) for worth in found[-1]]


def _whole(part: Part, worths: Any) -> bytes:
    """Return the weights as bytes: 0 where a mark would hang in the air."""
    digits = _digits(part)
    possible = np.ones(part.contents, dtype=bool)
    for place, cell in enumerate(part.cells):
        if part.base == 3 and cell + _COLUMNS in part.cells:
            below = part.cells.index(cell + _COLUMNS)
            possible &= (digits[:, place] == 0) | (digits[:, below] != 0)
    limited = np.clip(np.rint(worths * UNIT), -127, 127)
    return bytes(np.where(possible, limited, 0).astype(np.int8).tobytes())


def right(judged: Judgement, boards: Boards, most: int) -> float:
    """Return the part of the decided positions about whose winner the judgement is right."""
    agreed = []
    for number in np.flatnonzero(boards.won != 1 / 2)[:most]:
        sets = [int("".join(map(str, each[number][::-1])), 2) for each in boards[:4]]
        turned = boards.second_moves[number]
        if turned:
            sets = [sets[1], sets[0], sets[3], sets[2]]
        worth = judged.judge(*sets)
        agreed.append((worth > 0) == (boards.won[number] == (0 if turned else 1)))
    return float(np.mean(agreed))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="of `draw_positions`")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--check", type=int, default=4000)
    parser.add_argument("--out", type=Path, default=Path(learnt.__file__).with_name(FILE))
    options = parser.parse_args(arguments)
    boards = read(options.file)
    raw, to_move = fold(fit(boards, options.rounds, options.check))
    judged = Judgement(raw, to_move[0], -to_move[1])
    print(f"in whole numbers: right about {right(judged, boards, options.check):.1%}")
    options.out.write_bytes(packed(raw, to_move[0], -to_move[1]))


if __name__ == "__main__":
    main()
