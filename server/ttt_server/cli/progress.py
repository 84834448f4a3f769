"""A progress bar on a terminal, which is cleared at the end of the work."""

import os
import shutil
import sys
from collections.abc import Callable
from typing import Self, TextIO

_EVERY_S = 0.1
"""Often enough to look alive."""

_CLEAR = "\r\x1b[K"


class Progress:
    """Shows how much of `total` is done, if `stream` is a terminal.

        |####........| 1200 of 28000 games, 4 s left

    It is a context manager. `clock` returns seconds that do not go back.
    """

    def __init__(
        self, total: int, unit: str, clock: Callable[[], float], stream: TextIO | None = None
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
