"""Who runs on which processor: the server alone on one, the load on the others."""

import os
from typing import Final

_ALL: Final = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

ARE_APART: Final = len(_ALL) > 1
"""Whether there are enough of them, and a system that can."""


def give_to_server(pid: int) -> None:
    if ARE_APART:
        os.sched_setaffinity(pid, _ALL[-1:])


def give_to_load(pid: int) -> None:
    if ARE_APART:
        os.sched_setaffinity(pid, _ALL[:-1])
