"""A check of each step from this machine to the server, one line a step."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from functools import partial

from pydantic_core import to_json
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, dial, words_of
from ttt_client.net.newer_server import read_message
from ttt_client.terminal.stdout import Output
from ttt_protocol.messages import Rooms
from ttt_protocol.state import SUBPROTOCOL
from ttt_protocol.text import counted

STEP_S = 10.0
"""The time limit of a step, in seconds."""


class StepFailed(Exception):
    """A step failed; the message is for people."""


class Doctor:
    """Try one step after another, and skip those that need a failed one."""

    def __init__(self, server: ServerAddress, output: Output, *, json: bool) -> None:
        self._server = server
        self._output = output
        self._json = json

    async def run(self) -> int:
        """Return the exit code: 3 if the server cannot be reached, 1 if a later step failed."""
        if not await self._try("address", self._address) or not await self._try("tcp", self._tcp):
            return 3
        healthy = await self._try("http", self._http)
        try:
            connection = await dial(self._server.socket("lobby"), open_timeout_s=STEP_S)
        except CannotDial as error:
            self._tell("upgrade", error.words, ok=False)
            return 1
        try:
            checks = {"upgrade": _upgrade, "protocol": _protocol, "round trip": _round_trip}
            steps = [await self._try(name, partial(checks[name], connection)) for name in checks]
        finally:
            await connection.close()
        return 0 if healthy and all(steps) else 1

    async def _try(self, name: str, attempt: Callable[[], Awaitable[str]]) -> bool:
        ok = False
        try:
            async with asyncio.timeout(STEP_S):
                detail, ok = await attempt(), True
        except StepFailed as error:
            detail = str(error)
        except TimeoutError:
            detail = f"no answer in {STEP_S:.0f} s"
        except ConnectionClosed:
            detail = "the server closed the connection"
        except OSError as error:
            detail = words_of(error)
        self._tell(name, detail, ok=ok)
        return ok

    def _tell(self, step: str, detail: str, *, ok: bool) -> None:
        """Print a step with its result, as a line of text or JSON."""
        if self._json:
            self._output.raw(to_json({"step": step, "ok": ok, "detail": detail}).decode())
        else:
            self._output.say(f"{step:<10}  {'ok' if ok else 'failed'}: {detail}")

    async def _address(self) -> str:
        host, port = self._server.host, self._server.port
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return f"{host} is " + ", ".join(sorted({str(info[4][0]) for info in found}))

    async def _tcp(self) -> str:
        _, writer = await asyncio.open_connection(self._server.host, self._server.port)
        writer.close()
        return f"{self._server.netloc} accepts connections"

    async def _http(self) -> str:
        tls = ssl.create_default_context() if self._server.secure else None
        host, port = self._server.host, self._server.port
        reader, writer = await asyncio.open_connection(host, port, ssl=tls)
        path = f"{self._server.prefix}/healthz"
        request = f"GET {path} HTTP/1.1\r\nHost: {self._server.netloc}\r\nConnection: close\r\n\r\n"
        try:
            writer.write(request.encode())
            status = (await reader.readline()).split()[1:2]
        except ValueError:
            raise StepFailed("what answers there is not a web server") from None
        finally:
            writer.close()
        if status != [b"200"]:
            answer = status[0].decode(errors="replace") if status else "nothing"
            raise StepFailed(f"GET {path} gave {answer}")
        return f"GET {path} gave 200"


async def _upgrade(connection: ClientConnection) -> str:
    if connection.subprotocol != SUBPROTOCOL:
        raise StepFailed(f"the server speaks {connection.subprotocol or 'no subprotocol'}")
    return f"a WebSocket that speaks {SUBPROTOCOL}"


async def _protocol(connection: ClientConnection) -> str:
    message = read_message(await connection.recv())
    if not isinstance(message, Rooms):
        raise StepFailed("the first message is no list of rooms")
    return f"the lobby has {counted(message.total or len(message.rooms), 'public room')}"


async def _round_trip(connection: ClientConnection) -> str:
    return f"{await (await connection.ping()) * 1000:.1f} ms"
