"""Held to the library's own frames."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ttt_server.transport.frames import (
    SHORT_TEXTS,
    control_frame,
    parse_frames,
    text_frame,
    unmask,
)

MAX_SIZE = 300
PAYLOADS = st.binary(max_size=MAX_SIZE)
CONTROL = st.builds(Frame, st.sampled_from([Opcode.PING, Opcode.PONG]), st.binary(max_size=125))
MESSAGES = st.builds(Frame, st.sampled_from([Opcode.TEXT, Opcode.BINARY]), PAYLOADS)
USUAL_CLOSES = st.builds(
    Frame, st.just(Opcode.CLOSE), st.sampled_from([b"", b"\x03\xe8", b"\x03\xe9"])
)
CLOSES = st.builds(
    Frame,
    st.just(Opcode.CLOSE),
    st.sampled_from([b"\x03", b"\x03\xe7", b"\x03\xea", b"\x03\xe8bye", b"\x0f\xa0"]),
)
FRAGMENTS = st.builds(
    Frame, st.sampled_from([Opcode.TEXT, Opcode.BINARY]), PAYLOADS, st.just(False)
) | st.builds(Frame, st.just(Opcode.CONT), PAYLOADS, st.booleans())
USUAL = st.lists(MESSAGES | CONTROL, max_size=4)


def sent(*frames: Frame) -> bytes:
    """By a client."""
    return b"".join(frame.serialize(mask=True) for frame in frames)


def parse(data: bytes) -> list[tuple[Opcode, bytes]] | None:
    return parse_frames(data, MAX_SIZE)


def short_text(data: bytes) -> bytes | None:
    header = SHORT_TEXTS.get(len(data))
    if header is None or not data.startswith(header):
        return None
    return unmask(data[6:], data[2:6])


@given(USUAL)
def test_whole_messages_pings_and_pongs_are_parsed(frames: list[Frame]) -> None:
    assert parse(sent(*frames)) == [(frame.opcode, frame.data) for frame in frames]


@given(MESSAGES | CONTROL | FRAGMENTS | CLOSES | USUAL_CLOSES)
def test_a_short_text_is_known_by_its_header(frame: Frame) -> None:
    is_short = frame.opcode is Opcode.TEXT and frame.fin and len(frame.data) < 126
    assert short_text(sent(frame)) == (frame.data if is_short else None)


@given(st.binary(max_size=125), st.data())
def test_a_part_of_a_text_is_not_a_short_text(text: bytes, data: st.DataObject) -> None:
    whole = sent(Frame(Opcode.TEXT, text))
    assert short_text(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None
    assert short_text(whole + data.draw(st.binary(min_size=1, max_size=9))) is None
    assert short_text(Frame(Opcode.TEXT, text).serialize(mask=False)) is None


@given(USUAL, MESSAGES | CONTROL | CLOSES | USUAL_CLOSES, st.data())
def test_a_piece_of_a_frame_is_left_to_the_library(
    frames: list[Frame], last: Frame, data: st.DataObject
) -> None:
    end = data.draw(st.integers(1, len(sent(last)) - 1))
    assert parse(sent(*frames) + sent(last)[:end]) is None


@given(USUAL, FRAGMENTS, USUAL)
def test_a_fragment_is_left_to_the_library(
    before: list[Frame], fragment: Frame, after: list[Frame]
) -> None:
    assert parse(sent(*before, fragment, *after)) is None


@given(USUAL, CLOSES, USUAL)
def test_an_unusual_close_is_left_to_the_library(
    before: list[Frame], close: Frame, after: list[Frame]
) -> None:
    assert parse(sent(*before, close, *after)) is None


@given(USUAL, USUAL_CLOSES, USUAL | st.just([Frame(Opcode.CONT, b"")]))
def test_a_usual_close_is_the_last_frame(
    before: list[Frame], close: Frame, after: list[Frame]
) -> None:
    frames = [(frame.opcode, frame.data) for frame in (*before, close)]
    assert parse(sent(*before, close, *after)) == frames


@pytest.mark.parametrize("length", [MAX_SIZE, MAX_SIZE + 1])
def test_a_message_has_a_size(length: int) -> None:
    frame = Frame(Opcode.TEXT, b"x" * length)
    assert (parse(sent(frame)) is None) is (length > MAX_SIZE)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89\xfe\x00\x7e" + bytes(4) + bytes(126),
        b"\x89\xfe" + bytes(4) + bytes(126),
        b"\x81\xff" + (9).to_bytes(8) + bytes(4) + bytes(9),
        b"\x09\x80" + bytes(4),
        b"\x8b\x80" + bytes(4),
        b"\xc9\x80" + bytes(4),
        b"\xc1\x86" + bytes(10),
        b"\x81\x06" + bytes(6),
        b"\x81\x7f" + bytes(8),
    ],
    ids=[
        "a control frame that is too long",
        "a control frame without a length",
        "a length in eight bytes",
        "a control frame in fragments",
        "an unknown kind",
        "a control frame with a reserved bit",
        "a text with a reserved bit",
        "unmasked",
        "unmasked, and long",
    ],
)
def test_invalid_frames_are_left_to_the_library(data: bytes) -> None:
    assert parse(data) is None


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_a_frame_is_as_the_librarys(length: int) -> None:
    payload = b"x" * length
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@pytest.mark.parametrize("kind", [Opcode.CLOSE, Opcode.PING, Opcode.PONG])
@pytest.mark.parametrize("length", [0, 2, 125])
def test_a_control_frame_is_as_the_librarys(kind: Opcode, length: int) -> None:
    payload = b"x" * length
    assert control_frame(kind, payload) == Frame(kind, payload).serialize(mask=False)
