import pytest
from websockets.frames import Frame, Opcode

from ttt_server.transport.messages import MessageAssembler

TEXT, BINARY, CONT = Opcode.TEXT, Opcode.BINARY, Opcode.CONT


@pytest.fixture
def inbox() -> MessageAssembler:
    return MessageAssembler()


def test_messages_are_heard_in_order(inbox: MessageAssembler) -> None:
    inbox.put(Frame(TEXT, "😀".encode()))
    inbox.put(Frame(BINARY, b"\xff"))
    inbox.put(Frame(TEXT, b""))
    assert len(inbox) == 3
    assert [inbox.take() for _ in range(3)] == ["😀", b"\xff", ""]
    assert not inbox
    with pytest.raises(IndexError):
        inbox.take()


@pytest.mark.parametrize(("kind", "whole"), [(TEXT, "😀!"), (BINARY, "😀!".encode())])
def test_parts_become_a_message(inbox: MessageAssembler, kind: Opcode, whole: str | bytes) -> None:
    for opcode, data, fin in (
        (kind, b"\xf0\x9f", False),
        (CONT, b"", False),
        (CONT, b"\x98", False),
    ):
        inbox.put(Frame(opcode, data, fin))
        assert not inbox
    inbox.put(Frame(CONT, b"\x80!"))
    inbox.put(Frame(TEXT, b"next"))
    assert [inbox.take(), inbox.take()] == [whole, "next"]


def test_a_text_that_is_none(inbox: MessageAssembler) -> None:
    inbox.put(Frame(TEXT, b"ab\xff"))
    inbox.put(Frame(TEXT, b"after"))
    with pytest.raises(UnicodeDecodeError, match="position 2: invalid start byte"):
        inbox.take()
    assert inbox.take() == "after"
