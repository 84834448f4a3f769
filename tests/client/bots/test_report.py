import errno
import io
import json
import os
from datetime import datetime

import pytest

from ttt_client.bots.player import FinishedGame
from ttt_client.bots.process import Reply
from ttt_client.bots.report import LineReport
from ttt_client.terminal.stdout import Output
from ttt_protocol.bots.failures import too_slow
from ttt_protocol.bots.language import Answer
from ttt_protocol.codes import Reason
from ttt_protocol.state import Mark, Outcome

X_WINS = FinishedGame(3, Mark.X, Outcome(winner=Mark.X, reason=Reason.LINE))


class FullDisk(io.StringIO):
    def flush(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Lines:
    """A report with its output at hand."""

    def __init__(self, *, json_lines: bool = False, log: io.StringIO | None = None) -> None:
        self.out, self.err, self.log = io.StringIO(), io.StringIO(), log or io.StringIO()
        output = Output(self.out, self.err, ascii_only=False)
        noon = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - a local time, as the log's
        self.report = LineReport(
            output, "mybot", json_lines=json_lines, log=self.log, now=lambda: noon
        )


def test_a_game_is_a_line_with_the_score_and_its_interval() -> None:
    lines = Lines()
    lines.report.finished("den", X_WINS, 10)
    lines.report.finished("den", X_WINS._replace(seat=Mark.O), None)
    first, second = lines.out.getvalue().splitlines()
    assert first == (
        "den, game 3: won as X, a line; 1 of 10 games, 1 won, 0 drawn, 0 lost: 100 % (21 to 100)"
    )
    assert "lost as O, a line; 2 games, 1 won, 0 drawn, 1 lost" in second


def test_as_json() -> None:
    lines = Lines(json_lines=True)
    lines.report.finished("den", X_WINS, None)
    lines.report.failed("den", too_slow(1, 1.5), "resigned")
    lines.report.say("not said")
    game, failure = map(json.loads, lines.out.getvalue().splitlines())
    assert (game["type"], game["winner"], game["won"]) == ("game", "X", 1)
    assert (failure["type"], failure["kind"]) == ("failure", "too slow")


def test_a_failure_and_standard_error_have_the_name_in_front() -> None:
    lines = Lines()
    lines.report.failed("den", too_slow(1, 1.5), "the game is resigned")
    lines.report.pipe_of("den")("!", "help")
    first, second = lines.err.getvalue().splitlines()
    slow = "too slow: 1.5 s of 1 s"
    assert first == f"ttt-client: den: mybot {slow}; the game is resigned"
    assert second == "ttt-client: mybot: help"


def test_a_forfeited_game_says_why() -> None:
    lines = Lines()
    lost = X_WINS._replace(seat=Mark.O, outcome=Outcome(winner=Mark.X, reason=Reason.FORFEIT))
    lines.report.failed("den", too_slow(2, 2.3), "the game is resigned", loses=True)
    lines.report.finished("den", lost, 1)
    assert "game 3: lost as O, too slow: 2.3 s of 2 s; 1 of 1 game" in lines.out.getvalue()
    assert (lines.report.forfeits, lines.report.score.games) == (1, 1)
    lines.report.finished("den", lost, 2)  # of which no failure was told
    assert (lines.report.forfeits, lines.report.score.games) == (1, 2)


def test_the_log_has_every_line_and_the_costs_of_a_move() -> None:
    lines = Lines()
    lines.report.pipe_of("den")(">", "{}")
    lines.report.moved("den", 4, Reply(Answer(4), 0.0125, ""), 0.003)
    lines.report.moved("den", 5, Reply(Answer(5), 0.001, ""), None)
    assert lines.log.getvalue().splitlines() == [
        "2026-01-01T12:00:00.000 den > {}",
        "2026-01-01T12:00:00.000 den = cell 4, 12.5 ms thought, 3.0 ms round trip",
        "2026-01-01T12:00:00.000 den = cell 5, 1.0 ms thought",
    ]


def test_a_log_that_takes_no_line_is_told_of_at_the_move() -> None:
    lines = Lines(log=FullDisk())
    lines.report.pipe_of("den")(">", "{}")
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            lines.report.moved("den", 4, Reply(Answer(4), 0.0125, ""), 0.003)


def test_without_a_log_nothing_is_written() -> None:
    out = io.StringIO()
    LineReport(Output(out, out, ascii_only=False), "mybot").pipe_of("den")("<", "{}")
    assert out.getvalue() == ""
