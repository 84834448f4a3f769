"""The port of the parent: what is given away, and when."""

import asyncio
import os
import socket
from contextlib import suppress

import pytest

from ttt_server.config.options import Config
from ttt_server.processes import front as front_module
from ttt_server.processes.front import Front


class Children:
    """Takes what is given, if it may, and answers with what it was given."""

    def __init__(self, *, takes: bool = True) -> None:
        self.takes = takes
        self.heads: list[bytes] = []

    def give(self, descriptor: int, head: bytes) -> bool:
        self.heads.append(head)
        if self.takes:
            with socket.socket(fileno=os.dup(descriptor)) as taken:
                taken.setblocking(True)
                taken.send(b"taken")
        return self.takes


async def say(port: int, *pieces: bytes, ends: bool = False) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0.01)
    if ends:
        writer.write_eof()
    answer = b""
    with suppress(ConnectionResetError):
        answer = await reader.read()
    writer.close()
    return answer


async def open_front(children: Children, **options: object) -> tuple[Front, int]:
    config = Config(port=0, store="memory:", **options)
    front = Front(config, children.give, lambda _: False)
    address = await front.listen()
    return front, int(address.rpartition(":")[2])


@pytest.mark.parametrize(
    ("pieces", "head"),
    [
        ((b"GET / HTTP/1.1\r\nHost: x",), b"GET / HTTP/1.1\r\nHost: x"),
        ((b"GET / HT", b"TP/1.1", b"\r\n"), b"GET / HTTP/1.1\r\n"),
        ((b"\r\n", b"GET / HTTP/1.1\n"), b"\r\nGET / HTTP/1.1\n"),
        ((b"\x16\x03",), b"\x16\x03"),
        ((b"G" * 9000,), b"G" * 9000),
    ],
)
async def test_a_whole_line_is_given_with_all_that_came(
    pieces: tuple[bytes, ...], head: bytes
) -> None:
    children = Children()
    front, port = await open_front(children)
    assert await say(port, *pieces) == b"taken"
    assert children.heads == [head]
    assert not front.table.all
    front.close()


async def test_half_a_line_is_given_at_its_end_and_nothing_is_not() -> None:
    children = Children()
    front, port = await open_front(children)
    assert await say(port, b"GET /", ends=True) == b"taken"
    assert await say(port, ends=True) == b""
    assert children.heads == [b"GET /"]
    front.close()


async def test_who_says_nothing_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_module, "HANDSHAKE_TIMEOUT_S", 0.01)
    children = Children()
    front, port = await open_front(children)
    assert await say(port, b"GET /") == b""
    assert not children.heads
    assert not front.table.all
    front.close()


async def test_nobody_takes_it() -> None:
    front, port = await open_front(Children(takes=False))
    assert (await say(port, b"GET / HTTP/1.1\r\n")).startswith(b"HTTP/1.1 503 ")
    front.close()


async def test_too_many_say_nothing() -> None:
    front, port = await open_front(Children(), max_connections_per_address=1)
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(17)]
    assert (await say(port)).startswith(b"HTTP/1.1 503 ")
    front.close()
    for reader, writer in silent:
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
