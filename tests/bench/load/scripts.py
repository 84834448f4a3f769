"""Games that are known before they are played, so that whoever plays them need not think. Pure."""

from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

from tests.bench.load import frames
from ttt_engine import Position, Rules


class Script(NamedTuple):
    cells: tuple[int, ...]
    boards: tuple[str, ...]
    """After so many moves; the first is empty."""


def _script(random: Random) -> Script:
    position = Position.start(Rules())
    cells, boards = list[int](), [position.board]
    while position.outcome() is None:
        cells.append(random.choice(position.legal_moves))
        position = position.play(cells[-1])
        boards.append(position.board)
    return Script(tuple(cells), tuple(boards))


SCRIPTS: Final = tuple(_script(Random(seed)) for seed in range(64))


def script(table: int, game: int) -> Script:
    """What this table plays in its so-manieth game: neighbours differ, and so do its games."""
    return SCRIPTS[(table + 7 * game) % len(SCRIPTS)]


def expected(game: int, board: str) -> bytes:
    """What stands in an update after which the game is there."""
    return f'"number":{game},"board":"{board}"'.encode()


@lru_cache(maxsize=1 << 12)
def play(game: int, ply: int, cell: int) -> bytes:
    """The frame of a move."""
    return frames.text("play", game=game, ply=ply, cell=cell)
