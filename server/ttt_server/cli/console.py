"""What the commands of `ttt-server` share: startup, progress bars, one-line errors, statuses."""

import argparse
import gc
import math
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from io import TextIOWrapper
from typing import Any, Final, NoReturn, Self, TextIO

from ttt_protocol.text import clean
from ttt_server.cli.interrupts import exit_on_interrupt, raise_on_interrupt

_MOST_MEANT: Final = 3

FAILED: Final = 1
WRONG_USAGE: Final = 2

_MOST: Final = 1_000_000_000
"""The largest number of an option: years of games."""

_EVERY_S: Final = 0.1
"""Between two drawings of a progress bar: often enough to look alive."""

_CLEAR: Final = "\r\x1b[K"


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

    def _print_message(self, message: str, file: Any = None) -> None:
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


def between(low: float, high: float, words: str) -> Callable[[str], float]:
    """Return what parses a number for `argparse`; `words` say what it must be."""

    def number(text: str) -> float:
        try:
            parsed = float(text)
        except ValueError:
            parsed = math.nan
        if not low <= parsed <= high:
            raise argparse.ArgumentTypeError(f"{text}: must be {words}")
        return parsed

    return number


def parse_date(text: str, fault: str) -> datetime:
    """Parse a date for `argparse`, in UTC unless it says otherwise; `fault` says what is wrong."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(fault) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Progress:
    """A progress bar: how much of `total` is done, if `stream` is a terminal.

        |####........| 1200 of 28000 games, 4 s left

    It is a context manager. `clock` returns seconds that do not go back.
    """

    def __init__(
        self,
        total: int,
        unit: str,
        clock: Callable[[], float] = time.monotonic,
        stream: TextIO | None = None,
    ) -> None:
        self._total = total
        self._unit = unit
        self._clock = clock
        self._stream = sys.stderr if stream is None else stream
        self._shows = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._done = 0
        self._began = self._shown_at = clock()

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self._write(_CLEAR)

    def advance(self, done: int) -> None:
        """Count more work as done; it may be called at any rate."""
        self.show(self._done + done, self._total)

    def show(self, done: int, total: int) -> None:
        """Set how much is done, and of how much; it may be called at any rate."""
        self._done, self._total = done, total
        if self._clock() - self._shown_at >= _EVERY_S:
            self._show()

    def _show(self) -> None:
        self._shown_at = self._clock()
        unit = self._unit.removesuffix("s") if self._total == 1 else self._unit
        told = f" {self._done} of {self._total} {unit}{self._left()}"
        room = min(shutil.get_terminal_size().columns - len(told) - 3, 40)
        filled = max(room, 0) * self._done // max(self._total, 1)
        bar = f"|{'#' * filled:.<{room}}|" if room > 0 else ""
        self._write(_CLEAR + bar + told)

    def _left(self) -> str:
        if not self._done:
            return ""
        seconds = (self._shown_at - self._began) * (self._total - self._done) / self._done
        minutes, seconds = divmod(round(seconds), 60)
        return f", {minutes} min left" if minutes else f", {seconds} s left"

    def _write(self, text: str) -> None:
        if self._shows:
            self._stream.write(text)
            self._stream.flush()


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
