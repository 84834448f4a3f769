"""The terminal before and after the full screen: the first frame, and the restored state.

This module imports only what the first frame needs: it is drawn before the rest is imported.
"""

import os
import signal
import sys
import termios
from contextlib import suppress

_ENTER = "\x1b[22;0t\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J"
_LEAVE = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l"  # the mouse
    "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1l"  # pasting, colours, the cursor and its keys
    "\x1b[?1049l\x1b[23;0t"  # the screen and the title as they were
)


def first_frame(place: str, server: str, columns: int, rows: int, *, ascii_only: bool) -> str:
    """Return the first frame: the same as of a room without an answer yet."""
    state = f"{'o' if ascii_only else '○'} connecting"
    words = f"connecting to {server}"
    if columns < len(words) or columns < len(place) + len(state) + 3 or rows < 8:
        return ""
    return (
        f"\x1b[1;2H{place}\x1b[1;{columns - len(state)}H{state}"
        f"\x1b[{2 + (rows - 4) // 2};{(columns - len(words)) // 2 + 1}H{words}"
    )


class Terminal:
    """The user's terminal, taken over by `enter` and restored by `leave`."""

    def __init__(self) -> None:
        self._kept: list[int | list[bytes | int]] | None = None

    def enter(self, place: str, server: str, *, ascii_only: bool) -> None:
        """Take over the terminal and show the first frame."""
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        self._kept = termios.tcgetattr(0)
        quiet = termios.tcgetattr(0)
        # Early keys wait for the screen, Ctrl-C and Ctrl-Z among them.
        quiet[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
        termios.tcsetattr(0, termios.TCSANOW, quiet)
        columns, rows = os.get_terminal_size(1)
        write(_ENTER + first_frame(place, server, columns, rows, ascii_only=ascii_only))

    def leave(self) -> None:
        """Restore the terminal as it was found; a second call does nothing."""
        if self._kept is not None:
            kept, self._kept = self._kept, None
            write(_LEAVE)
            termios.tcsetattr(0, termios.TCSANOW, kept)


def write(text: str) -> None:
    """Write to the terminal unbuffered; ignore one that is gone."""
    with suppress(OSError):
        sys.stdout.flush()
        os.write(1, text.encode(errors="replace"))
