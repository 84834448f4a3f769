import os
from collections.abc import Iterator

import pytest

from tests.client.play.scripts import RecordedOutput


@pytest.fixture
def recorded() -> RecordedOutput:
    return RecordedOutput()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The input: its reading and its writing end."""
    reader, writer = os.pipe()
    yield reader, writer
    # Its number stays in use: a thread that has yet to read there would take a later test's lines.
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, reader)
    os.close(nowhere)
