import pytest

from tests.bench import engine


def test_it_runs_and_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    engine.main(["--games", "100", "--positions", "2"])
    printed = capsys.readouterr().out
    for name in ("minimax", "perfect", "rules", "lines"):
        assert f"ttt_engine {name}" in printed
    assert "games at random" in printed
