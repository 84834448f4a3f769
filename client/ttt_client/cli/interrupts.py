"""Exit at once on a signal before a command has begun, with the status that shells use.

In the middle of an import `KeyboardInterrupt` would leave a traceback. Where a class is being made
it may come out as another error, and a callback of the import system loses it. So the process ends
at once, without any error. The module imports almost nothing.
"""

import os
import signal
from collections.abc import Callable

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells."""


class _Exit:
    """A handler that ends the process."""

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before

    def __call__(self, number: int, _frame: object) -> None:
        self._before()
        os._exit(128 + number)


def exit_on_interrupt() -> None:
    """Make SIGINT end the process, unless it is ignored."""
    _exit_on(signal.SIGINT, lambda: None)


def exit_on_signals(before: Callable[[], None]) -> None:
    """Make each signal that asks a program to end call `before` and end it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        _exit_on(number, before)


def raise_on_interrupt() -> None:
    """Make SIGINT raise `KeyboardInterrupt` as usual, unless it is ignored."""
    if isinstance(signal.getsignal(signal.SIGINT), _Exit):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_on(number: signal.Signals, before: Callable[[], None]) -> None:
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, _Exit(before))
