import subprocess
import sys
from pathlib import Path

import pytest

from ttt_protocol.bots.system import adopted_orphans, kill_orphans, memory_limit

LEAVES = """
import subprocess
left = subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL)
print(left.pid)
"""
BOT = f"""
import subprocess, sys
from ttt_protocol.bots.system import adopted_orphans
with adopted_orphans():
    told = subprocess.run([sys.executable, "-c", {LEAVES!r}], stdout=subprocess.PIPE, text=True)
    print(told.stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a subreaper")
def test_a_child_that_left_its_group_ends() -> None:
    told = subprocess.run(
        [sys.executable, "-c", BOT], stdout=subprocess.PIPE, text=True, check=True, timeout=50
    )
    assert not Path("/proc", told.stdout.strip()).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a subreaper")
def test_children_of_before_and_of_others_go_on() -> None:
    kill_orphans()  # outside of the block it does nothing
    with subprocess.Popen(["/bin/sleep", "60"]) as before:
        with adopted_orphans():
            told = subprocess.run(
                [sys.executable, "-c", LEAVES], stdout=subprocess.PIPE, check=True
            )
            assert Path("/proc", told.stdout.decode().strip()).exists()
        assert not Path("/proc", told.stdout.decode().strip()).exists()
        assert before.poll() is None
        before.kill()


def test_the_limit_of_memory_is_that_which_a_program_inherits() -> None:
    code = "from ttt_protocol.bots.system import memory_limit; print(memory_limit())"
    limited = f"ulimit -v 4000000; exec {sys.executable} -c '{code}'"
    told = subprocess.run(["/bin/sh", "-c", limited], capture_output=True, text=True, check=True)
    assert int(told.stdout) == 4_000_000 * 1024
    assert memory_limit() >= 0
