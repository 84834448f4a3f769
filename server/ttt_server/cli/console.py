"""What the commands of `ttt-server` share: startup, one-line errors, exit statuses."""

import argparse
import gc
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ttt_protocol.text import clean
from ttt_server.cli.interrupts import exit_on_interrupt, raise_on_interrupt

_MOST_MEANT: Final = 3

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

FAILED: Final = 1
WRONG_USAGE: Final = 2

_MOST: Final = 1_000_000_000
"""The largest number of an option: years of games."""


@contextmanager
def importing() -> Iterator[None]:
    """Import modules in this block: their objects stay to the end, and are not garbage to look for.

    Without it, the garbage collector looks at them again and again. Ctrl-C ends the program.
    """
    gc.disable()
    exit_on_interrupt()
    try:
        yield
    finally:
        raise_on_interrupt()
        gc.freeze()
        gc.enable()


class CommandParser(argparse.ArgumentParser):
    """A parser that reports errors in one line, even if its help cannot be written."""

    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False, **more)

    def flag(self, name: str, words: str) -> None:
        """Add an option without a value; `words` are its help."""
        self.add_argument(name, action="store_true", help=words)

    def option(self, spec: str, words: str, **more: Any) -> None:
        """Add an argument or an option with a value: `-n --games N`; `words` are its help."""
        *names, metavar = spec.split()
        self.add_argument(*names, metavar=metavar, help=words, **more)

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        if file is not sys.stdout:
            super()._print_message(message, file)
        elif status := tell(self.prog, message.removesuffix("\n")):
            sys.exit(status)

    def error(self, message: str) -> NoReturn:
        found = re.match(r"unrecognized arguments: (--[\w-]+)", message)
        meant = similar(found[1], self._option_string_actions) if found else ""
        self.exit(WRONG_USAGE, f"{self.prog}: {clean(message)}{meant}; see --help\n")


def similar(word: str, known: Iterable[str]) -> str:
    """Return "did you mean …?" for known words similar to `word`, or "" if there are none.

    They are those that begin with `word`, at most three, or else the one most like it.
    """
    known = tuple(known)
    begun = [each for each in known if each.startswith(word)][:_MOST_MEANT]
    *first, last = begun or get_close_matches(word, known, n=1) or [""]
    if not last:
        return ""
    return f"; did you mean {', '.join(first)} or {last}?" if first else f"; did you mean {last}?"


def port(text: str) -> int:
    """Parse a port for `argparse`; 0 means any free one."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text}: must be 0 to 65535")
    return int(text)


def one_or_more(text: str) -> int:
    """Parse a positive count for `argparse`."""
    if not (text.isascii() and text.isdigit() and text.strip("0")):
        raise argparse.ArgumentTypeError(f"{text}: must be a whole number from 1")
    if len(text) > len(str(_MOST)) or int(text) > _MOST:
        raise argparse.ArgumentTypeError(f"must be at most {_MOST}")
    return int(text)


def put(text: str) -> None:
    """Write to standard output and flush, on any terminal. A closed pipe is not an error.

    Raises:
        OSError: if it cannot be written, with one line for the operator.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every terminal can show ±
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Otherwise the interpreter would try to flush the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # the reader closed the pipe, as `head` does
            raise OSError(f"standard output: {error.strerror}") from None


def tell(program: str, words: str) -> int:
    """Print the result of a command; return the exit status."""
    try:
        put(f"{words}\n")
    except OSError as error:
        return fail(program, error, FAILED)
    return 0


def warn(program: str, words: Exception | str) -> None:
    """Write one cleaned line to standard error."""
    sys.stderr.write(f"{program}: {clean(' '.join(str(words).split()))}\n")


def fail(program: str, error: Exception, status: int) -> int:
    """Write an error to standard error; return `status`, the exit status."""
    warn(program, error)
    return status
