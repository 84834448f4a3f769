"""The load on a server, from a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.bench import processors
from tests.bench.server import Server, ended

_ROOT: Final = Path(__file__).parents[2]
_ENDED: Final = "the load has ended; its words are above"

Told = dict[str, Any]


class LoadFailed(Exception):
    """The load could not be made: why."""


class Generator:
    """Tells `tests.bench.load` what to do."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def do(self, what: str, **how: Any) -> Told:
        """Returns when it is done.

        Raises:
            LoadFailed: it is not.
        """
        self.begin(what, **how)
        return self.told()

    def begin(self, what: str, **how: Any) -> None:
        assert self._process.stdin is not None
        try:
            print(json.dumps({"do": what} | how), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise LoadFailed(_ENDED) from None

    def told(self) -> Told:
        """What came of what was begun."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise LoadFailed(_ENDED)
        told: Told = json.loads(line)
        for fault in told["first_faults"]:
            print(f"fault: {fault}", file=sys.stderr)
        return told


@contextmanager
def generator(server: Server, rooms: str = "bench") -> Iterator[Generator]:
    """A load that has nobody connected as yet, and ends in the end.

    Args:
        server: where it connects.
        rooms: with what the names of its rooms begin.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.load", str(server.port), rooms],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with ended(process):
        processors.give_to_load(process.pid)
        yield Generator(process)


def sleep_until(instant: float) -> None:
    time.sleep(max(0, instant - time.monotonic()))
