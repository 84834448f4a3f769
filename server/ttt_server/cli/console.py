"""How every command of `ttt-server` ends, and says in one line what is wrong."""

import argparse
import os
import sys
from io import TextIOWrapper
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


def one_or_more(text: str) -> int:
    """The value of an option that is a number of things, for `argparse`."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number from 1")
    return int(text)


def tell(program: str, words: str) -> int:
    """Prints what was asked for, on any terminal; the status to exit with."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every terminal has a ±
    try:
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()
    except OSError as error:
        # What is buffered has nowhere to go, and must not be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0  # nobody reads any more: that is an end like another
        return fail(program, error, FAILED)
    return 0


def warn(program: str, words: Exception | str) -> None:
    """Says something on standard error, in one clean line."""
    sys.stderr.write(f"{program}: {clean(' '.join(str(words).split()))}\n")


def fail(program: str, error: Exception, status: int) -> int:
    """Says what is wrong; `status`, to exit with."""
    warn(program, error)
    return status
