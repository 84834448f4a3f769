"""Ctrl-C before a command has begun: the end at once, with the status of shells.

An interrupt in the middle of an import would leave a traceback, and not always its own: to make a
class can turn it into another error. So the module imports next to nothing.
"""

import os
import signal

INTERRUPTED = 130
"""The exit status after Ctrl-C, as in shells."""


def exit_on_interrupt() -> None:
    """Make SIGINT exit the process, unless it is ignored. Call it from the main thread."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _exit)


def raise_on_interrupt() -> None:
    """Make SIGINT raise `KeyboardInterrupt` again, unless it is ignored."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit(_number: int, _frame: object) -> None:
    os._exit(INTERRUPTED)
