"""What the command refuses; `tests/integration/test_arena.py` runs it."""

import pytest

from tests.engine.installed import install
from ttt_server.cli.arena.command import run

Captured = pytest.CaptureFixture[str]


def refused(capsys: Captured, command: str) -> str:
    """The one line with which the command ends, with status 2."""
    try:
        status: int | str | None = run(command.split())
    except SystemExit as exit_:
        status = exit_.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    line = str(err)
    assert line.startswith("ttt-server arena: ")
    assert line.endswith("\n")
    assert line.count("\n") == 1
    return line


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("zap rules", "no strategy 'zap'; there are: brute, "),
        ("rules minimax:12", "minimax:12: a level is 0 to 9"),
        ("rules minimax:x", "minimax:x: a level is 0 to 9"),
        ("minimax:-1 rules", "minimax:-1: a level is 0 to 9"),
        ("rules random --rules 4x4x4", "rules does not play 4x4x4; there are: guard, lines, "),
        ("rules", "name two strategies, or all; there are: brute, "),
        ("", "name two strategies, or all; there are: brute, "),
        ("all -n 0", "-n/--games: 0: must be a whole number from 1"),
        ("all -n -5", "-n/--games: "),
        ("all -n ten", "-n/--games: ten: must be a whole number from 1"),
        ("all --workers 0", "--workers: 0: must be a whole number from 1"),
        ("all --seed x", "--seed: "),
        ("all --limit-s 0", "--limit-s: 0: must be seconds, up to a day"),
        ("all --limit-s soon", "--limit-s: soon: must be seconds, up to a day"),
        ("all --limit-s nan", "--limit-s: nan: must be seconds, up to a day"),
        ("all --rules 2x2x2", "--rules: 2 columns, 2 rows: each must be 3 to 20"),
        ("all --rules 3x3", "--rules: "),
        ("all --fast", "--fast"),
        ("exec:./nothing-there rules", "./nothing-there is not there"),
        ("gomocup:sh rules", "Gomocup engines play five in a row"),
        ("rules random --sprt 20,0", "--sprt: 20,0: must be two differences in Elo, as 0,20"),
        ("rules random --sprt x", "--sprt: x: must be"),
        ("rules random lines --sprt 0,20", "--sprt is for a match of two"),
        ("rules random --resume", "--resume needs --save FILE"),
        ("rules random --opening swap", "invalid choice: 'swap'"),
        ("rules random --opening swap2", "--opening swap2: swap2 needs 4 in a row or more"),
        ("rules random --opening pie --openings 2", "--opening and --openings exclude"),
        ("rules random --openings 9", "3x3x3 has no openings of 9 moves"),
    ],
)
def test_one_line_and_status_2(capsys: Captured, command: str, words: str) -> None:
    assert words in refused(capsys, command)


def test_what_is_told_is_clean(capsys: Captured) -> None:
    assert "\x1b" not in refused(capsys, "rules \x1b[31mzap")
    assert "\x1b" not in refused(capsys, "rules random \x1b[31m-n")
    assert "\x1b" not in refused(capsys, "all -n \x1b[31m")


def test_a_broken_strategy_is_no_wrong_usage(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, broken=7)
    assert run(["rules", "broken"]) == 1
    assert "strategy 'broken' cannot be made" in capsys.readouterr().err
