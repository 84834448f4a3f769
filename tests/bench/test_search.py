"""The programs about `search` run. How fast or strong it is, they tell by hand."""

import pytest

from tests.bench import deadline, keeping, match


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
