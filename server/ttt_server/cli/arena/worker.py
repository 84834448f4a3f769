"""A process that plays: a batch of games comes in, what is counted of it goes back.

Started by `workers`, with the number of its end of a pipe, and how many seconds a thought may
take: one that takes longer ends the process. So does the end of the pipe.
"""

import sys
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from signal import ITIMER_REAL, setitimer

from ttt_engine import Position, Rules
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import Batch, Player, play_batch
from ttt_engine.strategies import Strategy


def main() -> None:
    limit_s = float(sys.argv[2])
    with Connection(int(sys.argv[1])) as pipe, suppress(EOFError, ConnectionError):
        while True:  # until whoever asks has ended
            batch: Batch = pipe.recv()
            first, second = (_player(one, batch.rules, limit_s) for one in batch.pair)
            pipe.send(play_batch(batch, first, second))


class _TimedPlayer(Player):
    """One for whom an alarm is set. Nobody listens for it, so it cannot be slept through."""

    def __init__(self, strategy: Strategy, limit_s: float) -> None:
        super().__init__(strategy)
        self._limit_s = limit_s

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        setitimer(ITIMER_REAL, self._limit_s)
        try:
            return super().ask(position, moves)
        finally:
            setitimer(ITIMER_REAL, 0)


@cache  # what a player remembers serves all its games
def _player(contestant: Contestant, rules: Rules, limit_s: float) -> Player:
    return _TimedPlayer(contestant.make(rules), limit_s)


if __name__ == "__main__":
    main()
