"""Ctrl-C before a program has begun: while it imports its modules."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.programs import PATIENCE_S, environment, program

pytestmark = pytest.mark.slow

_INTERRUPTED = """
import os, runpy, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == at:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
_, at, how = sys.argv[:3]
sys.argv = sys.argv[2:]
if os.path.exists(how):
    runpy.run_path(how, run_name="__main__")
else:
    runpy.run_module(how, run_name="__main__", alter_sys=True)
"""
"""Runs a program, and sends SIGINT to it when it imports a module."""


def interrupted(at: str, how: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _INTERRUPTED, at, how, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment(),
        check=False,
    )


@pytest.mark.parametrize("how", [program("ttt-server"), "ttt_server"])
@pytest.mark.parametrize("at", ["ttt_server.cli.main", "pydantic", "ttt_server.transport"])
def test_the_server_ends_without_a_word(tmp_path: Path, how: str, at: str) -> None:
    ended = interrupted(at, how, "--port", "0", "--data", str(tmp_path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.parametrize("how", [program("ttt-client"), "ttt_client"])
@pytest.mark.parametrize("at", ["ttt_client.cli.main", "pydantic", "websockets"])
def test_the_client_ends_without_a_word(how: str, at: str) -> None:
    ended = interrupted(at, how, "--server", "127.0.0.1:9", "join", "den")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_an_ignored_interrupt_stays_ignored() -> None:
    before = f"import signal; signal.signal(signal.{signal.SIGINT.name}, signal.SIG_IGN)"
    ended = subprocess.run(
        [sys.executable, "-c", f"{before}\n{_INTERRUPTED}", "pydantic", "ttt_server", "--version"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment(),
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
