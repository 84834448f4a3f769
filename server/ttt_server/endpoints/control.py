"""Commands of the operator on this machine, over a socket in the data folder.

A request is one line of JSON: `{"command": "backup"}`. The answers are lines too: progress, such as
`{"done": 32, "total": 800}`, and last `{"file": NAME}` or `{"error": WORDS}`. The folder is open to
only the server's user, and so is the socket.
"""

import asyncio
import json
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.storage.base import EventStore, StoreError

SOCKET = "control"
"""The socket's name in the data folder."""

PARTIAL = "backup-*.partial"
"""The names of backups in the data folder that the command has not moved yet."""

_EVERY_S = 0.1
"""The least time between two progress lines."""


class Control:
    """Serves the commands for a store in `folder`. `secret` goes into backups; it may be `None`."""

    def __init__(self, folder: Path, store: EventStore, secret: bytes | None) -> None:
        self._folder = folder
        self._store = store
        self._secret = secret
        self._tasks = TaskOwner()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen. The caller is the one server of the folder.

        Raises:
            OSError: if the socket cannot be made.
        """
        for leftover in self._folder.glob(PARTIAL):
            leftover.unlink(missing_ok=True)
        (self._folder / SOCKET).unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        try:
            with short_path(self._folder) as path:
                listening.bind(path)
            (self._folder / SOCKET).chmod(0o600)
            self._server = await asyncio.start_unix_server(self._accept, sock=listening)
        except BaseException:
            listening.close()
            raise

    async def close(self) -> None:
        """Cancel running commands and remove the socket."""
        if self._server is not None:
            self._server.close()
            (self._folder / SOCKET).unlink(missing_ok=True)
        await self._tasks.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.start(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if _command(await reader.readline()) == "backup":
                await self._back_up(writer)
            else:
                _say(writer, error="there is no such command")
            await writer.drain()
        except (OSError, ValueError):
            pass  # the program left, or sent an endless line
        finally:
            writer.close()

    async def _back_up(self, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        task, told_at = asyncio.current_task(), 0.0

        def on_progress(done: int, total: int) -> None:
            nonlocal told_at
            if writer.is_closing() and task is not None:
                task.cancel()  # the command was interrupted
            elif loop.time() - told_at >= _EVERY_S:
                told_at = loop.time()
                _say(writer, done=done, total=total)

        file = self._folder / PARTIAL.replace("*", secrets.token_hex(8))
        try:
            await self._store.backup(file, self._secret, on_progress)
        except StoreError as error:
            _say(writer, error=str(error))
        else:
            _say(writer, file=file.name)


@contextmanager
def short_path(folder: Path) -> Iterator[str]:
    """Return a path of the socket that the system accepts, however long that of the folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET}"
    finally:
        os.close(descriptor)


def _command(line: bytes) -> Any:
    try:
        request = json.loads(line)
    except ValueError:
        return None
    return request.get("command") if isinstance(request, dict) else None


def _say(writer: asyncio.StreamWriter, **words: object) -> None:
    writer.write(json.dumps(words).encode() + b"\n")
