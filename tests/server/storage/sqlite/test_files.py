"""The files of a database as another program may leave them."""

import errno
import os
from pathlib import Path

import pytest

from ttt_server.storage.sqlite.opening import DatabaseFiles, FilesChanged

USUAL = 100


@pytest.fixture
def log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@pytest.fixture
def files(path: Path, log: Path) -> DatabaseFiles:
    path.write_bytes(b"d" * 50)
    log.write_bytes(b"l" * 150)
    files = DatabaseFiles(path, USUAL)
    files.note()
    return files


def test_files_that_grow(files: DatabaseFiles, path: Path, log: Path) -> None:
    for file in (path, log):
        with file.open("ab") as grown:
            grown.write(b"more")
        files.look()


def test_a_log_that_sqlite_itself_has_cut(files: DatabaseFiles, log: Path) -> None:
    os.truncate(log, USUAL)
    files.look()
    os.truncate(log, USUAL - 1)
    with pytest.raises(FilesChanged, match="the database's log was truncated"):
        files.look()


def test_a_log_that_was_cut_and_has_grown_again(files: DatabaseFiles, log: Path) -> None:
    os.truncate(log, 0)
    os.truncate(log, 200)
    with pytest.raises(FilesChanged, match="the database's log was truncated"):
        files.look()


def test_a_log_that_closing_the_connection_deletes(files: DatabaseFiles, log: Path) -> None:
    log.unlink()
    with pytest.raises(FilesChanged, match="the database's log was removed"):
        files.look()
    files.forget_log()
    files.look()
    log.write_bytes(b"")
    files.look()
    log.write_bytes(b"header")
    files.look()


def test_a_folder_that_is_a_file(files: DatabaseFiles, path: Path, log: Path) -> None:
    path.unlink()
    log.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"")
    with pytest.raises(FilesChanged, match="the database was removed"):
        files.look()


def test_a_log_is_written_again_as_it_was(
    files: DatabaseFiles, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    content = os.urandom((1 << 20) + 5)
    log.write_bytes(content)
    files.rewrite_log()
    assert log.read_bytes() == content
    assert len(synced) == 1
    log.unlink()
    files.rewrite_log()
    assert len(synced) == 1, "there is none"


def test_files_that_cannot_be_opened_are_there_all_the_same(
    files: DatabaseFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        files.look()
