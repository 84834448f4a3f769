"""A child: the connections it is given, and what it tells its parent."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ttt_protocol.state import RoomName
from ttt_server.config.options import Config
from ttt_server.limits.census import shared_memory
from ttt_server.processes import channel as line
from ttt_server.processes.channel import Channel, pair
from ttt_server.processes.place import ChildSetup, ProcessPlace


class Recording(asyncio.Protocol):
    """A connection that notes what it reads, and answers."""

    def __init__(self) -> None:
        self.read = b""
        self.is_over = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.read += data
        self.transport.write(b"heard")

    def connection_lost(self, exc: Exception | None) -> None:
        assert exc is None
        self.is_over.set()


class World:
    """A child, and its parent's end of the line."""

    def __init__(self, folder: Path) -> None:
        ours, theirs = pair()
        self.parent = Channel(ours)
        setup = ChildSetup(
            config=Config(), number=2, count=2, address="ws://here:1", group="ab", folder=folder
        )
        self.place = ProcessPlace(Channel(theirs), setup, shared_memory(2))
        self.told: list[tuple[bytes, bytes]] = []
        self.news = asyncio.Event()
        self.parent.listen(self._hear, lambda: None)
        self.made: list[Recording] = []

    def _hear(self, kind: bytes, content: bytes, _: int | None) -> None:
        self.told.append((kind, content))
        self.news.set()

    def make(self) -> Recording:
        self.made.append(Recording())
        return self.made[-1]

    async def until(self, kind: bytes) -> None:
        while kind not in {each for each, _ in self.told}:
            self.news.clear()
            await self.news.wait()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    its = World(tmp_path)
    yield its
    its.place.close()
    its.place._channel.close()
    its.parent.close()


async def test_a_connection_has_what_was_read_before_what_comes(world: World) -> None:
    world.place.listen(world.make, None)
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        assert world.parent.give(theirs.fileno(), b"GET / HT")
    loop = asyncio.get_running_loop()
    assert await loop.sock_recv(ours, 99) == b"heard"
    await loop.sock_sendall(ours, b"TP/1.1")
    assert await loop.sock_recv(ours, 99) == b"heard"
    assert world.made[0].read == b"GET / HTTP/1.1"
    ours.close()
    await world.made[0].is_over.wait()
    world.place.close()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with theirs:
        assert world.parent.give(theirs.fileno(), b"")
    assert await loop.sock_recv(ours, 99) == b"", "it takes none any more"
    ours.close()


async def test_the_parent_is_told_how_it_goes(world: World) -> None:
    world.place.tell_peers(lambda: ("10.0.0.2", "10.0.0.3"))
    world.place.listen(world.make, None)
    siblings = world.place.siblings(bytes)
    siblings.tell([RoomName("den"), RoomName("hut")], ())
    siblings.tell((), [RoomName("hut")])
    siblings.tell((), None)
    world.place.begin(lambda: None)
    await world.until(line.READY)
    assert world.told == [
        (line.LISTENING, b""),
        (line.ALIVE, b"10.0.0.2\n10.0.0.3"),
        (line.GAINED, b"den\nhut"),
        (line.LOST, b"hut"),
        (line.LOST, b""),
        (line.READY, b""),
    ]
    world.place.close()


async def test_the_end_of_the_parent_stops_it(world: World) -> None:
    stopped = asyncio.Event()
    world.place.begin(stopped.set)
    renewed = asyncio.Event()
    world.parent.send(line.RENEW)  # without a certificate
    world.place.call_to_renew(renewed.set)
    world.parent.send(line.RENEW)
    await renewed.wait()
    world.parent.close()
    await stopped.wait()


async def test_one_that_only_starts_ends_with_its_parent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever its start waits: for the database, or for its own address."""
    monkeypatch.setattr(os, "_exit", sys.exit)
    world.parent.close()
    with pytest.raises(SystemExit, match="1"):
        world.place._channel._read()
