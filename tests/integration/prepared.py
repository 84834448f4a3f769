"""Programs as forks of a process that has imported their modules: a start without its imports.

The imports are 0.28 s of CPU, nine tenths of a start, and the suite starts a thousand programs. The
program itself is the same: its arguments, streams, environment and folder are those of a new
process, and it ends as one. `prepared_main` is the process that forks.
"""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

MODULES = {
    "ttt-server": (
        *("ttt_server.__main__", "ttt_server.cli.serve", "ttt_server.server"),
        *("ttt_server.cluster.member", "ttt_server.storage.postgres.store"),
    ),
    "ttt-client": ("ttt_client.__main__", "ttt_client.cli.commands", "ttt_client.tui.runner"),
}
"""The module with the program's `main`, and those that it imports later."""

_AT_THE_START = "PYTHON", "LC_", "LANG"
"""Variables that Python reads when it starts: a program with others of these is not forked."""

_PRELOADED = "LD_PRELOAD"
"""Variable with a library that a process has from its start: each has a process that forks."""

_ENVIRONMENT = os.environ | {"PYTHONUNBUFFERED": "1"}
"""Of the processes that fork: before any test has changed it."""


async def start(
    program: str,
    *arguments: str | Path,
    stdin: int | None = None,
    terminal: int | None = None,
    env: Mapping[str, str],
    before: str = "",
) -> Process:
    """Start a program with its output and errors in pipes, or in a session on a terminal.

    One that is not known, or that needs another Python, is a new process as usual. `before` is
    Python that the process runs first, for a program of ours.
    """
    is_known = Path(program).name in MODULES
    if is_known and _read_at_the_start(env) == _read_at_the_start(_ENVIRONMENT):
        what = {
            "arguments": [program, *map(str, arguments)],
            "environment": dict(env),
            "folder": str(Path.cwd()),
            "before": before,
        }
        forking = _forking(program, env.get(_PRELOADED, ""))
        if terminal is not None:
            return await _fork(forking, what, [terminal] * 3, {})
        return await _fork_with_pipes(forking, what, has_input=stdin == PIPE)
    if before:
        itself = f"import runpy; runpy.run_path({program!r}, run_name='__main__')"
        program, arguments = sys.executable, ("-c", f"{before}\n{itself}", *arguments)
    if terminal is not None:
        take = partial(os.login_tty, os.dup(terminal))
        return await asyncio.create_subprocess_exec(program, *arguments, env=env, preexec_fn=take)
    return await asyncio.create_subprocess_exec(
        program, *arguments, stdin=stdin, stdout=PIPE, stderr=PIPE, env=env
    )


def _read_at_the_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_AT_THE_START)}


@cache
def _forking(program: str, preloaded: str) -> socket.socket:
    """Start the process that forks this program, with this library; it ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    main = Path(__file__).with_name("prepared_main.py")
    process = subprocess.Popen(
        (sys.executable, str(main), str(theirs.fileno()), *MODULES[Path(program).name]),
        stdin=PIPE,  # Python remembers that none of the three can seek, as those of a fork
        stdout=PIPE,
        stderr=PIPE,
        pass_fds=(theirs.fileno(),),
        env=_ENVIRONMENT | ({_PRELOADED: preloaded} if preloaded else {}),
    )
    theirs.close()

    def end() -> None:
        ours.close()
        process.communicate()

    atexit.register(end)
    return ours


async def _fork_with_pipes(
    forking: socket.socket, what: Mapping[str, Any], *, has_input: bool
) -> Process:
    their_input, our_input = os.pipe() if has_input else (os.open(os.devnull, os.O_RDONLY), -1)
    our_output, their_output = os.pipe()
    our_errors, their_errors = os.pipe()
    ours = {
        "stdin": await _writer(our_input) if has_input else None,
        "stdout": await _reader(our_output),
        "stderr": await _reader(our_errors),
    }
    theirs = [their_input, their_output, their_errors]
    try:
        return await _fork(forking, what, theirs, ours)
    finally:
        for descriptor in theirs:
            os.close(descriptor)


async def _fork(
    forking: socket.socket, what: Mapping[str, Any], theirs: list[int], ours: Mapping[str, Any]
) -> Process:
    """Start a program with these streams; if they are one terminal it begins a session there."""
    our_state, their_state = os.pipe()
    socket.send_fds(forking, [json.dumps(what).encode()], [*theirs, their_state])
    os.close(their_state)
    state = await _reader(our_state)
    transport = _Forked(int(await state.readline()), state)
    streams = SimpleNamespace(**{"stdin": None, "stdout": None, "stderr": None} | dict(ours))
    return Process(transport, cast("Any", streams), asyncio.get_running_loop())


class _Forked(asyncio.SubprocessTransport):
    """The part of a transport that `Process` asks for."""

    def __init__(self, pid: int, state: asyncio.StreamReader) -> None:
        super().__init__()
        self._pid = pid
        self._status: int | None = None
        self._ended = asyncio.create_task(self._watch(state))

    async def _watch(self, state: asyncio.StreamReader) -> None:
        self._status = int(await state.readline())
        await state.read()  # its pipe is closed

    async def _wait(self) -> int | None:
        await asyncio.shield(self._ended)
        return self._status

    def get_pid(self) -> int:
        return self._pid

    def get_returncode(self) -> int | None:
        return self._status

    def get_pipe_transport(self, fd: int) -> Any:  # noqa: ARG002 - one for all
        """Return what `communicate` closes at the end of a stream, which has closed itself."""
        return SimpleNamespace(close=lambda: None)

    def send_signal(self, signal: int) -> None:
        if self._status is not None:
            raise ProcessLookupError
        os.kill(self._pid, signal)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


_open: set[asyncio.BaseTransport] = set()
"""Pipes that have not ended. A child of a program may hold one for longer than its test takes."""


class _Reading(asyncio.StreamReaderProtocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._pipe = transport
        _open.add(transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        _open.discard(self._pipe)
        super().connection_lost(exc)


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    pipe = os.fdopen(descriptor, "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: _Reading(reader), pipe)
    return reader


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(descriptor, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
