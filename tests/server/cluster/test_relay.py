"""A connection to another server's room, until its way is found."""

from unittest.mock import Mock

from websockets.http11 import Request

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.cluster.relay import Passage
from ttt_server.transport.connection import Connection


def test_a_frame_that_says_it_is_too_large_is_not_waited_for() -> None:
    connection, on_first = Mock(spec=Connection), Mock()
    passage = Passage(
        connection,
        Mock(spec=Request),
        RoomName("den"),
        "ws://192.0.2.1:8765",
        serve_here=Mock(),
        max_frame=4096,
        on_first=on_first,
    )
    passage.data_received(b"\x81\xff" + (1 << 40).to_bytes(8))
    connection.dismiss.assert_called_once_with(CloseCode.FRAME_TOO_LARGE)
    on_first.assert_not_called()
