"""A process that plays: a batch of games comes in, what is counted of it goes back.

Started by `workers`, with the number of its end of a pipe; it ends with the pipe.
"""

import sys
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection

from ttt_engine import Rules
from ttt_engine.arena import Batch, Player, play_batch
from ttt_engine.contestant import Contestant


def main() -> None:
    with Connection(int(sys.argv[1])) as pipe, suppress(EOFError, ConnectionError):
        while True:  # until whoever asks has ended
            batch: Batch = pipe.recv()
            first, second = (_player(one, batch.rules) for one in batch.pair)
            pipe.send(play_batch(batch, first, second))


@cache  # what a player remembers serves all its games
def _player(contestant: Contestant, rules: Rules) -> Player:
    return Player(contestant.make(rules))


if __name__ == "__main__":
    main()
