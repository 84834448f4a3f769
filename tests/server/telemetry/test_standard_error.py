import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from ttt_server.telemetry import standard_error
from ttt_server.telemetry.standard_error import StandardError, write_whole

FULL = 1 << 20


def record(words: str) -> logging.LogRecord:
    return logging.LogRecord("here", logging.INFO, "here.py", 1, words, (), None)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """A pipe in place of standard error: its ends to read and to write."""
    reading, writing = os.pipe()
    monkeypatch.setattr(standard_error, "_STANDARD_ERROR", writing)
    yield reading, writing
    for end in (reading, writing):
        with suppress(OSError):
            os.close(end)


def fill(writing: int) -> int:
    """Fill the pipe; return the number of bytes."""
    os.set_blocking(writing, False)
    filled = 0
    with suppress(BlockingIOError):
        while True:
            filled += os.write(writing, b"." * 512)
    os.set_blocking(writing, True)
    return filled


def read(reading: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += os.read(reading, count - len(data))
    return data


def test_lines_are_written_at_once_and_in_order(pipe: tuple[int, int]) -> None:
    handler = StandardError()
    for number in range(5):
        handler.handle(record(f"line {number} \ud800"))
    assert os.read(pipe[0], 4096) == b"".join(b"line %d ?\n" % n for n in range(5))
    assert handler._thread is None


def test_a_long_line_is_written_too(pipe: tuple[int, int]) -> None:
    handler = StandardError()
    handler.handle(record("x" * FULL))
    handler.handle(record("y"))
    assert read(pipe[0], FULL + 3) == b"x" * FULL + b"\ny\n"


def test_lines_that_nothing_reads_are_dropped_and_counted(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standard_error, "_MOST_LINES", 2)
    monkeypatch.setattr(standard_error, "_PATIENCE_S", 0.01)
    reading, writing = pipe
    filled = fill(writing)
    handler = StandardError()
    handler.handle(record("line 0"))
    while not handler._lines.empty():
        time.sleep(0)  # the thread takes it
    for number in range(1, 9):
        handler.handle(record(f"line {number}"))
    handler.flush()  # which gives up
    dropped = b"6 log lines were dropped, as nothing read them\n"
    told = b"line 0\n" + dropped + b"line 1\nline 2\n"
    assert read(reading, filled + len(told))[filled:] == told


def test_a_piece_is_written_whole_where_the_pipe_does_not_block(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(writing, False)
    thread = threading.Thread(target=write_whole, args=(bytes(FULL),))
    thread.start()
    assert read(reading, FULL) == bytes(FULL)
    thread.join()
    os.close(reading)
    write_whole(b"to nothing")
