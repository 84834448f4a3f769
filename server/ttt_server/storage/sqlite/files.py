"""Watch over the files of an open database, and rewrite its log as a last resort.

SQLite keeps its files open, and does not notice if another program removes, replaces or cuts one.
"""

import os
from pathlib import Path
from typing import NamedTuple

from ttt_server.storage.sqlite.preflight import words

_CHUNK = 1 << 20
_ALL = 1 << 62
_LOG_HEADER_BYTES = 32


class FilesChanged(Exception):
    """Another program removed, replaced or cut a file of the database."""


class _File(NamedTuple):
    """A file as it was seen."""

    device: int
    inode: int
    size: int


class DatabaseFiles:
    """The database at `path` and its write-ahead log, which one connection writes to."""

    def __init__(self, path: Path, usual_log: int) -> None:
        """`usual_log`: the length to which SQLite itself cuts a longer log, in bytes."""
        self.path = path
        self._log_path = path.with_name(f"{path.name}-wal")
        self._usual_log = usual_log
        self._database: _File | None = None
        self._log: _File | None = None
        self._log_has_header = False

    def note(self) -> None:
        """Remember the files as they are now, just after the connection was opened.

        Raises:
            FilesChanged: if the database is missing.
        """
        self._database = _seen(self.path)
        self.forget_log()
        self.look()

    def forget_log(self) -> None:
        """Expect any log or none: closing the connection has deleted it."""
        self._log, self._log_has_header = None, False

    def look(self) -> None:
        """Compare the files with the last look.

        Raises:
            FilesChanged: if another program removed, replaced or cut one.
        """
        database, log = _seen(self.path), _seen(self._log_path)
        if database is None:
            raise FilesChanged("the database was removed")
        self._database = _same("the database", self._database, database, _ALL)
        if log is None:
            if self._log is not None:
                raise FilesChanged("the database's log was removed")
            return
        self._log = _same("the database's log", self._log, log, self._usual_log)
        if (header := self._log_header()) is not None:
            if self._log_has_header and not any(header):
                raise FilesChanged("the database's log was truncated")
            self._log_has_header = any(header)

    def rewrite_log(self) -> None:
        """Write the bytes of the log once more, and sync them.

        After a failed sync the system may have dropped changes that it still shows to readers. Then
        another sync succeeds, and proves nothing: no change waits for it. Written again, the bytes
        do. A crash in between leaves each block as it was or as it is.

        Raises:
            OSError: if a write or the sync failed.
        """
        try:
            log = os.open(self._log_path, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            at = 0
            while chunk := os.pread(log, _CHUNK, at):
                at += os.pwrite(log, chunk, at)
            os.fdatasync(log)
        finally:
            os.close(log)

    def _log_header(self) -> bytes | None:
        """Return the first bytes of the log; `None` if they cannot be read, which proves nothing.

        All descriptors may be in use. To close a descriptor of the database itself would release
        SQLite's locks on it, so it is never opened here; the log has none.
        """
        try:
            log = os.open(self._log_path, os.O_RDONLY)
        except OSError:
            return None
        try:
            return os.pread(log, _LOG_HEADER_BYTES, 0)
        except OSError:
            return None
        finally:
            os.close(log)


def sync_folder(folder: Path) -> None:
    """Make certain which files are in the folder.

    Raises:
        OSError: if the sync failed.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _seen(path: Path) -> _File | None:
    """Return the file at `path`; `None` if there is none.

    Raises:
        FilesChanged: if that cannot be told.
    """
    try:
        seen = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FilesChanged(f"{path}: {words(error)}") from None
    return _File(seen.st_dev, seen.st_ino, seen.st_size)


def _same(name: str, before: _File | None, now: _File, most: int) -> _File:
    """Return `now`, if it can be the file that was seen before.

    Args:
        name: the file's name for the operator.
        before: the file at the last look, if there was one.
        now: the file of the same path.
        most: the bytes that the file's own writer leaves in any case.

    Raises:
        FilesChanged: if it is another file, or was cut.
    """
    if before is not None:
        if now[:2] != before[:2]:
            raise FilesChanged(f"{name} was replaced")
        if now.size < min(before.size, most):
            raise FilesChanged(f"{name} was truncated")
    return now
