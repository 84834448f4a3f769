"""The failures of a program. Each has a name, and a message that says what happened.

BotError
├── CannotStart   the system cannot run the program at all
└── BotFailed     it runs, and gave no move; `kind` is one of `FailureKind`
"""

import signal
from enum import StrEnum

from ttt_protocol.codes import Choice
from ttt_protocol.text import clean

MOST_STDERR = 1024
"""How many of the last bytes of standard error are kept for a move or a crash."""

_SHOWN = 120
"""The most characters of a line that are repeated."""

_LAST_LINES = 3
"""The number of last lines of standard error that belong to a crash."""


class FailureKind(StrEnum):
    """The names of failures."""

    CRASHED = "crashed"
    TOO_SLOW = "too slow"
    ILLEGAL = "illegal"
    NOT_UNDERSTOOD = "not understood"


class BotError(Exception):
    """A program did something wrong. The message is one clean line."""


class CannotStart(BotError):
    """The system cannot run the program."""


class BotFailed(BotError):
    """A program gave no move. `str` begins with the name of the failure."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


def cannot_start(command: str, error: OSError) -> CannotStart:
    """Return the failure of a program that the system cannot run."""
    return CannotStart(f"cannot start {clean(command)}: {error.strerror or error}")


def crashed(status: int | None, stderr: str = "") -> BotFailed:
    """Return the failure of a program that ended.

    Args:
        status: its exit status, -n for signal n; None where it closed its output and runs on.
        stderr: the end of its standard error.
    """
    if status is None:
        detail = "it closed its output"
    elif status == 0:
        detail = "it ended without an answer"
    elif status < 0:
        detail = f"signal {_signal_name(-status)}"
    else:
        detail = f"exit status {status}"
    lines = [line for line in map(clean, stderr.splitlines()) if line.strip()]
    last = " / ".join(shown(line) for line in lines[-_LAST_LINES:])
    return BotFailed(FailureKind.CRASHED, f"{detail}; it wrote: {last}" if last else detail)


def too_slow(limit_s: float, waited_s: float) -> BotFailed:
    """Return the failure of a program without an answer after `waited_s`."""
    return BotFailed(FailureKind.TOO_SLOW, f"{round(waited_s, 2):g} s of {limit_s:g} s")


def illegal(cell: int, legal: tuple[int, ...]) -> BotFailed:
    """Return the failure of a program that played a cell which may not be played."""
    listed = ", ".join(map(str, legal[:12])) + (", …" if len(legal) > 12 else "")
    return BotFailed(FailureKind.ILLEGAL, f"cell {cell}; legal were {listed}")


def not_offered(choice: Choice, choices: tuple[Choice, ...]) -> BotFailed:
    """Return the failure of a program that chose what it may not choose."""
    return BotFailed(FailureKind.ILLEGAL, f"choice {choice}; offered were {', '.join(choices)}")


def not_understood(line: str, why: str = "") -> BotFailed:
    """Return the failure of a program that wrote a line which is no answer."""
    detail = f"{shown(clean(line))!r}" + (f", {why}" if why else "")
    return BotFailed(FailureKind.NOT_UNDERSTOOD, detail)


def flooded(size: int) -> BotFailed:
    """Return the failure of a program that wrote more than `size` bytes without an answer."""
    return BotFailed(FailureKind.NOT_UNDERSTOOD, f"more than {size} bytes without an answer")


def shown(line: str) -> str:
    """Return the beginning of a line, for people."""
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
