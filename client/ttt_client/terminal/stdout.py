"""Lines on standard output and standard error, cleaned and flushed."""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from ttt_protocol.text import clean

STANDARD_OUTPUT = "standard output"
"""The name of the stream in messages."""


class CannotWrite(Exception):
    """The output cannot be written, for example on a full disk."""


class Output:
    """Text for people; every line is cleaned here."""

    def __init__(self, out: TextIO, err: TextIO, *, ascii_only: bool) -> None:
        self._out = out
        self._err = err
        self.ascii_only = ascii_only

    def say(self, *lines: str) -> None:
        for line in lines:
            self._print(self._shown(line))

    def warn(self, line: str) -> None:
        """Print to standard error, after the program's name."""
        self.prompt(f"ttt-client: {line}", end="\n")

    def prompt(self, words: str, end: str = "") -> None:
        """Print a prompt on standard error."""
        with suppress(OSError):  # the terminal may be gone
            print(self._shown(words), end=end, file=self._err, flush=True)

    def raw(self, line: str) -> None:
        """Print JSON for a program, unchanged but for line breaks."""
        # A line break in JSON is only white space: a string contains none.
        self._print(line.replace("\r", " ").replace("\n", " "))

    def _print(self, line: str) -> None:
        try:
            print(line, file=self._out, flush=True)
        except BrokenPipeError:
            raise  # no error: the reader has gone, and the program ends
        except OSError as error:
            raise CannotWrite(f"{STANDARD_OUTPUT}: {error.strerror}") from None

    def _shown(self, line: str) -> str:
        line = clean(line)
        return line.encode("ascii", "replace").decode() if self.ascii_only else line


def standard_output(*, ascii_only: bool) -> Output:
    """Return standard output and error; in ASCII if the output's encoding is not UTF-8."""
    _open_closed()
    out, err = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (out, err):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    known = (out.encoding or "").lower().replace("-", "")
    return Output(out, err, ascii_only=ascii_only or not known.startswith("utf"))


def drop_the_rest() -> None:
    """Discard what standard output still holds after it failed.

    Otherwise the interpreter would try to write it again on exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed() -> None:
    """Open closed standard descriptors; otherwise the next socket would take their place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
