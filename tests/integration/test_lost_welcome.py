"""A join is carried out, and the connection is lost before its welcome arrives."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.integration.players import Run
from tests.integration.programs import Dial, ServerProcess, SharedServer
from ttt_client.library.enter import join

KEY = "k3v9x2qa-k3v9x2qa"


@asynccontextmanager
async def losing_welcomes(server: str) -> AsyncIterator[tuple[str, list[str]]]:
    """The address of a proxy that cuts the first connection to each path at the first message.

    The list has the path of each connection that was cut.
    """
    cut: list[str] = []

    async def carry(client: ServerConnection) -> None:
        assert client.request is not None
        path = client.request.path
        options = {"subprotocols": [Subprotocol("ttt.v1")], "compression": None}
        async with connect(server + path, **options) as behind:  # type: ignore[arg-type]

            async def to_server() -> None:
                with suppress(ConnectionClosed):
                    async for frame in client:
                        await behind.send(frame)
                await behind.close()

            async def to_client() -> None:
                with suppress(ConnectionClosed):
                    async for frame in behind:
                        if path not in cut:
                            cut.append(path)
                            client.transport.abort()
                            return
                        await client.send(frame)

            async with asyncio.TaskGroup() as both:
                both.create_task(to_server())
                await to_client()
                await client.close()

    subprotocols = [Subprotocol("ttt.v1")]
    async with serve(carry, "127.0.0.1", 0, subprotocols=subprotocols) as listener:
        yield f"ws://127.0.0.1:{listener.sockets[0].getsockname()[1]}", cut


async def test_each_client_finds_its_seat_again_and_no_other(
    shared: SharedServer, run: Run, dial: Dial, room_name: str
) -> None:
    rooms = {kind: f"{room_name}-{kind}" for kind in ("person", "bot", "library")}
    async with losing_welcomes(shared.address) as (address, cut):
        to = ("--server", address, "--name", "ada")
        person = await run(*to, "join", rooms["person"], home="person")
        bot = await run(*to, "bot", rooms["bot"], "--exec", "cat", home="bot")
        async with join(address, rooms["library"], name="ada") as room:
            assert room.seat == "X"
            await person.until("X: ada")
            await bot.until("ada plays X")
            for name in rooms.values():
                eve = await dial(shared, name)
                seats = (await eve.join(role="spectator"))["room"]["seats"]
                assert (seats["X"]["name"], seats["O"]) == ("ada", None)
    assert sorted(cut) == sorted(f"/ws/rooms/{name}" for name in rooms.values())
    bot.process.terminate()


async def test_after_a_kill_the_same_key_has_the_same_seat(
    server: ServerProcess, dial: Dial
) -> None:
    locked = {"password": "swordfish"}
    ada = (await (await dial(server, "den")).join(settings=locked, claim_key=KEY))["you"]
    await server.restart_after_kill()
    assert KEY.encode() not in b"".join(file.read_bytes() for file in server.data.glob("ttt.*"))
    again = await dial(server, "den")
    refusal = await again.refusal("join", claim_key=KEY)
    assert refusal["code"] == "wrong_password"
    assert (await again.join(settings=locked, claim_key=KEY))["you"] == ada
    bob = await dial(server, "den")
    assert (await bob.join(password="swordfish", claim_key=KEY[::-1]))["you"]["seat"] == "O"
