"""What the commands of `ttt-server` share: a parser, and what becomes of their errors."""

from collections.abc import Callable
from functools import wraps

from ttt_server.cli.console import FAILED, WRONG_USAGE, CommandParser, fail
from ttt_server.config.options import InvalidConfig
from ttt_server.storage.base import CannotOpen, StorageFailed

Run = Callable[[CommandParser, list[str]], int]
"""Runs a command with its arguments, and returns its exit status. The parser knows no options."""

Errors = tuple[type[Exception], ...]


def command(
    program: str, about: str, *, epilog: str | None = None, wrong: Errors = (), failed: Errors = ()
) -> Callable[[Run], Callable[[list[str]], int]]:
    """Give a function that runs a command its parser, and make it report its errors.

    An error is one line, and an exit status.

    Args:
        program: the name of the command, which begins the line.
        about: what its help says before the options.
        epilog: what its help says after them.
        wrong: errors of the user, beside an invalid option of the server.
        failed: other errors, beside those of the store.
    """
    usage: Errors = (InvalidConfig, *wrong)
    failures: Errors = (CannotOpen, StorageFailed, *failed)

    def reporting(run: Run) -> Callable[[list[str]], int]:
        @wraps(run)
        def reported(arguments: list[str]) -> int:
            try:
                return run(CommandParser(program, about, epilog=epilog), arguments)
            except usage as error:
                return fail(program, error, WRONG_USAGE)
            except failures as error:
                return fail(program, error, FAILED)

        return reported

    return reporting
