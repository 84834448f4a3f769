"""How soon the client is there: its help, its version, and the first frame of its full screen.

    python -m tests.bench.start

Each is timed in turn with an interpreter that does nothing, and told as a multiple of that; the
machine's own speed and what else it does cancel out. Nothing listens where the client connects to:
its first frame does not wait for that.
"""

import argparse
import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from typing import Final

from tests.integration.programs import environment, program

ROUNDS: Final = 15
_NOWHERE: Final = "ws://127.0.0.1:1"


def _run(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment())
    return time.perf_counter() - began


def _first_frame() -> float:
    """From the start of the process to words on its terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    began = time.perf_counter()
    client = subprocess.Popen(
        [program("ttt-client"), "--server", _NOWHERE, "join", "room42"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env=environment(TERM="xterm-256color"),
    )
    os.close(slave)
    shown = b""
    while b"connecting" not in shown:
        shown += os.read(master, 4096)
    took = time.perf_counter() - began
    client.kill()
    client.wait()
    os.close(master)
    return took


STARTS: Final[dict[str, Callable[[], float]]] = {
    "python -c pass": lambda: _run(sys.executable, "-c", "pass"),
    "ttt-client --help": lambda: _run(program("ttt-client"), "--help"),
    "ttt-client --version": lambda: _run(program("ttt-client"), "--version"),
    "first frame": _first_frame,
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How soon the client is there.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args(argv).rounds
    times: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(rounds):
        for name, start in STARTS.items():
            times[name].append(start())
    bare = statistics.median(times["python -c pass"])
    for name, took in times.items():
        median = statistics.median(took)
        print(f"{name:<22}{median * 1000:7.1f} ms {median / bare:6.2f} times a bare start")


if __name__ == "__main__":
    main()
