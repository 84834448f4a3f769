"""Copies of databases of version 0.1: what it cut, and the hours of its lessons."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.examples import NOW, log_of_two_games
from ttt_protocol.codec import encode_log
from ttt_protocol.events import Ended
from ttt_protocol.state import RoomName
from ttt_server.cli.copying.command import copy
from ttt_server.cli.copying.sqlite import sqlite_source
from ttt_server.core.archive.saved_room import save
from ttt_server.core.evolve import evolve_all
from ttt_server.core.room import Room
from ttt_server.rooms.tokens import write_secret
from ttt_server.storage.base import CannotOpen, Snapshot
from ttt_server.storage.sqlite.opening import opened

DEN = RoomName("den")
LOG = log_of_two_games()
END = next(event.seq for event in LOG if isinstance(event, Ended))
HOUR = NOW // 3_600_000
OLD = Path(__file__).parents[2] / "integration" / "data" / "schema_6" / "ttt.sqlite3"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of version 0.1 with a room of which the first game was dropped."""
    path = tmp_path / "old" / "ttt.sqlite3"
    path.parent.mkdir()
    shutil.copyfile(OLD, path)
    write_secret(path.with_name("secret"), b"a secret of sixteen bytes")
    saved = Snapshot.of(evolve_all(Room(DEN), LOG[:END])).saved
    rest = b"\n".join(encode_log(LOG[END:])).decode()
    with closing(sqlite3.connect(path)) as database, database:
        for table in ("events", "journal", "snapshots", "starts", "lessons", "lessons_by_hour"):
            database.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        database.execute("INSERT INTO starts VALUES ('den', 1, ?, ?)", (END, saved))
        database.execute("INSERT INTO events VALUES ('den', ?, ?)", (END + 1, rest))
        database.execute("INSERT INTO lessons VALUES ('0412', 'X', 5), ('04', '', 2)")
        database.execute("INSERT INTO lessons_by_hour VALUES (?, '0412', 'X', 3)", (HOUR,))
        ended = f'{{"type":"ended","seq":1,"at":{NOW},"game":1}}'
        row = "lair", 1, ended, "0412X"
        database.execute("INSERT INTO journal VALUES (?, ?, ?, ?)", row)
    return path


def url(path: Path) -> str:
    return f"sqlite://{path}"


def test_starts_and_hours_are_carried(old: Path, tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in old.parent.iterdir()}
    new = tmp_path / "new" / "ttt.sqlite3"
    done = copy(url(old), url(new))
    assert (done.rooms, done.events) == (2, len(LOG) - END + 1)
    assert {file.name: file.read_bytes() for file in old.parent.iterdir()} == before
    with opened(new) as tables:
        assert tables.load(DEN, None).start == save(evolve_all(Room(DEN), LOG[:END]))
        assert tables.load(DEN, 0).lines == tuple(encode_log(LOG[END:]))
        assert tables.forget_since(HOUR, dry=True) == 4
        assert tables.forget_since(0, dry=True) == 8
    with sqlite_source(new) as source:
        rest = source.rest()
    assert rest.lessons == {("0412X", HOUR): 4, ("0412X", 0): 2, ("04", 0): 2}
    assert rest.secret == b"a secret of sixteen bytes"


def test_a_backup_is_copied_with_its_secret(old: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(old)) as database, database:
        database.execute("CREATE TABLE backup (secret BLOB, made_at INTEGER NOT NULL)")
        database.execute("INSERT INTO backup VALUES (?, 0)", (b"another secret, as long",))
    old.with_name("secret").unlink()
    new = tmp_path / "new" / "ttt.sqlite3"
    copy(url(old), url(new))
    assert new.with_name("secret").read_bytes() == b"another secret, as long"


def test_a_copy_that_differs_is_not_used(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ttt_server.cli.copying.ends.Digest.is_same_as", lambda *_: False)
    with pytest.raises(CannotOpen, match="do not use it"):
        copy(url(old), url(tmp_path / "new.sqlite3"))
