"""What all tests share."""

import signal


def pytest_configure() -> None:
    # A shell starts what it runs in the background with Ctrl-C ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
