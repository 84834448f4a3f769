from collections.abc import AsyncIterator

import pytest

from tests.server.hubs import Hubs
from ttt_server.hub import Hub


@pytest.fixture
async def hubs() -> AsyncIterator[Hubs]:
    """Makes hubs, and closes them in the end."""
    hubs = Hubs()
    yield hubs
    await hubs.close()


@pytest.fixture
def hub(hubs: Hubs) -> Hub:
    return hubs.open()
