"""One connection to the owner serves all the spectators of a room."""

import asyncio
import json
from collections.abc import Callable
from itertools import count
from typing import Any, cast
from unittest.mock import Mock

import pytest
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import SUBPROTOCOL, RoomName, SessionId
from ttt_server.cluster import upstream
from ttt_server.cluster.shared_watches import Watches
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.connection import Connection

DEN = RoomName("den")
ADDRESS = "ws://127.0.0.1:9"
JOIN = b'{"type":"join","role":"spectator","name":"Eve"}'
LET_IN = b'{"type":"welcome","room":{"seq":3}}'
STATE = b'{"type":"welcome","room":{"seq":4,"seats":{"X":{"name":"Ada"},"O":null}}}'
LATER = b'{"type":"welcome","room":{"seq":5,"seats":{"X":{"name":"Ada"},"O":null}}}'
UPDATE = b'{"type":"update","events":[],"room":{"seq":5}}'
SAY = b'{"type":"say","text":"hello"}'


class Owner(asyncio.Transport):
    """The owner's end: it speaks before the other server has seen the connection."""

    def __init__(self, *payloads: bytes) -> None:
        """`payloads` are what it says at once, to each connection."""
        super().__init__()
        self.told: list[dict[str, Any]] = []
        self.dialled = 0
        self.has_aborted = False
        self._payloads = payloads
        self.server: ServerProtocol
        self.reader: Any

    async def dial(self, _: str, make: Callable[[], asyncio.Protocol]) -> asyncio.Protocol:
        reader = self.reader = make()
        self.dialled += 1
        self.server = ServerProtocol(subprotocols=[Subprotocol(SUBPROTOCOL)])
        reader.connection_made(self)
        for payload in self._payloads:
            self.say(payload)
        return reader

    def say(self, payload: bytes) -> None:
        self.server.send_text(payload)
        self.reader.data_received(b"".join(self.server.data_to_send()))

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.server.receive_data(bytes(data))
        for event in self.server.events_received():
            if isinstance(event, Request):
                self.server.send_response(self.server.accept(event))
            elif isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self.told.append(json.loads(bytes(event.data)))

    def abort(self) -> None:
        self.has_aborted = True

    def is_closing(self) -> bool:
        return False


@pytest.fixture
def tasks() -> TaskOwner:
    return TaskOwner()


@pytest.fixture
def watches(tasks: TaskOwner) -> Watches:
    sessions = (SessionId(f"s{number}") for number in count(1))
    broadcaster = cast("Broadcaster", Mock())
    return Watches(lambda *_: (), TokenSigner(b"a secret"), sessions, broadcaster, tasks)


def come(watches: Watches, address: str = ADDRESS, join: bytes = JOIN) -> Mock:
    """Return the connection of a new spectator, who has joined."""
    connection = Mock(spec=Connection)
    watches.begin(connection, DEN, address, "192.0.2.1")
    connection.attach.call_args.args[0].on_message(join)
    return connection


async def test_an_owner_that_answers_before_the_connection_is_seen(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(LET_IN, STATE)
    monkeypatch.setattr(upstream, "dial", owner.dial)
    connection = come(watches)
    await tasks.ended()
    assert owner.told[0]["ask"]
    welcome = json.loads(connection.send.call_args.args[0])
    assert (welcome["room"]["seq"], welcome["you"]["name"]) == (4, "Eve")


@pytest.mark.parametrize("name", ["\N{CYRILLIC CAPITAL LETTER A}da", "ADA", "ada"])
async def test_a_name_like_that_of_a_player_gets_a_number(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    owner = Owner(LET_IN, STATE)
    monkeypatch.setattr(upstream, "dial", owner.dial)
    connection = come(watches, join=JOIN.replace(b"Eve", name.encode()))
    await tasks.ended()
    assert json.loads(connection.send.call_args.args[0])["you"]["name"] == f"{name} 2"


@pytest.mark.parametrize(
    ("seen", "again", "more"),
    [((), STATE, []), ((), LATER, [5]), ((UPDATE,), LATER, [])],
    ids=["as it was", "later", "seen"],
)
async def test_a_spectator_who_speaks_is_told_only_what_is_new(
    watches: Watches,
    tasks: TaskOwner,
    monkeypatch: pytest.MonkeyPatch,
    seen: tuple[bytes, ...],
    again: bytes,
    more: list[int],
) -> None:
    shared, own = Owner(LET_IN, STATE, *seen), Owner()
    monkeypatch.setattr(upstream, "dial", shared.dial)
    connection = come(watches)
    await tasks.ended()
    connection.send.reset_mock()
    monkeypatch.setattr(upstream, "dial", own.dial)
    connection.attach.call_args.args[0].on_message(SAY)
    await tasks.ended()
    own.say(again)
    assert [told["type"] for told in own.told] == ["join", "say"]
    sent = [json.loads(call.args[0]) for call in connection.send.call_args_list]
    assert [each["room"]["seq"] for each in sent] == more


async def test_the_owner_closes_a_connection_of_a_spectators_own(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, own = Owner(LET_IN, STATE), Owner(STATE)
    monkeypatch.setattr(upstream, "dial", shared.dial)
    connection = come(watches)
    await tasks.ended()
    monkeypatch.setattr(upstream, "dial", own.dial)
    connection.attach.call_args.args[0].on_message(SAY)
    await tasks.ended()
    own.server.send_close(CloseCode.REMOVED)
    own.reader.data_received(b"".join(own.server.data_to_send()))
    own.reader.connection_lost(None)
    connection.dismiss.assert_called_once_with(CloseCode.REMOVED)


async def test_a_spectator_who_comes_while_others_are_being_refused_is_answered(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = b'{"type":"refused","command":"join","code":"wrong_password","reason":"","id":null}'
    owner, is_refused, may_go_on = Owner(refusal), asyncio.Event(), asyncio.Event()

    async def dial(address: str, make: Callable[[], asyncio.Protocol]) -> asyncio.Protocol:
        if is_refused.is_set():
            await may_go_on.wait()
        dialled = await owner.dial(address, make)
        is_refused.set()
        return dialled

    monkeypatch.setattr(upstream, "dial", dial)
    first = come(watches)
    await is_refused.wait()  # the first is about to ask by itself
    second = come(watches)
    may_go_on.set()
    await tasks.ended()
    for connection in (first, second):
        assert json.loads(connection.send.call_args.args[0])["code"] == "wrong_password"


async def test_spectators_of_an_owner_that_is_gone_are_told(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(LET_IN, STATE)
    monkeypatch.setattr(upstream, "dial", owner.dial)
    connection = come(watches)
    await tasks.ended()
    watches.leave(frozenset({"ws://127.0.0.1:8"}))
    assert not connection.dismiss.called
    watches.leave(frozenset({ADDRESS}))
    connection.dismiss.assert_called_once_with(CloseCode.RESTARTING)
    assert owner.has_aborted
    assert watches.count == 0


async def test_a_room_with_another_owner_is_watched_there(
    watches: Watches, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(LET_IN, STATE)
    monkeypatch.setattr(upstream, "dial", owner.dial)
    before = come(watches)
    await tasks.ended()
    after = come(watches, "ws://127.0.0.1:8")
    await tasks.ended()
    before.dismiss.assert_called_once_with(CloseCode.RESTARTING)
    assert json.loads(after.send.call_args.args[0])["room"]["seq"] == 4
    assert (owner.dialled, watches.count) == (2, 1)
