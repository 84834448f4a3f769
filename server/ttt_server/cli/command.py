"""What a command of `ttt-server` makes of its errors: one line, and an exit status."""

from collections.abc import Callable
from functools import wraps

from ttt_server.cli.console import FAILED, WRONG_USAGE, fail
from ttt_server.config.options import InvalidConfig
from ttt_server.storage.base import CannotOpen, StorageFailed

Run = Callable[[list[str]], int]
"""Runs a command with its arguments, and returns its exit status."""

Errors = tuple[type[Exception], ...]


def command(program: str, *, wrong: Errors = (), failed: Errors = ()) -> Callable[[Run], Run]:
    """Make a function that runs a command report its errors, and return their exit status.

    Args:
        program: the name of the command, which begins the line.
        wrong: errors of the user, beside an invalid option of the server.
        failed: other errors, beside those of the store.
    """
    usage: Errors = (InvalidConfig, *wrong)
    failures: Errors = (CannotOpen, StorageFailed, *failed)

    def reporting(run: Run) -> Run:
        @wraps(run)
        def reported(arguments: list[str]) -> int:
            try:
                return run(arguments)
            except usage as error:
                return fail(program, error, WRONG_USAGE)
            except failures as error:
                return fail(program, error, FAILED)

        return reported

    return reporting
