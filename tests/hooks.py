"""A web server of the tests' own that takes notices, as a webhook or a push service does."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, Self

from websockets.datastructures import Headers

STALL = "stall"
"""In place of an answer: take the request, and say nothing."""
HANG_UP = "hang up"
"""In place of an answer: take the request, and close the connection."""


class Taken(NamedTuple):
    """A request."""

    method: str
    path: str
    headers: Headers
    body: bytes


class Hook:
    """Takes requests, and answers each with the next of `answers`, or with `200 OK`."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []
        self.answers: deque[str] = deque()
        """Status lines with their headers, `STALL` or `HANG_UP`."""
        self._news = asyncio.Condition()
        self._server: asyncio.Server
        self.port = 0

    @classmethod
    @asynccontextmanager
    async def serve(cls) -> AsyncIterator[Self]:
        """Serve on a free port of this machine."""
        hook = cls()
        hook._server = await asyncio.start_server(hook._take, "127.0.0.1", 0)
        hook.port = hook._server.sockets[0].getsockname()[1]
        try:
            yield hook
        finally:
            hook._server.close()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def have(self, number: int, patience_s: float = 30) -> list[Taken]:
        """Wait for this many requests, and return all."""
        async with asyncio.timeout(patience_s), self._news:
            await self._news.wait_for(lambda: len(self.taken) >= number)
        return self.taken

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = Headers(
                (name, value.strip())
                for name, colon, value in (line.partition(":") for line in lines)
                if colon
            )
            body = await reader.readexactly(int(headers.get("Content-Length", "0")))
            method, path, _ = first.split(" ")
            self.taken.append(Taken(method, path, headers, body))
            async with self._news:
                self._news.notify_all()
            answer = self.answers.popleft() if self.answers else "200 OK"
            if answer == STALL:
                await reader.read()
            elif answer != HANG_UP:
                writer.write(f"HTTP/1.1 {answer}\r\nContent-Length: 3\r\n\r\nok\n".encode())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # it hung up
        finally:
            writer.close()
