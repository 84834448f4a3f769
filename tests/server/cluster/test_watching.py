"""One connection to the owner serves all the spectators of a room."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast
from unittest.mock import Mock

import pytest
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from ttt_protocol.state import SUBPROTOCOL, RoomName, SessionId
from ttt_server.cluster import upstream
from ttt_server.cluster.watching import Watches
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection

DEN = RoomName("den")
JOIN = b'{"type":"join","role":"spectator","name":"Eve"}'


class Owner(asyncio.Transport):
    """The owner's end: it speaks before the other server has seen the connection."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[dict[str, Any]] = []
        self.server = ServerProtocol(subprotocols=[Subprotocol(SUBPROTOCOL)])

    async def dial(self, _: str, make: Callable[[], asyncio.Protocol]) -> asyncio.Protocol:
        reader = make()
        reader.connection_made(self)
        for payload in (b"the relay is in", b"the state"):
            self.server.send_text(b'{"type":"welcome","room":"' + payload + b'"}')
            reader.data_received(b"".join(self.server.data_to_send()))
        return reader

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.server.receive_data(bytes(data))
        for event in self.server.events_received():
            if isinstance(event, Request):
                self.server.send_response(self.server.accept(event))
            elif isinstance(event, Frame):
                self.told.append(json.loads(bytes(event.data)))

    def is_closing(self) -> bool:
        return False


async def test_an_owner_that_answers_before_the_connection_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = Owner()
    monkeypatch.setattr(upstream, "dial", owner.dial)
    signer = TokenSigner(b"a secret of ours")
    tasks = TaskOwner()
    watches = Watches(
        lambda *_: (), signer, iter([SessionId("s1")]), cast("Broadcaster", Mock()), tasks
    )
    connection = Mock(spec=Connection)
    watches.begin(connection, DEN, "ws://127.0.0.1:9", "192.0.2.1")
    connection.attach.call_args.args[0].on_message(JOIN)
    await tasks.ended()
    assert owner.told[0]["ask"]
    welcome = json.loads(connection.send.call_args.args[0])
    assert (welcome["room"], welcome["you"]["name"]) == ("the state", "Eve")
