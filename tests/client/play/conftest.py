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
    os.close(reader)
