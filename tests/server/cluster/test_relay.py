"""A connection to another server's room, until its way is found."""

import asyncio
from unittest.mock import Mock

import pytest
from websockets.http11 import Request

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.cluster.relay import Passage
from ttt_server.tournaments.log_names import log_name
from ttt_server.transport.connection import Connection


def relayed(name: RoomName, connection: Mock, on_first: Mock) -> Passage:
    return Passage(
        connection,
        Mock(spec=Request),
        name,
        "ws://192.0.2.1:8765",
        serve_here=Mock(),
        max_frame=4096,
        on_first=on_first,
    )


@pytest.mark.parametrize(
    ("name", "missing"),
    [(RoomName("den"), "join"), (log_name(TournamentName("friday")), "command")],
)
async def test_a_client_that_says_nothing_is_told_what_did_not_come(
    name: RoomName, missing: str
) -> None:
    dismissed = asyncio.Event()
    connection = Mock(spec=Connection, loop=asyncio.get_running_loop())
    connection.dismiss.side_effect = lambda *_, **__: dismissed.set()
    relayed(name, connection, Mock()).begin(0.01)
    await dismissed.wait()
    words = f"no {missing} came within 0.01 s"
    connection.dismiss.assert_called_once_with(CloseCode.POLICY, words=words)


def test_a_frame_that_says_it_is_too_large_is_not_waited_for() -> None:
    connection, on_first = Mock(spec=Connection), Mock()
    passage = relayed(RoomName("den"), connection, on_first)
    passage.data_received(b"\x81\xff" + (1 << 40).to_bytes(8))
    connection.dismiss.assert_called_once_with(CloseCode.FRAME_TOO_LARGE)
    on_first.assert_not_called()
