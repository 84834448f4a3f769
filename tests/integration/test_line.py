"""Bad lines between clients and the server: slow, cut, dead, half dead, a byte at a time."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from tests.integration.hostile import RawClient, close_code, messages
from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess
from tests.integration.proxy import FaultProxy
from tests.integration.raw import TEXT, frame
from ttt_server import app, serve
from ttt_server.config.options import Config

pytestmark = pytest.mark.heavy


@pytest.fixture
async def proxy(server: ServerProcess) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(server.address) as proxy:
        yield proxy


@pytest.mark.parametrize("fault", [lambda p: p.slow_down(0.05), FaultProxy.byte_by_byte])
async def test_a_slow_line_carries_a_whole_game(
    server: ServerProcess, proxy: FaultProxy, dial: Dial, fault: Callable[[FaultProxy], None]
) -> None:
    fault(proxy)
    ada, bob = await dial(proxy, "room42"), await dial(server, "room42")
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.until("update")
    for ply, cell in enumerate((4, 0, 2, 6, 3, 5, 1, 7, 8)):
        mover, other = (ada, bob) if ply % 2 == 0 else (bob, ada)
        await mover.play(ply, cell)
        await other.until_ply(ply + 1)
    assert (await server.get("/api/rooms/room42"))[1]["game"]["outcome"]["reason"] == "full"


async def test_a_line_that_is_cut_is_noticed_at_once(
    server: ServerProcess, proxy: FaultProxy, dial: Dial
) -> None:
    ada, bob = await dial(proxy, "room42"), await dial(server, "room42")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    proxy.cut()
    while (await bob.until("presence"))["seats"]["X"]:
        pass
    back = await dial(server, "room42")
    assert (await back.join(token=token))["you"]["seat"] == "X"
    while not (await bob.until("presence"))["seats"]["X"]:
        pass


async def test_a_newer_connection_has_the_seat_of_one_that_is_dead(
    server: ServerProcess, proxy: FaultProxy, dial: Dial
) -> None:
    ada, bob = await dial(proxy, "room42"), await dial(server, "room42")
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    proxy.blackhole()
    back = await dial(server, "room42")
    assert (await back.join(token=token))["you"]["seat"] == "X"
    await back.play(0, 4)
    proxy.heal()
    assert await ada.close_code() == 4001


@pytest.mark.timeout(240)
async def test_the_client_comes_back_by_itself(server: ServerProcess, run: Run) -> None:
    """A line that is cut is known at once; one that is dead when a ping has had no answer."""
    faults = (FaultProxy.cut, FaultProxy.blackhole, FaultProxy.half_open)

    async def lose_and_return(fault: Callable[[FaultProxy], None]) -> None:
        room = fault.__name__.replace("_", "-")
        async with FaultProxy(server.address) as proxy:
            ada = await run("--server", proxy.address, "--name", "ada", "join", room, home=room)
            await ada.until("X: ada")
            bob = await run("--server", server.address, "--name", "bob", "join", room)
            await ada.until("your turn")
            await ada.type("5")
            await bob.until("your turn")
            fault(proxy)
            await bob.type("1")
            await ada.until("connection", patience_s=90)
            proxy.heal()
            await ada.until("your turn", patience_s=90)
            await ada.type("9")
            await bob.until("your turn")
            for player in (ada, bob):
                await player.type("quit")

    await asyncio.gather(*map(lose_and_return, faults))


async def test_of_two_who_say_nothing_the_one_that_answers_pings_may_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "PING_INTERVAL_S", 0.2)
    monkeypatch.setattr(app, "PING_TIMEOUT_S", 0.5)
    config = Config(port=0, data=tmp_path, store="memory:", send_timeout_s=0.2)
    async with serve(config) as running:
        server = ServerProcess(tmp_path)
        server.port = int(running.address.rpartition(":")[2])
        async with connect(f"{server.address}/ws/rooms/room42", ping_interval=None) as alive:
            dead = await RawClient.connect(server)
            assert await dead.upgrade(server, "room42") == 101
            said = await dead.rest()
            assert close_code(said) == 1011
            assert [message["type"] for message in messages(said)] == ["goodbye"]
            await alive.send('{"type": "join"}')
            assert json.loads(await alive.recv())["type"] == "welcome"


def test_a_silent_player_is_shown_away_within_twenty_seconds() -> None:
    slack_s = 1  # a timer's ticks, and at most two `presence` a second
    assert app.PING_INTERVAL_S + app.PING_TIMEOUT_S + Config().send_timeout_s + slack_s <= 20


async def test_a_silent_player_is_shown_away_without_a_wait_for_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dial: Dial
) -> None:
    monkeypatch.setattr(app, "PING_INTERVAL_S", 0.2)
    monkeypatch.setattr(app, "PING_TIMEOUT_S", 0.5)
    config = Config(port=0, data=tmp_path, store="memory:", send_timeout_s=600)
    async with serve(config) as running:
        server = ServerProcess(tmp_path)
        server.port = int(running.address.rpartition(":")[2])
        ada = await dial(server, "room42")
        await ada.join(name="ada")
        silent = await RawClient.connect(server)
        assert await silent.upgrade(server, "room42") == 101
        silent.send(frame(TEXT, b'{"type": "join", "name": "bob"}'))
        while not (await ada.until("presence"))["seats"]["O"]:
            pass
        while (await ada.until("presence"))["seats"]["O"]:
            pass
        silent.cut()
