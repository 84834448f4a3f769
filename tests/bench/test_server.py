"""The benchmark runs, whole and small. How fast the server is, it tells by hand."""

import math
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench import report, rows
from tests.bench.__main__ import main
from tests.bench.server import descendants
from tests.bench.subjects import SERVERS, SUBJECTS
from tests.integration.programs import PATIENCE_S
from ttt_engine.strategies import names

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measures another process")

ROOT = Path(__file__).parents[2]
BENCH = (sys.executable, "-m", "tests.bench")
TINY = (
    # Shorter, a window has no sample in it where the machine holds its breath.
    *("--quick", "--seconds", "0.5", "--rooms", "3", "--paced-rooms", "5"),
    *("--spectators", "3", "--connections", "20"),
)


@pytest.mark.slow
@pytest.mark.heavy
def test_every_table_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [*BENCH, *TINY, "--json", "--plot", str(tmp_path), "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "fault" not in done.stderr
    measured, machine = rows.read(done.stdout.splitlines())
    assert machine is not None
    assert machine.python

    cases = {name: [row.case for row in measured if row.table == name] for name in SUBJECTS}
    assert cases["play"] == [{"rooms": 3, "server": name} for name in SERVERS]
    assert cases["thought"] == [{"strategy": name} for name in names() if name != "exact"]
    assert [len(cases[name]) for name in ("paced", "fan-out", "join", "ai", "memory", "start")] == [
        *(1, 1, 2, 2, 4, 2)
    ]
    for row in measured:
        for figure, value in row.figures.items():
            assert math.isfinite(value), row
            assert value > 0 or is_of_memory(row, figure) or is_of_the_processor(figure), row
    for figure in {figure for row in measured for figure in row.figures}:
        assert any(row.figures.get(figure) for row in measured), figure
    for name, table in report.TABLES.items():
        assert_is_full(table, [row for row in measured if row.table == name])

    assert {file.name for file in tmp_path.glob("*.svg")} == {
        "cost-of-a-move.svg",
        "cost-of-a-delivery.svg",
    }
    kept = tmp_path / "bench.jsonl"
    kept.write_text(done.stdout)
    assert main(["--from", str(kept), "--markdown"]) == 0
    shown = capsys.readouterr().out
    for table in report.TABLES.values():
        assert f"### {table.title}\n" in shown


def is_of_memory(row: rows.Row, figure: str) -> bool:
    """True for a growth, which may be none."""
    return row.table == "memory" or (row.table == "rejoin" and figure.endswith("_mib"))


def is_of_the_processor(figure: str) -> bool:
    """True if it is 0 for a window that a busy machine let pass before the server ran."""
    return figure.endswith("_busy") or figure.startswith("cpu_")


def assert_is_full(table: report.Table, measured: Sequence[rows.Row]) -> None:
    """Some case has each figure that the table shows."""
    shown = {column.figure for column in table.columns}
    assert shown <= {figure for row in measured for figure in row.figures}, table.title


@pytest.mark.slow
def test_what_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    bench = subprocess.Popen(
        [*BENCH, "--only", "play", "--rooms", "2", "--seconds", "60", "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    until = time.monotonic() + PATIENCE_S
    while len(started := descendants(bench.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.05)  # no event of ours comes from there
    bench.send_signal(signal.SIGINT)
    out, told = bench.communicate(timeout=PATIENCE_S)
    assert (bench.returncode, out) == (130, "")
    assert told.endswith("tests.bench: interrupted\n")
    assert len(started) >= 2
    while left := [pid for pid in started if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < until, left
        time.sleep(0.05)  # the same
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_start_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "paced", "--server", f"{sys.executable} -c print(1)"]) == 1
    told = capsys.readouterr().err
    assert "tests.bench: " in told
