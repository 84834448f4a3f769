import pytest
from websockets.frames import Frame, Opcode

from ttt_server.transport.messages import Binary, MessageAssembler, Text, text_message

TEXT, BINARY, CONT = Opcode.TEXT, Opcode.BINARY, Opcode.CONT


@pytest.fixture
def assembler() -> MessageAssembler:
    return MessageAssembler()


@pytest.mark.parametrize("payload", [b"", b"ab", "😀".encode()])
def test_a_text_is_utf_8(payload: bytes) -> None:
    assert text_message(payload) == Text(payload)


def test_other_bytes_are_no_text() -> None:
    with pytest.raises(UnicodeDecodeError, match="position 2: invalid start byte"):
        text_message(b"ab\xff")


def test_a_whole_message_is_complete_at_once(assembler: MessageAssembler) -> None:
    assert assembler.add(Frame(TEXT, "😀".encode())) == Text("😀".encode())
    assert assembler.add(Frame(BINARY, b"\xff")) == Binary(b"\xff")
    assert assembler.add(Frame(TEXT, b"")) == Text(b"")


@pytest.mark.parametrize(("opcode", "kind"), [(TEXT, Text), (BINARY, Binary)])
def test_fragments_become_a_message(
    assembler: MessageAssembler, opcode: Opcode, kind: type[Text | Binary]
) -> None:
    for fragment in (
        Frame(opcode, b"\xf0\x9f", fin=False),
        Frame(CONT, b"", fin=False),
        Frame(CONT, b"\x98", fin=False),
    ):
        assert assembler.add(fragment) is None
    assert assembler.add(Frame(CONT, b"\x80!")) == kind("😀!".encode())
    assert assembler.add(Frame(TEXT, b"next")) == Text(b"next")


def test_a_text_in_fragments_is_utf_8_as_a_whole(assembler: MessageAssembler) -> None:
    assert assembler.add(Frame(TEXT, b"\xf0\x9f", fin=False)) is None
    with pytest.raises(UnicodeDecodeError):
        assembler.add(Frame(CONT, b"x"))
    assert assembler.add(Frame(TEXT, b"after")) == Text(b"after")
