"""The programs about `search` run. How fast or strong it is, they tell by hand."""

import pytest

from tests.bench import deadline, forced_wins, keeping, match


def test_deadline(capsys: pytest.CaptureFixture[str]) -> None:
    deadline.main(["--levels", "0", "--sizes", "3"])
    assert "late by more than a fifth: " in capsys.readouterr().out


def test_keeping(capsys: pytest.CaptureFixture[str]) -> None:
    keeping.main(["--positions", "1", "--seconds", "0.01"])
    printed = capsys.readouterr().out
    assert printed.startswith("bitbully is not installed") or "kept: " in printed


def test_match(capsys: pytest.CaptureFixture[str]) -> None:
    match.main(["3x3x3", "--games", "1", "--seconds", "0.01"])
    printed = capsys.readouterr().out
    assert printed.startswith("pyspiel is not installed") or "3x3x3: " in printed


def test_forced_wins(capsys: pytest.CaptureFixture[str]) -> None:
    forced_wins.main(["--most", "1", "--seconds", "5"])
    assert "solved: " in capsys.readouterr().out


def test_forced_wins_of_the_set_are_proven_and_checked() -> None:
    shortest = sorted(forced_wins.forced_wins())[:6]
    assert len(forced_wins.forced_wins()) >= 50
    for _, moves in shortest:
        forced_wins.check(moves)
