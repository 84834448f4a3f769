"""Who runs on which processor: the server alone on one, the load on the others."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_PERIOD_US: Final = 10_000

_ALL: Final = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

ARE_APART: Final = len(_ALL) > 1
"""Whether there are enough of them, and a system that can."""


def give_to_server(pid: int) -> None:
    if ARE_APART:
        os.sched_setaffinity(pid, _ALL[-1:])


def give_to_load(pid: int) -> None:
    if ARE_APART:
        os.sched_setaffinity(pid, _ALL[:-1])


@contextmanager
def held_to(share: float, pids: Sequence[int]) -> Iterator[bool]:
    """Give each of these processes at most this share of a processor, for the block.

    Yields:
        Whether this system lets us do that: with control groups, and as root.
    """
    with ExitStack() as stack:
        try:
            for pid in pids:
                stack.enter_context(_held(share, pid))
        except OSError:
            yield False
        else:
            yield True


@contextmanager
def _held(share: float, pid: int) -> Iterator[None]:
    quota = round(share * _PERIOD_US)
    limits = {"cpu.max": f"{quota} {_PERIOD_US}"}
    root = _GROUPS
    if (_GROUPS / "cpu").is_dir():  # version 1
        root = _GROUPS / "cpu"
        limits = {"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": str(quota)}
    group = root / f"ttt-bench-{pid}"
    group.mkdir()
    try:
        for name, limit in limits.items():
            (group / name).write_text(limit)
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        with suppress(OSError):  # the process has ended
            (root / "cgroup.procs").write_text(str(pid))
        group.rmdir()
