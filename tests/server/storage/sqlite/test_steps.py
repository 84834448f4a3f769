"""The steps of the schema, each from a stored file of the version before it.

The servers of their time made `schemas/schema_2` to `schema_5`; `schema_1` is the second without
the table that came with it. All hold a running, a finished and a locked room, and one whose game
taught the learner. The newest events of 3 to 5 lie in the journal, as after a kill.
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest

from tests.server.storage.sqlite.stores import snapshot
from ttt_engine.learning.memory import Memory
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.sqlite import steps
from ttt_server.storage.sqlite.audit import audit_room
from ttt_server.storage.sqlite.preflight import TABLES, VERSION
from ttt_server.storage.sqlite.reading import opened
from ttt_server.storage.sqlite.schema import open_database
from ttt_server.storage.sqlite.store import SqliteStore

FILES = Path(__file__).parent / "schemas"
VERSIONS = range(1, VERSION)
ROOMS = {"finished", "locked", "running", "taught"}
GAMES = {1: 2, 2: 2, 3: 2, 4: 3, 5: 3}
"""The learner's games; in the files from version 4 on it has played one itself."""


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def old(version: int, path: Path) -> Path:
    return Path(shutil.copy(FILES / f"schema_{version}.sqlite3", path))


def logs(path: Path) -> dict[str, list[bytes]]:
    with opened(path) as found:
        return {room: [line for _, line in found.log(room)] for room in found.rooms()}


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        (number,) = database.execute("PRAGMA user_version").fetchone()
    return int(number)


def test_there_is_a_file_of_each_version() -> None:
    assert {f"schema_{number}.sqlite3" for number in VERSIONS} == {
        file.name for file in FILES.iterdir()
    }


async def test_nothing_is_lost_on_the_way(old: Path, version: int) -> None:
    assert version_of(old) == version
    before = logs(old)
    assert set(before) >= ROOMS
    store = SqliteStore(old)
    assert store.memory.games == GAMES[version]
    for room, lines in before.items():
        assert list((await store.load(room, 0)).lines) == lines  # type: ignore[arg-type]  # a name
    await store.close()
    assert version_of(old) == VERSION
    assert logs(old) == before
    with opened(old) as found:
        faults = [audit_room(found, room).fault for room in found.rooms()]
        assert faults == [None] * len(before)
    with closing(sqlite3.connect(old)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
    assert set(TABLES) <= tables


class Killed(BaseException):
    """The process ends here."""


def fail(_: sqlite3.Connection) -> NoReturn:
    raise Killed


@pytest.mark.parametrize("number", range(2, VERSION + 1))
def test_a_step_is_done_or_not(path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A process is killed at the end of a step; the next begins with that step again."""
    shutil.copy(FILES / f"schema_{number - 1}.sqlite3", path)
    step: Callable[[sqlite3.Connection], None] = steps._STEPS[number]

    def killed(database: sqlite3.Connection) -> None:
        step(database)
        fail(database)

    before = logs(path)
    with monkeypatch.context() as patch:
        patch.setitem(steps._STEPS, number, killed)
        with pytest.raises(Killed):
            open_database(path, Memory())
    assert version_of(path) == number - 1
    open_database(path, Memory()).close()
    assert version_of(path) == VERSION
    assert logs(path) == before


def test_a_newer_file_is_refused(path: Path) -> None:
    shutil.copy(FILES / "schema_4.sqlite3", path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = snapshot(path.parent)
    with pytest.raises(CannotOpen, match="newer version"):
        open_database(path, Memory())
    assert snapshot(path.parent) == before
