"""A look at a database file that changes nothing: whose it is, and whether it is whole.

Run as a program it looks and dies. A database that was not closed has a log beside it, and SQLite
writes that into the file when the one connection to it is closed: so that one is never closed.
Standard library only, and no imports of ours: it starts in milliseconds.
"""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

APPLICATION_ID = 0x74747431
"""`ttt1`, in the header of the file."""
VERSION = 4
"""3 had no lessons in its journal and one event in a row, 2 had no journal, and 1 no lessons."""
WITH_LESSONS_BESIDE = 4
WITH_JOURNAL = 3
WITH_LESSONS = 2

_TABLES = {"events": 1, "lessons": WITH_LESSONS, "journal": WITH_JOURNAL}
"""And the version since which they are there."""

_HEADER_BYTES = 100
"""Of the file: the schema's cookie, the version and the application's id are in it."""


class Unfit(Exception):
    """The file is damaged, foreign, newer, in use, or not to be had; in words for the operator."""


def look(path: Path) -> None:
    """Makes the file if there is none, for its owner alone; changes nothing in one that is there.

    Raises:
        Unfit: if the server cannot keep its events there.
    """
    try:
        _look_at_header(path)
        if _size(_log(path)):
            _look_in_another_process(path)
        else:
            database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            try:
                require_ours(database)
                _require_whole(database)
            finally:
                database.close()
    except (OSError, sqlite3.Error) as error:
        raise Unfit(words(error)) from None


def require_ours(database: sqlite3.Connection) -> bool:
    """Whether the database is new, if it is ours.

    Raises:
        Unfit: if it is another program's, or a newer version's.
    """
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    is_new: bool = tables == 0 and application == 0
    _require_ours(application, version, is_new=is_new)
    return is_new


def words(error: Exception) -> str:
    """What the operator is told of an error of the system or of SQLite."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    if "locked" in str(error):
        return "another server is using it"
    return str(error)


def _look_at_header(path: Path) -> None:
    """Before SQLite touches anything: even to read a database can be to repair it."""
    if not _size(path) and _size(_log(path)):
        raise Unfit("the database is damaged: it is empty, and its log is not")
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        header = os.read(file, _HEADER_BYTES)
    finally:
        os.close(file)
    if header:
        if not header.startswith(b"SQLite format 3\0"):
            raise Unfit("file is not a database")
        schema, version, application = (
            int.from_bytes(header[at : at + 4], "big") for at in (40, 60, 68)
        )
        _require_ours(application, version, is_new=application == schema == 0)


def _require_ours(application: int, version: int, *, is_new: bool) -> None:
    if not is_new and application != APPLICATION_ID:
        raise Unfit("is a database of another program")
    if version > VERSION:
        raise Unfit("was written by a newer version of this server")


def _require_whole(database: sqlite3.Connection) -> None:
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise Unfit("the database is damaged")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    there = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
    for name, since in _TABLES.items():
        if version >= since and name not in there:
            raise Unfit(f"the database is damaged: it has no table {name}")


def _look_in_another_process(path: Path) -> None:
    program = (sys.executable, "-I", __file__, path)
    seen = subprocess.run(program, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
    if seen.returncode or seen.stdout:
        raise Unfit(seen.stdout.strip() or "cannot be looked at")


def _look_and_die(path: Path) -> None:
    try:
        database = sqlite3.connect(path, isolation_level=None, timeout=0)
        # Exclusive: the index of the log is in memory then, and not in a third file.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        require_ours(database)
        _require_whole(database)
    except Unfit as unfit:
        print(unfit)  # noqa: T201 - this is a program
    except sqlite3.Error as error:
        print(words(error))  # noqa: T201 - the same
    sys.stdout.flush()
    os._exit(0)


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


if __name__ == "__main__":
    _look_and_die(Path(sys.argv[1]))
