"""Frames are followed through a stream that comes in any pieces."""

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from ttt_server.cluster.relay import FrameBoundary, frame_length
from ttt_server.transport.frames import control_frame, text_frame


@given(
    sizes=st.lists(st.sampled_from([0, 1, 125, 126, 200, 65535, 65536, 70000]), max_size=5),
    cuts=st.lists(st.integers(1, 70_000), max_size=20),
)
def test_any_pieces_of_a_stream(sizes: list[int], cuts: list[int]) -> None:
    frames = [text_frame(b"x" * size) for size in sizes]
    ends = {0}
    for frame in frames:
        ends.add(max(ends) + len(frame))
    stream, at, boundary = b"".join(frames), 0, FrameBoundary()
    for cut in [*cuts, len(stream)]:
        piece = stream[at : at + cut]
        at += len(piece)
        boundary.follow(piece)
        assert boundary.is_between is (at in ends)
        assert not boundary.is_closed


def test_a_close_is_seen() -> None:
    boundary = FrameBoundary()
    boundary.follow(text_frame(b"{}") + control_frame(Opcode.CLOSE, b"\x03\xf4"))
    assert boundary.is_closed
    assert boundary.is_between


@given(size=st.sampled_from([0, 125, 126, 65535, 65536]))
def test_the_length_of_a_client_s_frame(size: int) -> None:
    data = Frame(Opcode.TEXT, b"x" * size).serialize(mask=True)
    assert frame_length(data) == len(data)
    assert frame_length(data[:1]) is None
    if size > 125:
        assert frame_length(data[:3]) is None
