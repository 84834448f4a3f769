"""Check a database file without changing it: whose it is, whether it is intact, what it holds.

The module is also a program. A database that was not closed has a write-ahead log beside it, which
SQLite merges into the file when the last connection is closed. So the program checks such a
database, and exits without closing its connection. It needs only the standard library and imports
no module of the server, so that it starts in milliseconds.
"""

import errno
import logging
import os
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

logger = logging.getLogger(__name__)

APPLICATION_ID = 0x74747431
"""`ttt1`, in the header of the file."""
VERSION = 7
"""The version of the schema. From this one on, a new version only adds to the one before."""
VERSION_OF_0_1 = 6
"""The version of the schema that version 0.1 of the server has left."""

_TABLES = {
    VERSION: ("events", "journal", "snapshots", "lessons", "learned", "deadlines"),
    VERSION_OF_0_1: ("events", "journal", "snapshots", "starts", "lessons", "lessons_by_hour"),
}

NO_FILE = os.strerror(errno.ENOENT)
"""The system's own words for a missing file."""

_MOST_PAGES = 1 << 13
"""A larger file, of more than 32 MiB, is not read through at each start, which takes a second for 1
GB. `ttt-server check` does it; SQLite itself finds a file that was cut."""

_HEADER_BYTES = 100
"""The file's header; it holds the schema's cookie, the version and the application's id."""

_HAS_EVENTS = "it has events"
"""The program's output for a good database with events or persons; otherwise it is silent."""


_LOG_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""The byte order of the checksums by the first word of a log; its other words are big-endian."""
_LOG_VERSION = 3_007_000
_LOG_HEADER = struct.Struct(">4I8s2I")
_FRAME_HEADER = struct.Struct(">2I8s2I")
_OLDER_LOGS = 1 << 20
"""SQLite adds one to the first salt each time that a log starts over: so much older a frame may
be."""


class Unfit(Exception):
    """The database cannot be used. The message is for the operator."""


def look(path: Path, *, accept_loss: bool = False, version: int = VERSION) -> bool:
    """Return whether the database at `path` has events or persons, and change nothing in it.

    A file that does not exist is made, readable by its owner only.

    Args:
        path: the file.
        accept_loss: whether to keep what is intact of a damaged log.
        version: the version of the schema to expect.

    Raises:
        Unfit: if the server cannot keep its events there.
    """
    try:
        _look_at_header(path, version)
        if _size(write_ahead_log(path)):
            has_events = _look_in_another_process(path, version)  # no server uses it
            _look_at_log(write_ahead_log(path), accept_loss=accept_loss)
            return has_events
        with closing(read_only(path)) as database:
            return _look_inside(path, database, version)
    except (OSError, sqlite3.Error) as error:
        raise Unfit(words(error)) from None


def read_only(path: Path) -> sqlite3.Connection:
    """Open a database that has no write-ahead log and no writer."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def version_of(path: Path) -> int:
    """Return the version of the schema of a database, by its header; 0 if it has none.

    Raises:
        OSError: if the file cannot be read.
    """
    with path.open("rb") as file:
        return int.from_bytes(file.read(_HEADER_BYTES)[60:64], "big")


def require_free(path: Path) -> None:
    """Check that no server uses the database.

    Raises:
        Unfit: if one does.
    """
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise Unfit(words(error)) from None


def require_ours(path: Path, database: sqlite3.Connection, version: int = VERSION) -> bool:
    """Return whether the database is new.

    Raises:
        Unfit: if another program made it, or another version of this one.
    """
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (found,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    is_new: bool = tables == 0 and application == 0
    if not is_new:
        _require_ours(path, application, found, version)
    return is_new


def words(error: Exception) -> str:
    """Return the operator's words for an error of the system or of SQLite."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if "locked" in str(error):
        return "another server is using it"
    return str(error)


def _look_at_header(path: Path, version: int) -> None:
    """Check the file before SQLite touches it: even reading a database can repair it."""
    if not _size(path) and _size(write_ahead_log(path)):
        raise Unfit("the database is damaged: it is empty, and its log is not")
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        header = os.read(file, _HEADER_BYTES)
    finally:
        os.close(file)
    if header:
        if not header.startswith(b"SQLite format 3\0"):
            raise Unfit("file is not a database")
        schema, found, application = (
            int.from_bytes(header[at : at + 4], "big") for at in (40, 60, 68)
        )
        if schema or application:
            _require_ours(path, application, found, version)


def _look_at_log(log: Path, *, accept_loss: bool) -> None:
    """Check that SQLite takes in all of a log that was synced: it drops the rest in silence."""
    with log.open("rb") as file:
        damage = log_damage(file, _size(log))
    if damage is None:
        return
    words = f"the write-ahead log beside it {damage}, and announced moves may be lost"
    if not accept_loss:
        raise Unfit(f"{words}: restore a backup, or start with what is whole: --accept-loss")
    logger.warning("%s: %s", log, words)


class _Frame(NamedTuple):
    """The head of a frame of a log."""

    page: int
    commit: int
    """Not 0 in the last frame of a transaction."""
    salt: bytes
    """That of the log's header, where the frame is of this time and no earlier one."""
    first_sum: int
    second_sum: int


def log_damage(file: BinaryIO, size: int) -> str | None:
    """Return the damage of a write-ahead log that no crash explains, or `None`.

    A crash may leave the end of one transaction, which was not synced, and nothing after it. The
    format is SQLite's, as https://sqlite.org/fileformat2.html#walformat has it.
    """
    header = file.read(_LOG_HEADER.size)
    if not any(header):
        return None  # it is empty
    if len(header) < _LOG_HEADER.size:
        return "is cut"
    magic, version, page_size, _, salt, *sums = _LOG_HEADER.unpack(header)
    order = _LOG_MAGIC.get(magic)
    if order is None or version != _LOG_VERSION or _sum(header[:24], order, 0, 0) != tuple(sums):
        return "is not an SQLite log"
    first, second = sums
    is_whole, commits_after = True, 0
    frames, rest = divmod(size - _LOG_HEADER.size, _FRAME_HEADER.size + page_size)
    for _ in range(frames):
        head, page = file.read(_FRAME_HEADER.size), file.read(page_size)
        frame = _Frame(*_FRAME_HEADER.unpack(head))
        if is_whole := is_whole and frame.salt == salt:
            first, second = _sum(head[:8] + page, order, first, second)
            is_whole = (first, second) == frame[3:]
        if not is_whole:
            if not _is_of_its_log(frame, salt):
                return "is overwritten"
            commits_after += frame.salt == salt and frame.commit > 0
    if commits_after > 1:
        return "is overwritten"
    return "is cut" if is_whole and any(file.read(rest)) else None


def _is_of_its_log(frame: _Frame, salt: bytes) -> bool:
    """Return whether a frame is of this log or an earlier one, or was never written."""
    if not any(frame[:2]) and not any(frame.salt):
        return True
    newest, its = (int.from_bytes(each[:4], "big") for each in (salt, frame.salt))
    return frame.page > 0 and (newest - its) % (1 << 32) < _OLDER_LOGS


def _sum(data: bytes, order: str, first: int, second: int) -> tuple[int, int]:
    """Go on with the checksum of a log over `data`, a multiple of 8 bytes."""
    for one, other in struct.iter_unpack(f"{order}2I", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _require_ours(path: Path, application: int, found: int, version: int) -> None:
    if application != APPLICATION_ID:
        raise Unfit("is a database of another program")
    if found == version:
        return
    if found > version:
        raise Unfit("was written by a newer version of this server")
    if found == VERSION_OF_0_1:
        copy = f"ttt-server copy sqlite://{path.absolute()} sqlite:///NEW/FOLDER/ttt.sqlite3"
        raise Unfit(f"was written by version 0.1; copy it to a new folder: {copy}")
    raise Unfit("is older than version 0.1: run version 0.1 on it once, then copy it")


def _look_inside(path: Path, database: sqlite3.Connection, version: int) -> bool:
    if require_ours(path, database, version):
        return False
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    if pages <= _MOST_PAGES:
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise Unfit("the database is damaged")
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
    for name in _TABLES[version]:
        if name not in tables:
            raise Unfit(f"the database is damaged: it has no table {name}")
    return any(
        database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()  # noqa: S608 - names of ours
        for name in ("events", "journal", "persons")
        if name in tables
    )


def _look_in_another_process(path: Path, version: int) -> bool:
    program = (sys.executable, "-I", __file__, path, str(version))
    seen = subprocess.run(program, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    said = seen.stdout.strip()
    if seen.returncode or said not in {"", _HAS_EVENTS}:
        raise Unfit(said or "cannot be looked at")
    return bool(said)


def _look_and_exit(path: Path, version: int) -> None:
    try:
        database = sqlite3.connect(path, isolation_level=None, timeout=0)
        # In exclusive mode the index of the log is in memory, and not in a third file.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        if _look_inside(path, database, version):
            print(_HAS_EVENTS)  # noqa: T201 - this is a program
    except Unfit as unfit:
        print(unfit)  # noqa: T201 - the same
    except sqlite3.Error as error:
        print(words(error))  # noqa: T201 - the same
    sys.stdout.flush()
    os._exit(0)


def write_ahead_log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


if __name__ == "__main__":
    _look_and_exit(Path(sys.argv[1]), int(sys.argv[2]))
