"""The line between the parent and a child."""

import asyncio
import os

import pytest

from ttt_server.processes.channel import FAILED, GAINED, RENEW, Channel, pair


async def test_messages_descriptors_and_the_end() -> None:
    ours, theirs = pair()
    parent, child = Channel(ours), Channel(theirs)
    reader, writer = os.pipe()
    parent.start(b"setup", reader)
    words, descriptor = child.begin()
    assert words == b"setup"
    os.write(writer, b"x")
    assert os.read(descriptor, 9) == b"x"

    heard: list[tuple[bytes, bytes]] = []
    over = asyncio.Event()

    def hear(kind: bytes, content: bytes, given: int | None) -> None:
        heard.append((kind, content))
        if given is not None:
            os.close(given)

    child.listen(hear, over.set)
    assert parent.give(writer, bytes(256 << 10)), "as much as one read may bring"
    parent.send(GAINED, b"den\nhut")
    parent.fail(ValueError("no"), 2)
    parent.close()
    await over.wait()
    assert heard[0] == (b"C", bytes(256 << 10))
    assert heard[1:] == [(GAINED, b"den\nhut"), (FAILED, b"\x02no")]
    for each in (reader, writer, descriptor):
        os.close(each)


async def test_what_the_other_does_not_read_waits_or_is_not_taken() -> None:
    ours, theirs = pair()
    parent, child = Channel(ours), Channel(theirs)
    parent.listen(lambda *_: None, lambda: None)
    reader, writer = os.pipe()
    given = 0
    while parent.give(reader, bytes(4096)):
        given += 1
    assert given > 1000, "those that wait, and those that the kernel holds"
    parent.send(GAINED, b"late")
    got: list[bytes] = []
    whole = asyncio.Event()

    def hear(kind: bytes, content: bytes, descriptor: int | None) -> None:
        got.append(kind)
        if descriptor is not None:
            os.close(descriptor)
        elif content == b"late":
            whole.set()

    child.listen(hear, lambda: None)
    await whole.wait()
    assert len(got) == given + 1
    child.close()
    assert not parent.give(reader, b"")
    parent.send(GAINED, b"never")
    parent.close()
    os.close(reader)
    os.close(writer)


async def test_the_last_words_of_one_that_left_something_unread() -> None:
    ours, theirs = pair()
    parent, child = Channel(ours), Channel(theirs)
    heard: list[tuple[bytes, bytes]] = []
    over = asyncio.Event()
    parent.send(RENEW)
    child.fail(ValueError("no"), 1)
    child.close()  # the parent is told of a reset before it is given the words
    parent.listen(lambda kind, content, _: heard.append((kind, content)), over.set)
    await over.wait()
    assert heard == [(FAILED, b"\x01no")]


def test_a_child_whose_parent_has_gone() -> None:
    ours, theirs = pair()
    ours.close()
    with pytest.raises(EOFError):
        Channel(theirs).begin()
    theirs.close()
