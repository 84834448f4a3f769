"""The program that is measured: `ttt-server`, with limits that one address does not meet."""

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.bench import processors
from tests.integration.programs import environment, program

LIMITS: Final = (
    *("--max-connections", "1000000", "--max-connections-per-address", "1000000"),
    *("--max-rooms", "1000000", "--max-rooms-per-address", "1000000"),
    *("--commands-per-10s", "1000000000", "--command-burst", "1000000000"),
    *("--join-timeout-s", "600", "--drain-s", "1"),
)
"""What load from one address would meet, raised."""

PATIENCE_S: Final = 20.0

_GREETING: Final = "ttt-server listening on ws://127.0.0.1:"


class NotStarted(Exception):
    """The server did not start: its last words."""


def ours() -> str:
    """The command that is installed beside this interpreter."""
    return shlex.join([program("ttt-server")])


class Server:
    """A running server."""

    def __init__(
        self, process: subprocess.Popen[str], port: int, helpers: "Sequence[Server]" = ()
    ) -> None:
        """`helpers` are servers whose processor time counts as its own."""
        self._process = process
        self.port = port
        self._helpers = helpers

    @property
    def pid(self) -> int:
        return self._process.pid

    def helped_by(self, *others: "Server") -> "Server":
        """The same server, with the others' processor time."""
        return Server(self._process, self.port, others)

    def memory_kib(self) -> float:
        """Resident memory now; nan where there is no `/proc`."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except FileNotFoundError:
            return float("nan")
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024

    def peak_kib(self) -> float:
        """The most resident memory that it has had; nan where there is no `/proc`."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except FileNotFoundError:
            return float("nan")
        return float(status.partition("VmHWM:")[2].split()[0])

    def cpu_s(self) -> float:
        """Seconds of a processor so far, of all its threads and processes; nan where none tells.

        Processes that have ended are counted in hundredths of a second.
        """
        if sys.platform != "linux":
            return float("nan")
        pid = self._process.pid
        own = sum(map(cpu_s, [pid, *descendants(pid)])) + _cpu_of_ended_s(pid)
        return own + sum(helper.cpu_s() for helper in self._helpers)


def cpu_s(pid: int) -> float:
    """Return the seconds of a processor of one process; none of one that has ended."""
    try:
        # The clock of another process (clock_getcpuclockid); /proc/PID/stat counts hundredths.
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0


def _cpu_of_ended_s(pid: int) -> float:
    """Of the processes that one had started, and has seen the end of."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """The processes that it started, and that those did, as `/proc` has them."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = [pid]
    for parent in found:
        found += [child for child, its_parent in parents.items() if its_parent == parent]
    return found[1:]


@contextmanager
def running(command: str, folder: Path | None, *options: str) -> Iterator[Server]:
    """Starts a server with a new data folder; stops it in the end.

    Args:
        command: of the server.
        folder: where the data folder is made; the system's for temporary files if null.
        options: beside the limits.

    Raises:
        NotStarted: it did not.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix="ttt-bench-") as data:
        log = Path(data, "log")
        with log.open("w") as errors:
            process = subprocess.Popen(
                [*shlex.split(command), "--port", "0", "--data", f"{data}/data", *LIMITS, *options],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment(),
                start_new_session=True,  # Ctrl-C is for us, who end it
            )
        with ended(process):
            processors.give_to_server(process.pid)
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line.startswith(_GREETING):
                raise NotStarted(f"{command}: {log.read_text()[-1000:] or line or 'no word'}")
            yield Server(process, int(line.removeprefix(_GREETING)))


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends the process, come what may."""
    with process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
