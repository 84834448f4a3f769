import asyncio

import pytest

from ttt_server.transport.broadcast import Broadcaster


class Page:
    """Writes down what it is to write."""

    def __init__(self) -> None:
        self.lines: list[tuple[bytes, bool]] = []

    def post(self, frame: bytes, is_state: bool) -> None:
        self.lines.append((frame, is_state))


@pytest.fixture
async def writes() -> Broadcaster:
    return Broadcaster()


async def test_it_is_written_when_the_round_is_over(writes: Broadcaster) -> None:
    ada, bob = Page(), Page()
    writes.add_frame([ada], b"1", True)
    writes.add_frame([bob], b"2", True)
    writes.add_frame([ada], b"3", True)
    assert ada.lines == bob.lines == []
    await asyncio.sleep(0)
    assert ada.lines == [(b"1", True), (b"3", True)]
    assert bob.lines == [(b"2", True)]


async def test_every_round_has_its_own(writes: Broadcaster) -> None:
    ada = Page()
    for number in range(3):
        writes.add_frame([ada], b"%d" % number, True)
        await asyncio.sleep(0)
        assert len(ada.lines) == number + 1


async def test_whoever_cannot_wait(writes: Broadcaster) -> None:
    ada = Page()
    writes.add_frame([ada], b"1", True)
    writes.flush()
    assert ada.lines == [(b"1", True)]
    writes.add_frame([ada], b"2", True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"1", True), (b"2", True)]
    writes.flush()
    assert len(ada.lines) == 2


async def test_what_is_said_while_it_is_written_comes_later(writes: Broadcaster) -> None:
    ada = Page()

    class Echo(Page):
        def post(self, frame: bytes, is_state: bool) -> None:
            assert is_state
            writes.add_frame([ada], frame, True)

    writes.add_frame([Echo()], b"1", True)
    writes.add_frame([ada], b"2", True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True)]
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True), (b"1", True)]


async def test_one_that_cannot_be_written_to_harms_no_other(
    writes: Broadcaster, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Page):
        def post(self, frame: bytes, is_state: bool) -> None:  # noqa: ARG002 - whatever it is
            raise RuntimeError("the handler is closed")

    ada = Page()
    writes.add_frame([Broken()], b"1", True)
    writes.add_frame([ada], b"2", True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True)]
    assert "a frame could not be written" in caplog.text
