"""What a shell around a program asks of the system, as far as the system has it.

A process that has left the group of its program, and lost its parent, comes to a subreaper (Linux).
"""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # pragma: no cover - not on Windows
    resource = None  # type: ignore[assignment]

_PR_SET_CHILD_SUBREAPER = 36

_has_only_programs = False


def memory_limit() -> int:
    """Return the bytes of memory that a program may use, as it inherits the limit; 0 for none."""
    if resource is None:  # pragma: no cover - not on Windows
        return 0
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return 0 if limit == resource.RLIM_INFINITY else limit


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, on Linux, so that they can be ended.

    It is for a process that starts programs, and nothing else.
    """
    global _has_only_programs  # noqa: PLW0603 - as the process has it
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _has_only_programs = True


def kill_orphans() -> None:
    """End the adopted children, when no program runs. It needs `adopt_orphans` before."""
    while _has_only_programs and (children := _children()):
        for child in children:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _children() -> list[int]:
    """Return the children of this process; none where the system does not tell."""
    own = os.getpid()
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            # The name in parentheses may hold anything; after it come the state and the parent.
            if int(stat.read_bytes().rpartition(b")")[2].split()[1]) == own:
                found.append(int(stat.parent.name))
    return found
