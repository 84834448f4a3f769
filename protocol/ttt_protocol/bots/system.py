"""What the shells around programs need of the system, as far as it has it.

On Linux a subreaper becomes the parent of processes that have lost theirs.
"""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import resource
except ImportError:  # pragma: no cover - not on Windows
    resource = None  # type: ignore[assignment]

_PR_SET_CHILD_SUBREAPER = 36

_kept: set[int] | None = None
"""The children to keep; None while no orphans are adopted."""


def memory_limit() -> int:
    """Return the memory limit in bytes that a program inherits; 0 for none."""
    if resource is None:  # pragma: no cover - not on Windows
        return 0
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return 0 if limit == resource.RLIM_INFINITY else limit


@contextmanager
def adopted_orphans() -> Iterator[None]:
    """Adopt orphaned descendants, on Linux, and kill them at the end of the block.

    Start no child processes but programs in the block.
    """
    global _kept  # noqa: PLW0603 - a process has one parent
    _kept = set(_children())
    _be_subreaper(1)
    try:
        yield
    finally:
        kill_orphans()
        _be_subreaper(0)
        _kept = None


def kill_orphans() -> None:
    """Kill the adopted children, when no program runs. Outside `adopted_orphans` do nothing."""
    while _kept is not None and (orphans := set(_children()) - _kept):
        for orphan in orphans:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)


def _be_subreaper(value: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, value, 0, 0, 0)


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
