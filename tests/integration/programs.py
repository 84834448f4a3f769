"""Real programs on real sockets: the server as a process, and the simplest client there can be."""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import unicodedata
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.integration import prepared
from tests.postgres import shared_server

PATIENCE_S = float(os.environ.get("PATIENCE_S", "60"))
"""How long anything may take on a busy machine before a test gives up."""

Message = dict[str, Any]

_TOKEN = re.compile(r"\b[a-z0-9]{12}\.[\w-]{20,}")

_FOR_ALL = shlex.split(os.environ.get("TTT_TEST_OPTIONS", ""))
"""Options for every server: `TTT_TEST_OPTIONS='--store memory:' pytest tests/integration`."""

_ON_POSTGRES = os.environ.get("TTT_TEST_STORE") == "postgres"
"""Whether servers without another store keep their rooms in PostgreSQL."""


def program(name: str) -> str:
    """The path of an installed command of ours."""
    found = shutil.which(name, path=sysconfig.get_path("scripts"))
    assert found, f"{name} is not installed beside {sys.executable}"
    return found


def environment(**variables: str) -> dict[str, str]:
    """This process's environment without what would set the programs."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TTT_")}
    return clean | {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1"} | variables


@cache
def own_store(data: Path) -> tuple[str, ...]:  # noqa: ARG001 - the key of the cache
    """The options for the store of a data folder: its SQLite file, or a database of its own."""
    if not _ON_POSTGRES:
        return ()
    postgres = shared_server()
    return "--store", postgres.url(postgres.new_database_with_tables())


async def eventually(is_so: Callable[[], Awaitable[bool]], patience_s: float = PATIENCE_S) -> None:
    """Looks at another process again and again, until it is so."""
    async with asyncio.timeout(patience_s):
        while not await is_so():  # noqa: ASYNC110 - no event of ours comes from there
            await asyncio.sleep(0.05)


def check_log(log: str) -> None:
    """Whatever was done to a server, its log has no traceback, no token, no control character."""
    assert "Traceback" not in log, log
    assert not _TOKEN.search(log), log
    odd = [char for char in log if char != "\n" and unicodedata.category(char)[0] == "C"]
    assert not odd, log


def port_in(line: str) -> int:
    """The port in the line that a server writes when it listens; 0 for another line."""
    found = re.fullmatch(r"ttt-server listening on ws://127\.0\.0\.1:(\d+)\n", line)
    return int(found[1]) if found else 0


class Server:
    """A `ttt-server` that listens on this machine."""

    def __init__(self) -> None:
        self.port = 0

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    async def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, Message]:
        """The status and the JSON of a plain GET; no JSON is an empty object."""
        return await self.ask("GET", path, headers=headers)

    async def ask(
        self,
        method: str,
        path: str,
        body: Message | None = None,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Message]:
        """The status and the JSON of a plain request; other text is under `words`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        fields = {"Host": f"127.0.0.1:{self.port}", "Connection": "close"} | (headers or {})
        sent = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            fields["Content-Length"] = str(len(sent))
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        lines = (f"{name}: {value}" for name, value in fields.items())
        writer.write("\r\n".join((f"{method} {path} HTTP/1.1", *lines, "", "")).encode() + sent)
        async with asyncio.timeout(PATIENCE_S):
            head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        if b"application/json" in head:
            return int(head.split()[1]), json.loads(answer)
        return int(head.split()[1]), {} if method == "GET" else {"words": answer.decode()}


class SharedServer(Server):
    """A server of many tests, each in rooms of its own.

    It belongs to no event loop. An address may do as much here as all the tests together.
    """

    _OPTIONS = (
        *("--max-connections-per-address", "10000", "--max-rooms-per-address", "10000"),
        *("--commands-per-10s-per-address", "1000000", "--guesses-per-minute-per-address", "1000"),
    )

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._log = folder / "log"
        data = folder / "data"
        command = program("ttt-server"), "--port", "0", "--data", str(data), *own_store(data)
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                (*command, *self._OPTIONS, *_FOR_ALL),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment(),
            )
        assert self._process.stdout is not None
        self.port = port_in(self._process.stdout.readline())
        assert self.port, self._log.read_text()

    def stop(self) -> None:
        """End it; its log has to be clean."""
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE_S)
        assert self._process.returncode == 0
        check_log(self._log.read_text())


class ServerProcess(Server):
    """`ttt-server` on a port of its own, which it keeps over restarts."""

    def __init__(
        self,
        data: Path,
        *options: str,
        under: tuple[str, ...] = (),
        before: str = "",
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.data = data
        self.options = options
        self.under = under
        """The command that runs it, if it is not to run by itself."""
        self.before = before
        """Python that the process runs before it serves, if any."""
        self.variables = variables
        """What its environment has beside that of all."""
        self.processes: list[Process] = []
        """The one that runs, after those that it was before."""

    @property
    def process(self) -> Process:
        return self.processes[-1]

    async def start(self) -> None:
        arguments = (
            *("--port", str(self.port), "--data", str(self.data)),
            *(*own_store(self.data), *self.options, *_FOR_ALL),
        )
        process = await prepared.start(
            *(*self.under, program("ttt-server"), *arguments),
            env=environment(**self.variables),
            before=self.before,
        )
        self.processes.append(process)
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await process.stdout.readline()).decode()
        port = port_in(line)
        assert port, await self.log()
        self.port = port

    def memory(self) -> int:
        """Bytes that it has in memory now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def forget_peak(self) -> None:
        """From now on `peak` is of now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak(self) -> int:
        """Bytes that it had in memory when it had most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        largest = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert largest
        return int(largest[1]) << 10

    def files(self) -> int:
        """How many descriptors it has open."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    async def log(self) -> str:
        """What it wrote on standard error; waits for its end."""
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            return (await self.process.stderr.read()).decode()

    async def kill(self) -> None:
        """The plug is pulled."""
        self.process.kill()
        await self.process.wait()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Hold the process: a connection is accepted by the kernel, and has no answer."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    async def stop(self) -> int:
        """A polite end; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()

    async def close(self) -> None:
        """End it politely if it runs; waits until nothing writes on a pipe of one that it was."""
        if self.process.returncode is None:
            assert await self.stop() == 0
        async with asyncio.timeout(PATIENCE_S):
            for process in self.processes:
                _, errors = await process.communicate()
                check_log(errors.decode())

    async def restart_after_kill(self) -> None:
        await self.kill()
        check_log(await self.log())
        await self.start()


async def run_server(
    *options: str, under: tuple[str, ...] = (), **variables: str
) -> tuple[int | None, str, str]:
    """A server that is expected to end by itself: its status, output and errors.

    Without the warning that the PostgreSQL of the tests syncs nothing.
    """
    process = await prepared.start(
        *(*under, program("ttt-server"), *options), env=environment(**variables)
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    lines = err.decode().splitlines(keepends=True)
    errors = "".join(line for line in lines if "fsync is off in the database" not in line)
    return process.returncode, out.decode(), errors


class SimpleClient:
    """A client from the contract alone: JSON over a socket, and no code of ours."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, type_: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": type_, **fields}))

    async def receive(self, patience_s: float = PATIENCE_S) -> Message:
        async with asyncio.timeout(patience_s):
            message: Message = json.loads(await self.socket.recv())
        return message

    async def until(self, type_: str) -> Message:
        """The next message of this type; others are passed over."""
        while (message := await self.receive())["type"] != type_:
            pass
        return message

    async def until_ply(self, ply: int, game: int = 1) -> Message:
        """The update after which the game is at this ply."""
        while True:
            update = await self.until("update")
            now = update["room"]["game"]
            if now and (now["number"], now["ply"]) == (game, ply):
                return update

    async def until_over(self) -> Message:
        """The update with which the game ends."""
        while True:
            update = await self.until("update")
            if update["room"]["status"] == "finished":
                return update

    async def until_event(self, kind: str) -> Message:
        """The next update with an event of this type."""
        while True:
            update = await self.until("update")
            if any(event["type"] == kind for event in update["events"]):
                return update

    async def join(self, **fields: Any) -> Message:
        await self.send("join", **fields)
        return await self.until("welcome")

    async def refusal(self, type_: str, **fields: Any) -> Message:
        """What the server says against this command."""
        await self.send(type_, **fields)
        return await self.until("refused")

    async def play(self, ply: int, cell: int, game: int = 1) -> Message:
        """Plays, and waits until the move has been published."""
        await self.send("play", game=game, ply=ply, cell=cell)
        return await self.until_ply(ply + 1, game)

    async def close_code(self) -> int | None:
        """Reads until the connection ends."""
        async with asyncio.timeout(PATIENCE_S):
            with suppress(ConnectionClosed):
                while True:
                    await self.socket.recv()
        return self.socket.close_code


StartServer = Callable[..., Awaitable[ServerProcess]]
Dial = Callable[..., Awaitable[SimpleClient]]


@asynccontextmanager
async def servers(folder: Path) -> AsyncIterator[StartServer]:
    """Starts servers with the given options; they end with the context, their logs clean."""
    started: list[ServerProcess] = []

    async def start(*options: str, data: Path = folder / "data", **how: Any) -> ServerProcess:
        server = ServerProcess(data, *options, **how)
        await server.start()
        started.append(server)
        return server

    yield start
    for server in started:
        await server.close()


@asynccontextmanager
async def connections() -> AsyncIterator[Dial]:
    """Connects to a room (or any path) of a server, until the context ends."""
    sockets: list[ClientConnection] = []

    async def open_socket(server: Server, path: str, **options: Any) -> SimpleClient:
        path = path if path.startswith("/") else f"/ws/rooms/{path}"
        options = {"subprotocols": ["ttt.v1"], "compression": None} | options
        socket = await connect(server.address + path, **options)
        sockets.append(socket)
        return SimpleClient(socket)

    yield open_socket
    for socket in sockets:
        await socket.close()
