"""The boundary at which a bug of the server's own ends, so that what must follow still happens."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


def run_guarded(work: Callable[[*Arguments], object], *arguments: *Arguments) -> Exception | None:
    """Call `work` with `arguments`, and return what it raised, if it raised anything.

    The caller cleans up (a lock to release, a connection to close) and passes the error on to
    where it is answered or logged. It may not drop the error.
    """
    try:
        work(*arguments)
    except Exception as error:  # noqa: BLE001 - the one boundary, see above
        return error
    return None


async def caught(work: Awaitable[T]) -> T | Exception:
    """Await `work` and return its result, or what it raised. The same holds for the error."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the same boundary, for what waits
        return error
