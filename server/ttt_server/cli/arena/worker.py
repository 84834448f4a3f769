"""A worker process of the arena: a batch of games comes in, and their counts go back.

Its argument is the time limit of a thought, in seconds. A strategy that takes longer ends the
process by an alarm.
"""

import sys
from collections.abc import Mapping
from functools import cache
from signal import ITIMER_REAL, setitimer
from typing import Any

from ttt_engine import Position, Rules
from ttt_engine.arena.confidence import Record
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import Batch, Forfeits, Match, Player, play_batch
from ttt_engine.strategies import Strategy
from ttt_server.ai.worker import STDERR, serve

_LONGEST_REASON = 1000
"""In characters, of why a strategy forfeits."""


def main() -> None:
    limit_s = float(sys.argv[1])
    serve(lambda question: _played(batch_of(question), limit_s), output=STDERR)


def as_question(batch: Batch) -> dict[str, Any]:
    """Return the batch as JSON; `batch_of` reads it."""
    return {
        "pair": [[contestant.name, contestant.level] for contestant in batch.pair],
        "rules": str(batch.rules),
        "seed": batch.seed,
        "games": [batch.games.start, batch.games.stop],
    }


def batch_of(question: Mapping[str, Any]) -> Batch:
    """Return the batch that `as_question` wrote."""
    first, second = (Contestant(name, level) for name, level in question["pair"])
    rules = Rules.parse(question["rules"])
    return Batch((first, second), rules, question["seed"], range(*question["games"]))


def _played(batch: Batch, limit_s: float) -> dict[str, Any]:
    first, second = (_player(one, batch.rules, limit_s) for one in batch.pair)
    as_x, as_o, *forfeits = play_batch(batch, first, second)
    return {"match": [as_x, as_o, *map(_shortened, forfeits)]}


def match_of(answer: Mapping[str, Any]) -> Match:
    """Return the counts of a batch out of the answer of a worker."""
    as_x, as_o, first, second = answer["match"]
    return Match(Record(*as_x), Record(*as_o), Forfeits(*first), Forfeits(*second))


def _shortened(forfeits: Forfeits) -> Forfeits:
    return forfeits._replace(reason=forfeits.reason[:_LONGEST_REASON])


class _TimedPlayer(Player):
    """A player whose thoughts set an alarm. Its signal has no handler, so it ends the process."""

    def __init__(self, strategy: Strategy, limit_s: float) -> None:
        super().__init__(strategy)
        self._limit_s = limit_s

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        setitimer(ITIMER_REAL, self._limit_s)
        try:
            return super().ask(position, moves)
        finally:
            setitimer(ITIMER_REAL, 0)


@cache  # a player remembers its thoughts for all its games
def _player(contestant: Contestant, rules: Rules, limit_s: float) -> Player:
    return _TimedPlayer(contestant.make(rules), limit_s)


if __name__ == "__main__":
    main()
