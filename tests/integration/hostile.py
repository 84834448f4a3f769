"""Peers that mean harm, and what a server has to be like after them."""

import asyncio
import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    ServerProcess,
    SimpleClient,
    check_log,
)

PACE_S = 0.1
"""Between two moves of the canary: each player is well within what one may say."""

MEMORY = 64 << 20
"""More bytes than this may not be left behind by anybody."""

TEXT, CONTINUED, PING, PONG, CLOSE = 1, 0, 9, 10, 8


def frame(kind: int, data: bytes = b"", *, fin: bool = True) -> bytes:
    """A masked frame; the mask is zero, which hides nothing and is allowed."""
    length = len(data)
    short = bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
    return bytes([(0x80 if fin else 0) | kind]) + short + bytes(4) + data


class RawClient:
    """A socket, and bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, server: ServerProcess) -> "RawClient":
        return cls(*await asyncio.open_connection("127.0.0.1", server.port))

    def send(self, data: bytes) -> None:
        """Without waiting for the server to take it."""
        self.writer.write(data)

    async def upgrade(self, server: ServerProcess, room: str, *headers: str) -> int:
        """Asks for a room's socket; the status of the answer."""
        lines = [
            f"GET /ws/rooms/{room} HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            *headers,
            "",
            "",
        ]
        self.send("\r\n".join(lines).encode())
        async with asyncio.timeout(PATIENCE_S):
            head = await self.reader.readuntil(b"\r\n\r\n")
        return int(head.split()[1])

    async def rest(self) -> bytes:
        """All that the server says until it ends the connection; then this end goes too."""
        said = b""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while piece := await self.reader.read(1 << 16):
                    said += piece
        except ConnectionError:
            pass  # it was cut off; what was said before was heard
        self.cut()
        return said

    def cut(self) -> None:
        self.writer.transport.abort()


def messages(said: bytes) -> list[dict[str, Any]]:
    """The texts among a server's frames."""
    return [json.loads(data) for kind, data in _frames(said) if kind == TEXT]


def close_code(said: bytes) -> int | None:
    codes = [int.from_bytes(data[:2], "big") for kind, data in _frames(said) if kind == CLOSE]
    return codes[-1] if codes else None


def _frames(said: bytes) -> list[tuple[int, bytes]]:
    frames, at = [], 0
    while at + 2 <= len(said):
        kind, length = said[at] & 0x0F, said[at + 1]
        at += 2
        if length >= 126:
            width = 2 if length == 126 else 8
            length = int.from_bytes(said[at : at + width], "big")
            at += width
        frames.append((kind, said[at : at + length]))
        at += length
    return frames


class Canary:
    """Two who play one game after the other, as long as they are let."""

    def __init__(self, ada: SimpleClient, bob: SimpleClient, dial: Dial) -> None:
        self._players = (ada, bob)
        self._dial = dial
        self._visitors: list[SimpleClient] = []
        self._moves = 0
        self._moved = asyncio.Event()

    async def sing(self) -> None:
        """Plays until it is cancelled; fails if a move is not told to both in time."""
        game = 1
        while True:
            first, second = self._players if game % 2 else self._players[::-1]
            for ply, cell in enumerate((0, 3, 1, 4, 2)):
                mover, other = (first, second) if ply % 2 == 0 else (second, first)
                await mover.play(ply, cell, game)
                await other.until_ply(ply + 1, game)
                self._moves += 1
                self._moved.set()
                await asyncio.sleep(PACE_S)
            game += 1
            for player in self._players:
                await player.send("offer", kind="rematch")
            for player in self._players:
                await player.until_ply(0, game)

    async def visit(self, server: ServerProcess, path: str, **options: Any) -> SimpleClient:
        """Dials; whoever comes like this is gone in the end."""
        visitor = await self._dial(server, path, **options)
        self._visitors.append(visitor)
        return visitor

    async def is_alone(self) -> None:
        """All visitors go."""
        for visitor in self._visitors:
            await visitor.socket.close()

    async def sings_on(self, moves: int = 3) -> None:
        """So many more moves are made."""
        goal = self._moves + moves
        while self._moves < goal:
            self._moved.clear()
            await self._moved.wait()


@asynccontextmanager
async def unharmed(server: ServerProcess, dial: Dial) -> AsyncIterator[Canary]:
    """Whatever is done to the server inside, it lives, plays on, and keeps and tells nothing of it.

    Ends the server.
    """
    ada, bob = await dial(server, "canary"), await dial(server, "canary")
    await ada.join(name="ada")
    await bob.join(name="bob")
    canary = Canary(ada, bob, dial)
    async with asyncio.TaskGroup() as tasks:
        singing = tasks.create_task(canary.sing())
        await canary.sings_on()
        files, memory = server.files(), server.memory()
        yield canary
        await canary.sings_on()
        await canary.is_alone()
        async with asyncio.timeout(PATIENCE_S):
            while server.files() > files:
                await canary.sings_on(1)
        assert server.memory() < memory + MEMORY
        singing.cancel()
    assert await server.stop() == 0
    check_log(await server.log())
