from random import Random
from typing import cast

import pytest

from tests.server.fakes import FakeConnection
from ttt_protocol.codes import CloseCode
from ttt_server.endpoints.play import PlayEndpointContext
from ttt_server.limits.rates import Rate
from ttt_server.lobby.matchmaker import Matchmaker
from ttt_server.rooms.hub import Hub
from ttt_server.telemetry.counters import Counters
from ttt_server.transport.connection import Connection

SEEK = '{"type":"seek"}'


@pytest.fixture
async def context(hub: Hub) -> PlayEndpointContext:
    return make_context(hub, join_timeout_s=10)


def make_context(hub: Hub, join_timeout_s: float) -> PlayEndpointContext:
    matchmaker, limits = Matchmaker(hub.reservations, 10, Random(0)), Rate(0.001, 3)
    return PlayEndpointContext(matchmaker, limits, Counters(), join_timeout_s)


@pytest.fixture
async def connection(context: PlayEndpointContext) -> FakeConnection:
    return begun(context)


def begun(context: PlayEndpointContext) -> FakeConnection:
    connection = FakeConnection()
    context.begin(cast("Connection", connection))
    return connection


async def test_two_connections_are_paired(
    context: PlayEndpointContext, connection: FakeConnection
) -> None:
    other = begun(context)
    connection.says(SEEK)
    other.says(SEEK)
    (paired,) = await connection.hears("paired")
    assert other.of("paired")[0]["room"] == paired["room"]
    assert connection.dismissed is CloseCode.BYE
    connection.goes()


async def test_a_closed_connection_stops_seeking(
    context: PlayEndpointContext, connection: FakeConnection
) -> None:
    connection.says(SEEK)
    connection.goes()
    other = begun(context)
    other.says(SEEK)
    assert not other.messages
    other.goes()


@pytest.mark.parametrize(
    ("text", "code", "command"),
    [
        ('{"type":"join","id":"j"}', "not_joined", "join"),
        ('{"type":"seek","id":"j","board":1}', "bad_command", "seek"),
        ("{", "bad_json", None),
    ],
)
async def test_other_commands_are_refused(
    context: PlayEndpointContext, connection: FakeConnection, text: str, code: str, command: str
) -> None:
    connection.says(text)
    (refused,) = connection.of("refused")
    assert (refused["code"], refused["command"]) == (code, command)
    assert refused.get("id") == ("j" if command else None)
    assert context.counters.refusals[refused["code"]] == 1


async def test_too_many_commands_are_refused_and_then_the_connection_ends(
    connection: FakeConnection,
) -> None:
    for _ in range(3):
        connection.says(SEEK)
    connection.says('{"type":"seek","id":"s"}')
    (refused,) = connection.of("refused")
    assert (refused["code"], refused["id"]) == ("rate_limited", "s")
    for _ in range(3):
        connection.says("{")
    assert connection.dismissed is CloseCode.POLICY
    connection.says(SEEK)


async def test_binary_data_is_no_command(connection: FakeConnection) -> None:
    connection.says(b"{}")
    assert connection.dismissed is CloseCode.BINARY_FRAME


async def test_a_connection_without_a_seek_is_closed(hub: Hub) -> None:
    context = make_context(hub, join_timeout_s=0.02)
    connection, seeking, gone = (begun(context) for _ in range(3))
    seeking.says(SEEK)
    gone.goes()
    await connection.until(lambda _: connection.is_dismissed)
    assert connection.dismissed is CloseCode.POLICY
    assert connection.dismissed_for == "no seek came within 0.02 s"
    assert not seeking.is_dismissed
    assert not gone.is_dismissed
