"""Backups: one file with the database and the secret that signs the seat tokens.

A backup is a database of its own: it has all tables, and `backup` beside them.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import time

from ttt_server.storage.base import OnProgress, StorageFailed
from ttt_server.storage.sqlite.preflight import NO_FILE, Unfit, look, read_only, words

_STEP_PAGES = 8
_PAUSE_S = 0.004
"""Copy at most 8 pages, 32 KiB, at a time, then let the store write for this long: at most 8 MB a
second. With 32 MB, the players' moves took 2.96 times as long at p99."""
_SYNC_S = 0.1
"""How often to sync the copy, so that no sync writes much while moves wait for theirs."""

_SCHEMA = "CREATE TABLE backup (secret BLOB, made_at INTEGER NOT NULL)"
"""`secret`: the content of the file `secret`; null if the server had none. `made_at`: Unix time."""


def copy_database(
    source: sqlite3.Connection,
    file: Path,
    secret: bytes | None,
    pause: Callable[[float], None],
    on_progress: OnProgress,
) -> None:
    """Make the backup `file`, which must not exist, of the database as it is at the end.

    Args:
        source: the connection; its own writes during the copy are copied too.
        file: the backup.
        secret: the secret of the seat tokens, if it is to be in the backup.
        pause: lets other work be done for about the given seconds; it may raise to end the copy.
        on_progress: called with each step.

    Raises:
        StorageFailed: if the copy could not be made; nothing of it is left.
    """

    def step(_status: int, remaining: int, total: int) -> None:
        on_progress(total - remaining, total)
        pause(_PAUSE_S)

    is_whole = False
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with (
            _synced_now_and_then(file),
            closing(sqlite3.connect(file, isolation_level=None)) as target,
        ):
            target.execute("PRAGMA synchronous = OFF")  # it is synced at the end
            source.backup(target, pages=_STEP_PAGES, progress=step, sleep=0)
            target.execute("PRAGMA journal_mode = DELETE")
            target.execute(_SCHEMA)
            target.execute("INSERT INTO backup VALUES (?, ?)", (secret, int(time())))
        is_whole = True
    except (sqlite3.Error, OSError) as error:
        raise StorageFailed(f"the backup: {words(error)}") from None
    finally:
        if not is_whole:
            file.unlink(missing_ok=True)


def unpack(backup: Path, database: Path) -> bytes | None:
    """Make the database file `database` out of a backup; return the secret, if it has one.

    Raises:
        Unfit: if the file is no backup, or is damaged.
        OSError: if a file cannot be read or written.
    """
    require_backup(backup)
    with closing(read_only(backup)) as source, closing(_new(database)) as target:
        try:
            (secret,) = source.execute("SELECT secret FROM backup").fetchone()
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            target.execute("DROP TABLE backup")
        except (sqlite3.Error, TypeError) as error:
            raise Unfit(words(error)) from None
    with database.open("rb") as file:
        os.fsync(file.fileno())
    return bytes(secret) if secret is not None else None


def require_backup(file: Path) -> None:
    """Check that the file is a whole backup, of this version or an older one.

    Raises:
        Unfit: if it is not.
    """
    if not file.is_file():
        raise Unfit(NO_FILE)
    look(file)
    with closing(read_only(file)) as database:
        if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").fetchone():
            raise Unfit("is no backup")


def _new(file: Path) -> sqlite3.Connection:
    os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return sqlite3.connect(file, isolation_level=None)


@contextmanager
def _synced_now_and_then(file: Path) -> Iterator[None]:
    """Sync a file while it is written, and at the end."""
    is_over = threading.Event()
    descriptor = os.open(file, os.O_RDONLY)

    def sync() -> None:
        while not is_over.wait(_SYNC_S):
            os.fdatasync(descriptor)

    syncing = threading.Thread(target=sync, name="backup", daemon=True)
    syncing.start()
    try:
        yield
    finally:
        is_over.set()
        syncing.join()
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
