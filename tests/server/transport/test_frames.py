"""Held to the library's own frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ttt_server.transport.frames import control, control_frame, is_whole, short_text, text_frame

TEXTS = st.binary(max_size=300)
CONTROL = st.builds(
    Frame, st.sampled_from([Opcode.PING, Opcode.PONG, Opcode.CLOSE]), st.binary(max_size=125)
)
MESSAGES = st.builds(Frame, st.sampled_from([Opcode.TEXT, Opcode.BINARY]), TEXTS)
PARTS = st.builds(
    Frame, st.sampled_from([Opcode.TEXT, Opcode.BINARY]), TEXTS, st.just(False)
) | st.builds(Frame, st.just(Opcode.CONT), TEXTS, st.booleans())


def sent(frame: Frame) -> bytes:
    """By a client."""
    return frame.serialize(mask=True)


@given(MESSAGES | CONTROL | PARTS)
def test_a_short_text_is_unmasked(frame: Frame) -> None:
    is_short = frame.opcode is Opcode.TEXT and frame.fin and len(frame.data) < 126
    assert short_text(sent(frame)) == (frame.data if is_short else None)


@given(st.binary(max_size=125), st.data())
def test_a_piece_of_a_frame_is_no_text(text: bytes, data: st.DataObject) -> None:
    whole = sent(Frame(Opcode.TEXT, text))
    assert short_text(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None
    assert short_text(whole + data.draw(st.binary(min_size=1, max_size=9))) is None


def test_an_unmasked_or_reserved_frame_is_left_to_the_library() -> None:
    assert short_text(Frame(Opcode.TEXT, b"123456").serialize(mask=False)) is None
    assert short_text(b"\xc1" + sent(Frame(Opcode.TEXT, b"123456"))[1:]) is None


USUAL_CLOSES = b"", b"\x03\xe8", b"\x03\xe9"


@given(
    MESSAGES
    | CONTROL
    | PARTS
    | st.builds(Frame, st.just(Opcode.CLOSE), st.sampled_from(USUAL_CLOSES))
)
def test_a_control_frame_is_unmasked(frame: Frame) -> None:
    is_usual = frame.opcode in (Opcode.PING, Opcode.PONG) or (
        frame.opcode is Opcode.CLOSE and frame.data in USUAL_CLOSES
    )
    assert control(sent(frame)) == ((frame.opcode, frame.data) if is_usual else None)


@given(CONTROL)
def test_a_control_frame_comes_alone_and_whole(frame: Frame) -> None:
    whole = sent(frame)
    assert control(whole[:-1]) is None
    assert control(whole + b"x") is None
    assert control(frame.serialize(mask=False)) is None


@pytest.mark.parametrize(
    "data",
    [
        b"\x89\xfe\x00\x7e" + bytes(4) + bytes(126),
        b"\x89\xfe" + bytes(4) + bytes(126),
        b"\x09\x80" + bytes(4),
        b"\x8b\x80" + bytes(4),
        b"\xc9\x80" + bytes(4),
    ],
    ids=["too long", "of no length", "in fragments", "of no kind", "with a reserved bit"],
)
def test_what_may_not_be_is_left_to_the_library(data: bytes) -> None:
    assert control(data) is None


@given(st.lists(MESSAGES | CONTROL, max_size=4), st.data())
def test_whole_frames_and_pieces(frames: list[Frame], data: st.DataObject) -> None:
    whole = b"".join(map(sent, frames))
    assert is_whole(whole)
    ends = {len(b"".join(map(sent, frames[:n]))) for n in range(len(frames) + 1)}
    end = data.draw(st.integers(0, len(whole)))
    assert is_whole(whole[:end]) is (end in ends)


@given(st.lists(MESSAGES | CONTROL, max_size=2), PARTS, st.lists(MESSAGES | CONTROL, max_size=2))
def test_a_part_of_a_message(before: list[Frame], part: Frame, after: list[Frame]) -> None:
    assert not is_whole(b"".join(map(sent, [*before, part, *after])))


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_a_frame_is_as_the_librarys(length: int) -> None:
    payload = b"x" * length
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@pytest.mark.parametrize("kind", [Opcode.CLOSE, Opcode.PING, Opcode.PONG])
@pytest.mark.parametrize("length", [0, 2, 125])
def test_a_control_frame_is_as_the_librarys(kind: Opcode, length: int) -> None:
    payload = b"x" * length
    assert control_frame(kind, payload) == Frame(kind, payload).serialize(mask=False)
