"""A limit on the time of a call that this thread makes, even if the call never returns."""

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

CALL_S: Final = 0.5
"""The longest call. A pause of the whole process counts, so it is far above what is allowed."""


class _TooLong(BaseException):
    """Raised in the thread of a call that does not end. No handler of the call's own takes it."""


class CallLimit:
    """Ends calls of Python code that take too long. It limits one at a time.

    A watch raises an exception in the calling thread. Code that waits outside of Python, as in
    `time.sleep`, is ended when it comes back.
    """

    def __init__(self, seconds: float = CALL_S) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._caller: int | None = None
        self._deadline = 0.0
        self._is_struck = False
        self._watch: threading.Thread | None = None

    def __call__(self, work: Callable[[], T]) -> T:
        """Return what `work` returns.

        Raises:
            TimeoutError: it took longer.
        """
        if self._caller is not None:
            return work()  # within another call, whose limit it shares, or beside one
        try:
            try:
                self._begin()
                made = work()
            finally:
                is_late = self._end()
        except _TooLong:
            self._caller = None
            raise TimeoutError from None
        if is_late:
            raise TimeoutError
        return made

    def _begin(self) -> None:
        with self._lock:
            if self._watch is None:
                self._watch = threading.Thread(target=self._strike, daemon=True, name="call-limit")
                self._watch.start()
            self._caller, self._is_struck = threading.get_ident(), False
            self._deadline = time.monotonic() + self._seconds
            self._wake.notify()

    def _end(self) -> bool:
        """Return whether the call took too long. A strike on its way comes before this returns."""
        with self._lock:
            self._caller = None
            is_struck = self._is_struck
            is_late = time.monotonic() > self._deadline
        while is_struck:
            time.sleep(0.001)  # the exception is raised in here, unless it was already
            is_struck = False
        return is_late

    def _strike(self) -> None:
        with self._lock:
            while True:
                if self._caller is None or self._is_struck:
                    self._wake.wait()
                    continue
                left = self._deadline - time.monotonic()
                if left > 0:
                    self._wake.wait(left)
                    continue
                self._is_struck = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._caller), ctypes.py_object(_TooLong)
                )
