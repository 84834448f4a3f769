"""The boundary at which a bug of the server's own ends, so that what must follow still happens."""

from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")


def run_guarded(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Exception | None:
    """Run `work` and return what it raised, if it raised anything.

    The caller cleans up (a lock to release, a connection to close) and passes the error on to
    where it is answered or logged. The error may not be dropped.
    """
    try:
        work(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - the one boundary, see above
        return error
    return None
