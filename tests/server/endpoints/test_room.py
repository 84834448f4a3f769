"""One connection to a room: what is carried out, in which order, and when it is over."""

import asyncio
import json
import logging
from typing import cast

import pytest

from tests.server.examples import NAME
from tests.server.fakes import FakeConnection, FragileStore
from ttt_engine import Position
from ttt_engine.evaluation import Evaluation
from ttt_protocol.codes import CloseCode
from ttt_server.endpoints.room import RoomEndpoint, RoomEndpointContext
from ttt_server.limits.rates import Rate
from ttt_server.rooms.change import Changes
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.joining import Joining
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.telemetry.counters import Counters
from ttt_server.telemetry.logging import JsonFormatter
from ttt_server.transport.connection import Connection

JOIN = '{"type":"join"}'
PLAY = '{"type":"play","game":1,"ply":0,"cell":4}'
HINTED = '{"type":"join","settings":{"hints":true,"seats":{"O":{"strategy":"rules"}}}}'


@pytest.fixture
async def context(hub: Hub) -> RoomEndpointContext:
    return RoomEndpointContext(hub, Rate(1, 9), Counters(), 10)


@pytest.fixture
async def connection(context: RoomEndpointContext) -> FakeConnection:
    """A connection whose WebSocket is open."""
    connection = FakeConnection()
    context.begin(cast("Connection", connection), name=NAME)
    return connection


def endpoint(connection: FakeConnection) -> RoomEndpoint:
    return cast("RoomEndpoint", connection.handler)


def room_of(hub: Hub) -> LiveRoom:
    (live,) = hub.registry.all
    return live


async def drain(context: RoomEndpointContext, hub: Hub) -> None:
    """Waits until nothing is under way."""
    await asyncio.wait_for(context.drained(), 10)
    await hub._tasks.ended()
    for _ in range(9):
        await asyncio.sleep(0)


@pytest.mark.parametrize("joins", [True, False])
async def test_a_connection_that_has_gone_is_not_waited_for(
    connection: FakeConnection, context: RoomEndpointContext, joins: bool
) -> None:
    served = endpoint(connection)
    assert served in context.latecomers
    if joins:
        await connection.joins()
        assert served not in context.latecomers
    connection.goes()
    assert served not in context.latecomers


async def test_a_command_has_no_task(connection: FakeConnection, hub: Hub) -> None:
    tasks = asyncio.all_tasks()
    connection.says(JOIN)
    assert asyncio.all_tasks() == tasks
    await connection.hears("welcome")
    connection.goes()
    assert room_of(hub).members.is_empty


@pytest.mark.parametrize("text", ["{}", "", '{"type":"hint"}'])
async def test_commands_before_a_join_are_refused(connection: FakeConnection, text: str) -> None:
    connection.says(text, text)
    await connection.hears("refused", 2)


async def test_one_command_after_the_other(
    connection: FakeConnection, hub: Hub, store: FragileStore
) -> None:
    store.gate.clear()
    connection.says(JOIN, '{"type":"say","text":"hi"}')
    await store.next_write()
    assert not connection.is_awaited
    connection.goes()
    store.gate.set()
    await connection.hears("said")
    kinds = [message["type"] for message in connection.messages]
    assert kinds == ["welcome", "presence", "said"]
    assert room_of(hub).members.is_empty


@pytest.mark.parametrize("join", [JOIN, '{"type":"join","settings":{}}'], ids=["plain", "wishes"])
async def test_a_connection_that_goes_while_it_joins_is_gone_when_it_has_joined(
    connection: FakeConnection,
    context: RoomEndpointContext,
    hub: Hub,
    store: FragileStore,
    join: str,
) -> None:
    store.gate.clear()
    connection.says(join)
    await store.next_write()
    connection.goes()
    live = room_of(hub)
    draining = asyncio.create_task(context.drained())
    await asyncio.sleep(0)
    assert not draining.done(), "its last command is under way"
    store.gate.set()
    await connection.hears("welcome")
    await draining
    assert live.members.is_empty


async def test_a_stop_that_waits_no_longer_leaves_the_last_command_to_the_store(
    connection: FakeConnection, context: RoomEndpointContext, hub: Hub, store: FragileStore
) -> None:
    await connection.joins()
    store.hold()
    connection.says('{"type":"leave"}')
    await store.next_write()
    connection.goes()
    await context.close()
    await asyncio.wait_for(context.drained(), 10)
    live = room_of(hub)
    assert live.members.is_empty
    store.gate.set()
    await asyncio.gather(*store._held)
    assert live.room.seats.empty


@pytest.mark.parametrize(
    "join", ['{"type":"join","token":"forged"}', '{"type":"join","role":"spectator"}']
)
async def test_after_a_join_that_was_refused_another_may_come(
    connection: FakeConnection, join: str
) -> None:
    connection.says(join)
    await connection.hears("refused")
    await connection.joins()
    connection.says('{"type":"offer","kind":"draw"}')
    assert (await connection.hears("refused", 2))[1]["code"] == "game_not_started"


async def test_a_command_is_refused_when_the_store_fails(
    connection: FakeConnection, store: FragileStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.failures = 1
    connection.says('{"type":"join","id":"mine"}')
    (refused,) = await connection.hears("refused")
    assert (refused["code"], refused["id"]) == ("storage_failed", "mine")
    assert "the disk is full" in caplog.text
    await connection.joins()


async def test_moves_are_timed(connection: FakeConnection, context: RoomEndpointContext) -> None:
    connection.says(HINTED)
    await connection.hears("welcome")
    connection.says(PLAY, '{"type":"play","game":1,"ply":0,"cell":4}', PLAY.replace("4", "9"))
    await connection.hears("refused")
    (*_, (_, moves)) = context.counters.moves.buckets
    assert moves == 2
    assert context.counters.refusals.total() == 1


async def test_a_player_that_leaves_is_told_goodbye(connection: FakeConnection, hub: Hub) -> None:
    await connection.joins()
    connection.says('{"type":"leave"}')
    for _ in range(9):
        await asyncio.sleep(0)
    assert connection.dismissed is CloseCode.BYE
    assert room_of(hub).room.seats.empty


# Hints


class Thoughts:
    """Hints that take as long as they may."""

    def __init__(self, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = asyncio.Event()
        self.gate = asyncio.Event()
        self.begun = 0
        self.ended = 0
        self._evaluate = hub.joining.runner.evaluate
        monkeypatch.setattr(hub.joining.runner, "evaluate", self._think)

    async def _think(self, position: Position, *, key: str) -> Evaluation:
        self.begun += 1
        self.asked.set()
        try:
            await self.gate.wait()
        finally:
            self.ended += 1
        return await self._evaluate(position, key=key)


@pytest.fixture
async def thoughts(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> Thoughts:
    return Thoughts(hub, monkeypatch)


@pytest.fixture
async def hinted(connection: FakeConnection) -> FakeConnection:
    """A connection that is to move in a room with hints."""
    connection.says(HINTED)
    await connection.hears("welcome")
    return connection


async def test_a_move_does_not_wait_for_a_hint(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub, thoughts: Thoughts
) -> None:
    hinted.says('{"type":"hint","id":"slow"}')
    await thoughts.asked.wait()
    hinted.says(PLAY)
    await hinted.hears("update", 2)
    thoughts.gate.set()
    await drain(context, hub)
    (refused,) = hinted.of("refused")
    assert (refused["code"], refused["id"]) == ("not_allowed", "slow"), "it is of no use by now"


async def test_a_hint_is_for_what_was_there_when_it_was_asked_for(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub
) -> None:
    hinted.says('{"type":"hint"}', PLAY)
    await hinted.hears("update", 2)
    await drain(context, hub)
    said = [message["type"] for message in hinted.messages]
    assert said[said.index("hint") :][:2] == ["hint", "update"]
    assert not hinted.of("refused")


async def test_a_later_hint_replaces_an_earlier_one(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub, thoughts: Thoughts
) -> None:
    for _ in range(5):
        hinted.says('{"type":"hint"}')
        await thoughts.asked.wait()
    thoughts.gate.set()
    await drain(context, hub)
    assert len(hinted.of("hint")) == 1
    assert not hinted.of("refused")
    assert thoughts.begun == 1, "the same thought answers them all"


async def test_a_hint_for_another_position_gives_up_the_earlier_one(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub, thoughts: Thoughts
) -> None:
    hinted.says('{"type":"hint","id":"first"}')
    await thoughts.asked.wait()
    hinted.says(PLAY)
    await hinted.hears("update", 2)
    hinted.says('{"type":"hint","id":"second"}')
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (thoughts.begun, thoughts.ended) == (2, 1)
    thoughts.gate.set()
    await drain(context, hub)
    assert len(hinted.of("hint")) == 1
    assert not hinted.of("refused")


async def test_a_hint_that_is_refused_gives_up_the_earlier_one(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub, thoughts: Thoughts
) -> None:
    hinted.says('{"type":"hint","id":"first"}')
    await thoughts.asked.wait()
    hinted.says('{"type":"resign","game":1}')
    await hinted.hears("update")
    hinted.says('{"type":"hint","id":"second"}')
    await drain(context, hub)
    (refused,) = hinted.of("refused")
    assert (refused["code"], refused["id"]) == ("game_over", "second")
    assert (thoughts.begun, thoughts.ended) == (1, 1)


async def test_a_hint_dies_with_its_connection(
    hinted: FakeConnection, context: RoomEndpointContext, hub: Hub, thoughts: Thoughts
) -> None:
    hinted.says('{"type":"hint"}')
    await thoughts.asked.wait()
    hinted.goes()
    await drain(context, hub)
    assert (thoughts.begun, thoughts.ended) == (1, 1)
    assert not hub._hints._pending
    assert not hinted.of("hint")


# The end


async def test_commands_before_the_end_are_carried_out(
    connection: FakeConnection, context: RoomEndpointContext, hub: Hub
) -> None:
    await connection.joins()
    live = room_of(hub)
    connection.says('{"type":"say","text":"bye"}', '{"type":"leave"}')
    connection.goes()
    await drain(context, hub)
    assert connection.of("said")
    assert live.room.seats.empty
    assert live.members.is_empty


async def test_a_join_that_comes_in_time_is_answered(
    connection: FakeConnection, store: FragileStore
) -> None:
    store.gate.clear()
    connection.says(JOIN)
    await store.next_write()
    pass_time(connection)
    store.gate.set()
    await connection.hears("welcome")
    assert not connection.is_dismissed


def pass_time(connection: FakeConnection) -> None:
    """No join has come in time."""
    latecomer = endpoint(connection)
    latecomer._context.latecomers.discard(latecomer)
    latecomer.be_late()


async def test_a_connection_that_does_not_join_has_to_go(connection: FakeConnection) -> None:
    pass_time(connection)
    assert connection.dismissed is CloseCode.POLICY
    assert connection.dismissed_for == "no join came within 10 s"


async def test_a_last_join_that_is_refused_is_answered(
    connection: FakeConnection, store: FragileStore
) -> None:
    store.failures = 1
    connection.says(JOIN)
    pass_time(connection)
    (refused,) = await connection.hears("refused")
    assert refused["code"] == "storage_failed"
    await asyncio.sleep(0)
    assert connection.dismissed is CloseCode.POLICY


async def test_after_a_join_that_was_refused_a_connection_may_be_late(
    connection: FakeConnection,
) -> None:
    while connection.account.guesses.spend(connection.loop.time()):
        pass
    connection.says('{"type":"join","password":"a guess too many"}')
    assert (await connection.hears("refused"))[0]["code"] == "rate_limited"
    assert not connection.is_dismissed
    pass_time(connection)
    assert connection.dismissed is CloseCode.POLICY


async def test_a_password_that_is_right_is_no_guess(connection: FakeConnection) -> None:
    connection.says('{"type":"join","password":"needed by no room"}')
    await connection.hears("welcome")
    guesses = 0
    while connection.account.guesses.spend(connection.loop.time()):
        guesses += 1
    assert guesses == 9


async def test_a_token_that_is_wrong_is_a_guess(connection: FakeConnection) -> None:
    for count in range(1, 10):
        connection.account.commands.refund()
        endpoint(connection)._limiter._commands.refund()
        connection.says('{"type":"join","token":"forged"}')
        assert (await connection.hears("refused", count))[-1]["code"] == "bad_token"
    endpoint(connection)._limiter._commands.refund()
    connection.says('{"type":"join","token":"forged"}')
    assert (await connection.hears("refused", 10))[-1]["code"] == "rate_limited"


async def test_a_join_is_not_carried_out_after_the_goodbye(
    connection: FakeConnection, context: RoomEndpointContext, hub: Hub, store: FragileStore
) -> None:
    connection.says('{"type":"join","settings":{}}')
    connection.dismiss(CloseCode.RESTARTING)
    await drain(context, hub)
    assert not store.appends


async def test_a_connection_over_the_limit_is_told_to_slow_down(
    connection: FakeConnection,
) -> None:
    for count in range(1, 10):
        connection.says('{"type":"join","role":"spectator"}')
        assert (await connection.hears("refused", count))[-1]["code"] == "no_such_room"
    for count in range(10, 19):
        connection.says(JOIN)
        assert (await connection.hears("refused", count))[-1]["code"] == "rate_limited"
    connection.says(JOIN)
    assert connection.dismissed is CloseCode.POLICY


def fault(*_: object, **__: object) -> None:
    raise RuntimeError


@pytest.mark.parametrize("kind", [Joining, Changes], ids=["at once", "later"])
async def test_a_bug_closes_the_connection_and_is_logged(
    connection: FakeConnection,
    context: RoomEndpointContext,
    hub: Hub,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type,
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", JsonFormatter())
    monkeypatch.setattr(kind, "join" if kind is Joining else "catch_up", fault)
    connection.says('{"type":"join","settings":{}}')
    await drain(context, hub)
    assert connection.dismissed is CloseCode.SERVER_FAULT
    logged = json.loads(caplog.text)
    assert (logged["room"], logged["connection"]) == (NAME, 1)
    assert "RuntimeError" in logged["traceback"]
    connection.goes()
    await asyncio.wait_for(context.drained(), 10)


async def test_what_is_logged_of_a_join_is_about_the_connection(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", JsonFormatter())
    with caplog.at_level(logging.DEBUG, "ttt_server.endpoints.room"):
        await connection.joins()
    joined = json.loads(caplog.text)
    assert (joined["room"], joined["connection"]) == (NAME, 1)


async def test_what_is_logged_of_a_refusal_is_about_the_connection(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", JsonFormatter())
    with caplog.at_level(logging.DEBUG, "ttt_server.endpoints.room"):
        connection.says("{}")
        await connection.hears("refused")
    refused = json.loads(caplog.text)
    assert refused["message"] == "refused: bad_command"
    assert (refused["room"], refused["connection"]) == (NAME, 1)
