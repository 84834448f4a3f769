"""Memory that is free within the process, and could be the system's."""

import ctypes
from contextlib import suppress


def release_memory() -> None:
    """Give pages that the C library keeps for later back to the system, where it can do that.

    It takes some milliseconds, without the interpreter's lock.
    """
    with suppress(AttributeError, OSError, TypeError):  # not with glibc
        ctypes.CDLL(None).malloc_trim(0)
