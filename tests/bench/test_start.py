import pytest

from tests.bench import start


def test_it_runs_and_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    start.main(["--rounds", "1"])
    printed = capsys.readouterr().out
    assert [line.split("  ")[0] for line in printed.splitlines()] == list(start.STARTS)
