"""What all tests share."""

import logging
import signal


def pytest_configure() -> None:
    # A shell starts what it runs in the background with Ctrl-C ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # No test judges times: a busy machine is nothing that a test of what is logged should find.
    logging.getLogger("asyncio").addFilter(_is_no_delay)


def _is_no_delay(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith("Executing ")
