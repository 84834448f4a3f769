"""Ctrl-C before a command has begun: the end at once, with the status of shells.

An interrupt in the middle of an import would leave a traceback, and not always its own: to make a
class can turn it into another error. So the module imports next to nothing.
"""

import os
import signal
from collections.abc import Callable

INTERRUPTED = 130
"""By Ctrl-C, as in shells."""


class _Exit:
    """A handler that ends the process."""

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before

    def __call__(self, _number: int, _frame: object) -> None:
        self._before()
        os._exit(INTERRUPTED)


def exit_on_interrupt(before: Callable[[], None] = lambda: None) -> None:
    """Let SIGINT end the process, after a call of `before`, unless it is ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _Exit(before))


def raise_on_interrupt() -> None:
    """Let SIGINT raise `KeyboardInterrupt`, as usual, unless it is ignored."""
    if isinstance(signal.getsignal(signal.SIGINT), _Exit):
        signal.signal(signal.SIGINT, signal.default_int_handler)
