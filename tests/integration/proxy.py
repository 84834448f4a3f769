"""A line between client and server that can be made bad: slow, cut, dead, or a byte at a time."""

import asyncio
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


def _opened() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass
class Direction:
    """How one direction of the line carries what comes from now on."""

    delay_s: float = 0
    chunk: int = 1 << 16
    """Bytes that are passed on at once."""
    is_open: asyncio.Event = field(default_factory=_opened)
    """Cleared, the bytes are taken, and arrive when it is set again, if ever."""


@dataclass(eq=False)
class _Line:
    """One client's connection, and the one to the server that was made for it."""

    client: StreamWriter
    server: StreamWriter


class FaultProxy:
    """Stands before the server at `address`, on a port of its own."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._server = parts.hostname, parts.port
        self._clients: set[StreamWriter] = set()
        self._lines: set[_Line] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.to_server = Direction()
        self.to_client = Direction()
        self.is_refusing = False
        """Whether who comes now is cut off at once."""

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._take, "127.0.0.1", 0)
        port = self._listener.sockets[0].getsockname()[1]
        self.address = f"ws://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for client in self._clients:  # whose tasks had not begun
            _reset(client)

    def cut(self) -> None:
        """Both sides are told with a reset."""
        for line in self._lines:
            _reset(line.client)
            _reset(line.server)

    def blackhole(self) -> None:
        """Nothing arrives any more, in neither direction, and nobody is told."""
        self.to_server.is_open.clear()
        self.to_client.is_open.clear()

    def heal(self) -> None:
        """Carries everything again, for the lines that are still there and the new ones."""
        self.to_server.is_open.set()
        self.to_client.is_open.set()

    def half_open(self) -> None:
        """The server's side is reset; the clients are not told, and may speak into the void."""
        self.to_client.is_open.clear()
        for line in self._lines:
            _reset(line.server)

    def byte_by_byte(self) -> None:
        self.to_server.chunk = self.to_client.chunk = 1

    def slow_down(self, delay_s: float) -> None:
        self.to_server.delay_s = self.to_client.delay_s = delay_s

    def _take(self, reader: StreamReader, writer: StreamWriter) -> None:
        if self.is_refusing:
            _reset(writer)
            return
        self._clients.add(writer)
        task = asyncio.create_task(self._carry(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection(*self._server)
            line = _Line(writer, to_server)
            self._lines.add(line)
            try:
                async with asyncio.TaskGroup() as pumps:
                    pumps.create_task(_pump(reader, to_server, self.to_server))
                    pumps.create_task(_pump(from_server, writer, self.to_client))
            finally:
                self._lines.discard(line)
                _reset(to_server)
        except OSError:
            pass  # nobody is there; so it looks from this side, too
        finally:
            self._clients.discard(writer)
            _reset(writer)


async def _pump(reader: StreamReader, writer: StreamWriter, direction: Direction) -> None:
    with suppress(OSError, RuntimeError):
        while data := await reader.read(1 << 16):
            if direction.delay_s:
                await asyncio.sleep(direction.delay_s)
            for at in range(0, len(data), direction.chunk):
                await direction.is_open.wait()
                writer.write(data[at : at + direction.chunk])
                await writer.drain()
                if direction.chunk == 1:
                    await asyncio.sleep(0)
        await direction.is_open.wait()
        writer.write_eof()


def _reset(writer: StreamWriter) -> None:
    writer.transport.abort()
