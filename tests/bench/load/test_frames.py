import json

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from tests.bench.load import frames


def parsed(data: bytes, *, mask: bool) -> Frame:
    """As the library that the server uses reads it."""
    reader = StreamReader()
    reader.feed_data(data)
    try:
        next(Frame.parse(reader.read_exact, mask=mask))
    except StopIteration as whole:
        frame: Frame = whole.value
        return frame
    raise AssertionError("it is not whole")


@pytest.mark.parametrize("size", [0, 1, 3, 4, 125, 126, 4096, 65535])
def test_a_frame_is_one_for_others_too(size: int) -> None:
    payload = bytes(range(256)) * (size // 256 + 1)
    frame = parsed(frames.frame(frames.TEXT, payload[:size]), mask=True)
    assert (frame.opcode, bytes(frame.data), frame.fin) == (Opcode.TEXT, payload[:size], True)


def test_a_command_is_its_json() -> None:
    frame = parsed(frames.text("play", game=1, ply=0, cell=4), mask=True)
    assert json.loads(bytes(frame.data)) == {"type": "play", "game": 1, "ply": 0, "cell": 4}


@pytest.mark.parametrize("size", [0, 125, 126, 1000, 65535, 65536, 70000])
def test_a_frame_of_a_server_is_found(size: int) -> None:
    payload = b"x" * size
    data = Frame(Opcode.TEXT, payload).serialize(mask=False)
    assert frames.first(data) == (frames.TEXT, payload, b"")
    assert frames.first(data + b"more") == (frames.TEXT, payload, b"more")
    for cut in {1, 2, 4, 10, len(data)}:
        assert frames.first(data[: min(cut, len(data)) - 1]) is None


@pytest.mark.parametrize(("size", "expected"), [(125, False), (126, True), (65535, True)])
def test_what_is_alone(size: int, expected: bool) -> None:
    data = Frame(Opcode.TEXT, b"x" * size).serialize(mask=False)
    assert frames.is_alone(data) is expected
    assert not frames.is_alone(data[:-1])
    assert not frames.is_alone(data + b"x")
