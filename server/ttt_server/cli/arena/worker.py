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
from ttt_engine.arena.match import Batch, Game, NoMove, PairGame, Player, Times, play_batch
from ttt_engine.openings.opening import Choice, Setup
from ttt_engine.strategies import Strategy
from ttt_protocol import codes, state
from ttt_protocol.bots.conversation import BotProtocol
from ttt_protocol.bots.failures import BotError, BotFailed
from ttt_protocol.bots.language import BotTurn, GameEnd, UnplayableBoard
from ttt_server.ai.program import Program
from ttt_server.ai.worker import STDERR, serve
from ttt_server.cli.arena.entrants import Command, command_of
from ttt_server.core.room import wire_rules

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
    first, second = (_player(one, batch.rules, limits, at) for at, one in enumerate(batch.pair))
    return {"games": [as_json(played) for played in play_batch(batch, first, second)]}


def as_json(played: PairGame) -> dict[str, Any]:
    """Return a game as an object for JSON; `played_of` reads it."""
    number, game, *times = played
    forfeit = None if game.forfeit is None else game.forfeit[:_LONGEST_REASON]
    told = {"game": number, "moves": game.moves, "winner": game.winner, "forfeit": forfeit}
    swapped = {"swapped": True} if game.is_swapped else {}
    return told | swapped | ({"times": times} if any(one.moves for one in times) else {})


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


class _ProgramPlayer(Player):
    """A program. Its answers are not cached: it may answer the same question differently."""

    def __init__(self, command: Command, level: int | None, rules: Rules, limits: Limits) -> None:
        protocol = BotProtocol(command.protocol)
        self._program = Program(command.words, protocol, level, limits.tolerance_s)
        self._rules = wire_rules(rules)
        self._time_ms = round(1000 * limits.program_s)
        self._game = 0
        self._times = Times()

    def begin(self, mark: Mark) -> None:  # noqa: ARG002 - each turn tells it
        self._game += 1

    def end(self, game: Game) -> None:
        if game.forfeit is not None:
            reason = codes.Reason.FORFEIT
        else:
            reason = codes.Reason.FULL if game.winner is None else codes.Reason.LINE
        winner = None if game.winner is None else state.Mark(game.winner)
        self._program.tell_end(GameEnd(winner, reason))

    def take_times(self) -> Times:
        times, self._times = self._times, Times()
        return times

    def cells(self, position: Position, moves: tuple[int, ...]) -> tuple[int, ...]:
        return self._move(position, moves, position.turn, codes.Opening.NONE)

    def place(self, position: Position, moves: tuple[int, ...], setup: Setup) -> tuple[int, ...]:
        return self._move(position, moves, setup.seat, codes.Opening(setup.kind))

    def choose(self, position: Position, moves: tuple[int, ...], setup: Setup) -> Choice:
        """Ask the program. It stays if it gives no choice, for it may not know openings."""
        asked = self._turn(position, moves, setup.seat, codes.Opening(setup.kind))
        asked = asked._replace(legal=(), choices=tuple(map(codes.Choice, setup.choices)))
        try:
            return Choice(self._program.choose(asked))
        except BotFailed:
            return Choice.STAY
        except (BotError, UnplayableBoard) as failure:
            raise NoMove(str(failure)) from None

    def _move(
        self, position: Position, moves: tuple[int, ...], seat: Mark, opening: codes.Opening
    ) -> tuple[int, ...]:
        try:
            answer, seconds = self._program.ask(self._turn(position, moves, seat, opening))
        except (BotError, UnplayableBoard) as failure:
            raise NoMove(str(failure)) from None
        count, total, longest = self._times
        self._times = Times(count + 1, total + seconds, max(longest, seconds))
        return (answer.cell,)

    def _turn(
        self, position: Position, moves: tuple[int, ...], seat: Mark, opening: codes.Opening
    ) -> BotTurn:
        return BotTurn(
            self._game,
            self._rules,
            state.Mark(seat),
            position.board,
            moves,
            position.legal_moves,
            self._time_ms,
            opening=opening,
        )


@cache  # strategies cache their thoughts for all games, and a program is started once
def _player(contestant: Contestant, rules: Rules, limits: Limits, place: int) -> Player:  # noqa: ARG001
    """`place`: of the two, as a program that plays itself is two processes."""
    command = command_of(contestant)
    if command is None:
        return _TimedPlayer(contestant.make(rules), limits.strategy_s)
    return _ProgramPlayer(command, contestant.level, rules, limits)


if __name__ == "__main__":
    main()
