"""A worker process of the arena: it plays batches of games.

Its arguments are the fields of `Limits`. A strategy that takes longer ends the process by an alarm;
a program is killed, and forfeits.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from signal import ITIMER_REAL, setitimer
from typing import Any, NamedTuple

from ttt_engine import Mark, Position, Rules
from ttt_engine.arena.contestant import Contestant
from ttt_engine.arena.match import Batch, Game, PairGame, Player, Times, play_batch
from ttt_engine.openings.opening import Choice, Setup
from ttt_engine.strategies import Strategy
from ttt_server.ai.worker import STDERR, serve
from ttt_server.cli.arena.entrants import command_of
from ttt_server.cli.arena.program_player import ProgramPlayer

_LONGEST_REASON = 300
"""In characters, of the reason for a forfeit."""


class Limits(NamedTuple):
    """The time limits of a move, in seconds."""

    strategy_s: float
    program_s: float
    tolerance_s: float
    """How long after its limit a program's move still counts."""


def main() -> None:
    limits = Limits(*map(float, sys.argv[1:]))
    serve(lambda question: _played(batch_of(question), limits), output=STDERR)


def as_question(batch: Batch) -> dict[str, Any]:
    """Return the batch as JSON; `batch_of` reads it."""
    return {
        "pair": [[contestant.name, contestant.level] for contestant in batch.pair],
        "rules": str(batch.rules),
        "seed": batch.seed,
        "games": batch.games,
        "opening": batch.opening,
    }


def batch_of(question: Mapping[str, Any]) -> Batch:
    """Return the batch that `as_question` wrote."""
    first, second = (Contestant(name, level) for name, level in question["pair"])
    rules, games = Rules.parse(question["rules"]), tuple(question["games"])
    return Batch((first, second), rules, question["seed"], games, question["opening"])


def _played(batch: Batch, limits: Limits) -> dict[str, Any]:
    first, second = (
        _player(one, batch.rules, limits, place) for place, one in enumerate(batch.pair)
    )
    return {"games": [as_json(played) for played in play_batch(batch, first, second)]}


def as_json(played: PairGame) -> dict[str, Any]:
    """Return a game as an object for JSON; `played_of` reads it."""
    number, game, *times = played
    forfeit = None if game.forfeit is None else game.forfeit[:_LONGEST_REASON]
    told = {"game": number, "moves": game.moves, "winner": game.winner, "forfeit": forfeit}
    if game.is_swapped:
        told["swapped"] = True
    return told | ({"times": times} if any(one.moves for one in times) else {})


def played_of(told: Mapping[str, Any]) -> PairGame:
    """Return the game that `as_json` wrote."""
    winner = None if told["winner"] is None else Mark(told["winner"])
    swapped = told.get("swapped", False)
    game = Game(tuple(told["moves"]), winner, told["forfeit"], swapped)
    first, second = told.get("times", ((), ()))
    return PairGame(told["game"], game, Times(*first), Times(*second))


class _TimedPlayer(Player):
    """A player whose thoughts set an alarm. Its signal has no handler, so it ends the process."""

    def __init__(self, strategy: Strategy, limit_s: float) -> None:
        super().__init__(strategy)
        self._limit_s = limit_s

    def ask(self, position: Position, moves: tuple[int, ...] | None) -> tuple[int, ...]:
        with self._limit():
            return super().ask(position, moves)

    def place(self, position: Position, moves: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        with self._limit():
            return super().place(position, moves, setup)

    def choose(self, position: Position, moves: tuple[int, ...], setup: Setup) -> Choice:
        with self._limit():
            return super().choose(position, moves, setup)

    @contextmanager
    def _limit(self) -> Iterator[None]:
        setitimer(ITIMER_REAL, self._limit_s)
        try:
            yield
        finally:
            setitimer(ITIMER_REAL, 0)


@cache  # strategies cache their thoughts for all games, and a program is started once
def _player(
    contestant: Contestant,
    rules: Rules,
    limits: Limits,
    place: int,  # noqa: ARG001 - a program that plays itself is two processes
) -> Player:
    command = command_of(contestant)
    if command is None:
        return _TimedPlayer(contestant.make(rules), limits.strategy_s)
    return ProgramPlayer(command, contestant.level, rules, limits.program_s, limits.tolerance_s)


if __name__ == "__main__":
    main()
