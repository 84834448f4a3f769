"""The program about many servers runs. What they cost, it tells by hand."""

import sys

import pytest

from tests.bench.many import __main__ as many

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measures another process")


@pytest.mark.slow
@pytest.mark.heavy
def test_it_runs_and_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    many.main(["--quick", "--only", "failover"])
    assert f"\nfailover\n  {many.KILLED} " in capsys.readouterr().out


def test_a_bound_is_judged_by_the_median_and_that_of_a_kill_by_the_p95() -> None:
    assert many.shown("refused moves", [0, 1, 0]).endswith("at most 0: met")
    assert many.shown("refused moves", [0, 1, 1]).endswith("at most 0: NOT MET")
    assert many.shown(many.KILLED, [30.0] * 20 + [1200.0]).endswith("at most 1000: met")
    assert many.shown(many.KILLED, [30.0] * 10 + [1200.0]).endswith("at most 1000: NOT MET")
    assert "at most" not in many.shown("moves/s of two servers", [4000.0])
