"""How every command of `ttt-server` ends, and says in one line what is wrong."""

import argparse
import sys
from typing import Final, NoReturn

from ttt_protocol.text import clean

FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130
"""By Ctrl-C, as shells have it."""


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {clean(message)}; see --help\n")


def warn(program: str, words: Exception | str) -> None:
    """Says something on standard error, in one clean line."""
    sys.stderr.write(f"{program}: {clean(' '.join(str(words).split()))}\n")


def fail(program: str, error: Exception, status: int) -> int:
    """Says what is wrong; `status`, to exit with."""
    warn(program, error)
    return status
