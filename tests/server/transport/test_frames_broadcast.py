import asyncio

import pytest

from ttt_server.transport.frames import Broadcaster


class Page:
    """Writes down what it is to write."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.lines: list[tuple[bytes, bool]] = []

    def write_frame(self, frame: bytes, is_state: bool) -> None:
        self.frames.append(frame)
        assert frame.startswith(b"\x81")
        self.lines.append((frame[2:], is_state))


@pytest.fixture
async def writes() -> Broadcaster:
    return Broadcaster()


async def test_messages_are_written_at_the_end_of_the_tick(writes: Broadcaster) -> None:
    ada, bob = Page(), Page()
    writes.add([ada], b"1", is_state=True)
    writes.add([bob], b"2", is_state=True)
    writes.add([ada], b"3", is_state=True)
    assert ada.lines == bob.lines == []
    await asyncio.sleep(0)
    assert ada.lines == [(b"1", True), (b"3", True)]
    assert bob.lines == [(b"2", True)]


async def test_a_message_is_framed_once(writes: Broadcaster) -> None:
    ada, bob = Page(), Page()
    writes.add([ada, bob], b"1")
    await asyncio.sleep(0)
    assert ada.lines == [(b"1", False)]
    assert ada.frames[0] is bob.frames[0]


async def test_each_tick_is_written_by_itself(writes: Broadcaster) -> None:
    ada = Page()
    for number in range(3):
        writes.add([ada], b"%d" % number)
        await asyncio.sleep(0)
        assert len(ada.lines) == number + 1


async def test_a_flush_writes_at_once(writes: Broadcaster) -> None:
    ada = Page()
    writes.add([ada], b"1", is_state=True)
    writes.flush()
    assert ada.lines == [(b"1", True)]
    writes.add([ada], b"2", is_state=True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"1", True), (b"2", True)]
    writes.flush()
    assert len(ada.lines) == 2


async def test_messages_added_during_a_flush_come_later(writes: Broadcaster) -> None:
    ada = Page()

    class Echo(Page):
        def write_frame(self, frame: bytes, is_state: bool) -> None:
            assert is_state
            writes.add([ada], frame[2:], is_state=True)

    writes.add([Echo()], b"1", is_state=True)
    writes.add([ada], b"2", is_state=True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True)]
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True), (b"1", True)]


async def test_an_error_of_one_connection_does_not_affect_others(
    writes: Broadcaster, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Page):
        def write_frame(self, frame: bytes, is_state: bool) -> None:  # noqa: ARG002 - whatever it is
            raise RuntimeError("the handler is closed")

    ada = Page()
    writes.add([Broken()], b"1", is_state=True)
    writes.add([ada], b"2", is_state=True)
    await asyncio.sleep(0)
    assert ada.lines == [(b"2", True)]
    assert "a frame could not be written" in caplog.text
