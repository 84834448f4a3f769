"""LineSource on standard output and standard error, clean and flushed."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from ttt_protocol.text import clean


class CannotWrite(Exception):
    """The output takes no more: its disk is full, say."""


class Output:
    """Where text for people goes. Whatever was forgotten to be cleaned is cleaned here."""

    def __init__(self, out: TextIO, err: TextIO, *, ascii_only: bool) -> None:
        self._out = out
        self._err = err
        self.ascii_only = ascii_only

    def say(self, line: str) -> None:
        self._print(self._shown(line))

    def warn(self, line: str) -> None:
        """To standard error, under the program's name."""
        print(self._shown(f"ttt-client: {line}"), file=self._err, flush=True)

    def raw(self, line: str) -> None:
        """As it is: JSON for a program."""
        # Between the tokens of JSON a line break is a space; within a string there is none.
        self._print(line.replace("\r", " ").replace("\n", " "))

    def _print(self, line: str) -> None:
        try:
            print(line, file=self._out, flush=True)
        except BrokenPipeError:
            raise  # nobody reads any more, which is an end like another
        except OSError as error:
            raise CannotWrite(f"cannot write: {error.strerror}") from None

    def _shown(self, line: str) -> str:
        line = clean(line)
        return line.encode("ascii", "replace").decode() if self.ascii_only else line


def standard_output(*, ascii_only: bool) -> Output:
    """Standard output and error; ASCII alone too where the output knows no more."""
    _open_closed()
    out, err = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (out, err):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    known = (out.encoding or "").lower().replace("-", "")
    return Output(out, err, ascii_only=ascii_only or not known.startswith("utf"))


def _open_closed() -> None:
    """A standard descriptor that is closed would be the next socket; then we would type into it."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free: this one


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
