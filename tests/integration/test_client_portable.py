"""Lines and JSON where there are no POSIX modules, and no signal handlers of the loop."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.integration.programs import PATIENCE_S, ServerProcess, environment

_HIDDEN = """
import asyncio, selectors, socket, subprocess, sys  # the platform's own, which need some of them
for name in ("fcntl", "termios", "tty", "pty", "resource", "pwd", "grp"):
    sys.modules[name] = None
def refuse(*_):
    raise NotImplementedError
asyncio.SelectorEventLoop.add_signal_handler = refuse
from ttt_client.cli.main import main
sys.exit(main())
"""


@pytest.mark.parametrize("mode", ["--plain", "--json"])
async def test_a_game_without_posix_modules(
    server: ServerProcess, tmp_path: Path, mode: str
) -> None:
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _HIDDEN, "--server", server.address, mode),
        *("join", "den", "--vs", "rules"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=environment(XDG_STATE_HOME=str(tmp_path)),
    )
    lines = {
        "--plain": b"5\nresign\nquit\n",
        "--json": b'{"type":"play","game":1,"ply":0,"cell":4}\n{"type":"resign","game":1}\n',
    }[mode]
    async with asyncio.timeout(PATIENCE_S):
        out, err = await client.communicate(lines)
    assert (client.returncode, err) == (0, b"")
    assert (b"you lost: by resignation" if mode == "--plain" else b'"resignation"') in out
