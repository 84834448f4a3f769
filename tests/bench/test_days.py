"""The program about rooms with days a move runs. What they cost, it tells by hand."""

import sys
from pathlib import Path

import pytest

from tests.bench import days
from ttt_server.storage import DATABASE
from ttt_server.storage.sqlite.store import SqliteStore


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures another process")
def test_it_runs_and_judges(capsys: pytest.CaptureFixture[str]) -> None:
    days.main(["--rooms", "100", "--rounds", "1", "--rest", "0"])
    rooms, _, start, memory = capsys.readouterr().out.splitlines()
    assert rooms.startswith("100 rooms, ")
    assert "at most 1.0: " in start
    assert "bytes a room, at most 100: " in memory


async def test_each_room_has_its_deadline(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    days.write(folder, 3)
    store = SqliteStore(folder / DATABASE)
    deadlines = await store.deadlines(10)
    assert [name for name, _ in deadlines] == ["days0", "days1", "days2"]
    assert len((await store.load(deadlines[2][0])).lines) > 3
    await store.close()
