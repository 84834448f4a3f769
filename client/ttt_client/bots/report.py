"""Lines about a bot: its games with the score, its failures, and a log of its pipe."""

import json
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Any, TextIO

from ttt_client.bots.player import FinishedGame
from ttt_client.bots.process import OnLine, Reply
from ttt_client.model.score import SeriesScore
from ttt_client.model.words import OUTCOMES
from ttt_client.terminal.stdout import Output
from ttt_protocol.bots.failures import BotFailed
from ttt_protocol.text import plural


@dataclass(eq=False)
class LineReport:
    """Prints a line for each game and each failure, and keeps the score.

    Args:
        output: standard output and error.
        name: stands in front of what the program writes on its standard error.
        json_lines: print JSON in place of words.
        log: takes every line at the pipe, with a time.
    """

    output: Output
    name: str
    _: KW_ONLY
    json_lines: bool = False
    log: TextIO | None = None
    now: Callable[[], datetime] = datetime.now
    score: SeriesScore = field(default=SeriesScore(), init=False)
    forfeits: int = field(default=0, init=False)
    """The games that the program lost by giving no move."""
    first_forfeit: BotFailed | None = field(default=None, init=False)
    _failures: dict[str, BotFailed] = field(default_factory=dict, init=False)
    """By room: why the running game will be lost."""
    _log_error: OSError | None = field(default=None, init=False)

    def pipe_of(self, room: str) -> OnLine:
        """Return the callback for each line at the pipe of the program in this room."""

        def on_line(mark: str, line: str) -> None:
            self._write(f"{room} {mark} {line}")
            if mark == "!":
                self.output.warn(f"{self.name}: {line}")

        return on_line

    def moved(self, room: str, cell: int, reply: Reply, round_trip_s: float | None) -> None:
        """Log a move and what it cost.

        Raises:
            OSError: this line or an earlier one could not be written.
        """
        network = "" if round_trip_s is None else f", {1000 * round_trip_s:.1f} ms round trip"
        self._write(f"{room} = cell {cell}, {1000 * reply.seconds:.1f} ms thought{network}")
        if self._log_error is not None:
            raise self._log_error

    def failed(self, room: str, failure: BotFailed, what_then: str, *, loses: bool = False) -> None:
        """Report a failure, and what follows from it."""
        if loses:
            self._failures[room] = failure
        self._write(f"{room} = {failure}; {what_then}")
        if self.json_lines:
            self._print(type="failure", room=room, kind=failure.kind, detail=failure.detail)
        self.output.warn(f"{room}: {self.name} {failure}; {what_then}")

    def finished(self, room: str, game: FinishedGame, games: int | None) -> None:
        """Report how a game ended, with the score so far; `games` is the planned number."""
        winner = game.outcome.winner
        self.score = self.score.with_(won=winner is game.seat, lost=winner is game.seat.other)
        failure = self._failures.pop(room, None)
        if failure is not None and winner is game.seat.other:
            self.forfeits += 1
            self.first_forfeit = self.first_forfeit or failure
        if self.json_lines:
            low, high = self.score.interval
            self._print(
                type="game",
                room=room,
                game=game.number,
                seat=game.seat,
                winner=winner,
                reason=game.outcome.reason,
                **self.score._asdict(),
                interval=[round(low, 4), round(high, 4)],
            )
            return
        result = "won" if winner is game.seat else "drawn" if winner is None else "lost"
        played, of = self.score.games, "" if games is None else f" of {games}"
        so_far = f"{played}{of} {plural(games or played, 'game')}"
        because = OUTCOMES[game.outcome.reason] if failure is None else failure
        self.output.say(
            f"{room}, game {game.number}: {result} as {game.seat}, {because}; "
            f"{so_far}, {self.score}"
        )

    def say(self, words: str) -> None:
        """Say what the bot does; JSON output has no such lines."""
        if not self.json_lines:
            self.output.say(words)

    def _print(self, **fields: Any) -> None:
        self.output.raw(json.dumps(fields))

    def _write(self, line: str) -> None:
        """Write a line into the log, if there is one and it takes lines.

        `moved` raises the error: a line at the pipe comes in a callback of the loop.
        """
        if self.log is None or self._log_error is not None:
            return
        time = self.now().isoformat(timespec="milliseconds")
        try:
            self.log.write(f"{time} {line}\n")
            self.log.flush()
        except OSError as error:
            self._log_error = error
