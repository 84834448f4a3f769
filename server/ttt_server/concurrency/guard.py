"""The boundary that contains our own bugs, so that cleaning up still happens."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


def run_guarded(work: Callable[[*Arguments], object], *arguments: *Arguments) -> Exception | None:
    """Call `work` with `arguments`, and return what it raised, if anything.

    The caller cleans up (releases a lock, closes a connection) and passes the error on to be
    answered or logged. It must not drop it.
    """
    try:
        work(*arguments)
    except Exception as error:  # noqa: BLE001 - the one boundary, see above
        return error
    return None


async def caught(work: Awaitable[T]) -> T | Exception:
    """Await `work`, and return its result or what it raised, under the same rule."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the same boundary
        return error
