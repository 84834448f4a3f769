import asyncio
import os
import tracemalloc
from collections.abc import Iterator

import pytest

from ttt_client.terminal.stdin import LONGEST_LINE, StandardInput, read_lines


def lines_of(*chunks: bytes) -> list[str]:
    waiting: Iterator[bytes] = iter([*chunks, b""])
    return list(read_lines(lambda: next(waiting)))


def test_lines_are_put_together_from_what_comes() -> None:
    assert lines_of(b"5\nb", b"2\r\n\nqu", b"it") == ["5", "b2", "", "quit"]
    assert lines_of() == []
    assert lines_of("é\n".encode()[:1], "é\n".encode()[1:]) == ["é"]


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert lines_of(b"\xff\n") == ["\ufffd"]


def test_a_line_without_end_is_cut_not_kept() -> None:
    tracemalloc.start()
    (line,) = lines_of(*[b"x" * LONGEST_LINE] * 99)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert line == "x" * LONGEST_LINE
    assert most < 9 * LONGEST_LINE, "bytes in memory at once"


def test_a_long_line_with_an_end_is_cut_and_the_next_is_whole() -> None:
    assert lines_of(b"x" * (LONGEST_LINE + 1) + b"\nquit\n") == ["x" * LONGEST_LINE, "quit"]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


async def test_a_line_is_read_when_it_is_wanted_and_the_end_stays(pipe: tuple[int, int]) -> None:
    keyboard = StandardInput(pipe[0])
    os.write(pipe[1], b"5\nquit")
    os.close(pipe[1])
    assert await keyboard.line() == "5"
    assert await keyboard.line() == "quit"
    assert await keyboard.line() is None
    assert await keyboard.line() is None


async def test_no_line_is_lost_when_waiting_is_cancelled(pipe: tuple[int, int]) -> None:
    keyboard = StandardInput(pipe[0])
    waiting = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    os.write(pipe[1], b"5\n")
    assert await keyboard.line() == "5"
    os.close(pipe[1])
    assert await keyboard.line() is None


async def test_the_null_device_has_no_lines() -> None:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    assert await StandardInput(descriptor).line() is None
    os.close(descriptor)


async def test_a_descriptor_that_is_gone_has_no_lines() -> None:
    assert await StandardInput(987_654).line() is None
