"""Programs that are not ours, which some tests need."""

import os
import shutil
from typing import NoReturn

import pytest

IN_GATE = os.environ.get("CI") == "true"
"""Whether what is missing is a failure; elsewhere the tests that need it are skipped."""


def missing(what: str) -> NoReturn:
    """Ends a test for want of something, the way that `IN_GATE` says."""
    words = f"{what} is not installed"
    if IN_GATE:
        pytest.fail(words)
    pytest.skip(words)


def found(program: str) -> str:
    """The path of a program; without it the test ends."""
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    return path if path is not None else missing(program)
