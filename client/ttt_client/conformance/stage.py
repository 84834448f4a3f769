"""The scene of a check: its peers, which send anything and expect what the protocol says."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import Rejected, dial
from ttt_client.net.http import fetch

ANSWER_S = 5.0
"""How long a server may take for an answer."""

Message = dict[str, Any]


class Broken(Exception):
    """The server broke the protocol; the message says how."""


class Peer:
    """A connection that speaks JSON by itself, without the protocol's own code."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self.subprotocol = connection.subprotocol

    async def raw(self, frame: str | bytes, *, text: bool | None = None) -> None:
        """Send a frame as it is, whatever it holds."""
        try:
            await self._connection.send(frame, text=text)
        except ConnectionClosed:
            raise Broken("the server closed the connection") from None

    async def send(self, type_: str, **fields: Any) -> None:
        """Send a command."""
        await self.raw(json.dumps({"type": type_, **fields}))

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            Broken: there is none in time, or it is no JSON object.
        """
        try:
            async with asyncio.timeout(ANSWER_S):
                message = json.loads(await self._connection.recv())
        except TimeoutError:
            raise Broken(f"no answer in {ANSWER_S:g} s") from None
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd is not None else None
            raise Broken(f"the connection was closed ({code})") from None
        except ValueError:
            raise Broken("a message is no JSON") from None
        if not isinstance(message, dict):
            raise Broken("a message is no JSON object")
        return message

    async def until(self, type_: str) -> Message:
        """Return the next message of this type; others are passed over."""
        while (message := await self.receive()).get("type") != type_:
            if message.get("type") == "refused":
                raise Broken(f"refused: {message.get('code')}, where {type_} was expected")
        return message

    async def join(self, **fields: Any) -> Message:
        """Join, and return the welcome."""
        await self.send("join", **fields)
        return await self.until("welcome")

    async def event(self, kind: str) -> Message:
        """Return the next update that has an event of this type."""
        while True:
            update = await self.until("update")
            if any(event["type"] == kind for event in update["events"]):
                return update

    async def ended(self, winner: str | None, reason: str) -> None:
        """Wait for the end of the game, which has to be this one."""
        outcome = (await self.event("ended"))["room"]["game"]["outcome"]
        wanted = {"winner": winner, "reason": reason, "line": None}
        require(outcome == wanted, f"the outcome is {outcome}")

    async def expect(self, code: str, type_: str, **fields: Any) -> Message:
        """Send a command that has to be refused with this code, and return the refusal."""
        await self.send(type_, **fields)
        return await self.refused(code, f"{type_} {json.dumps(fields)}")

    async def refused(self, code: str, what: str) -> Message:
        """Return the next refusal, which has to have this code."""
        while (message := await self.receive()).get("type") != "refused":
            if message.get("type") in {"welcome", "hint"}:
                raise Broken(f"{what} was carried out, where {code} was expected")
        if message.get("code") != code:
            raise Broken(f"{what} was refused with {message.get('code')}, not {code}")
        return message

    async def closed(self, code: int) -> None:
        """Wait for the end of the connection, which has to have this code."""
        try:
            async with asyncio.timeout(ANSWER_S):
                while True:
                    await self._connection.recv()
        except ConnectionClosed:
            found = self._connection.close_code
        except TimeoutError:
            raise Broken(f"the connection is still open, where {code} was expected") from None
        if found != code:
            raise Broken(f"closed with {found}, not {code}")

    async def goodbye(self, code: int) -> None:
        """Wait for the goodbye with this code, and for the end of the connection."""
        said = (await self.until("goodbye")).get("code")
        require(said == code, f"goodbye has the code {said}, not {code}")
        await self.closed(code)

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()


def require(is_so: object, what: str) -> None:
    """Check something that the protocol promises.

    Raises:
        Broken: it is not so.
    """
    if not is_so:
        raise Broken(what)


class ConformanceStage:
    """The peers of one check, in a room of its own."""

    def __init__(self, server: ServerAddress) -> None:
        self._server = server
        self._room = f"check-{secrets.token_hex(6)}"
        self._peers: list[Peer] = []

    async def peer(self, path: str = "") -> Peer:
        """Connect to the room of this check, or to another path of the server."""
        url = self._server.url + path if path else self._server.socket(f"rooms/{self._room}")
        peer = Peer(await dial(url))
        self._peers.append(peer)
        return peer

    async def post(self, path: str, body: Mapping[str, object], token: str | None = None) -> Any:
        """Send a request with a body, and return the JSON of the answer."""
        url = self._server.api(path)
        return json.loads(await fetch(url, method="POST", body=body, token=token))

    async def status(self, path: str, body: Mapping[str, object], token: str) -> int | None:
        """Send a request with a body, and return the status of the answer; 200 if it succeeds."""
        try:
            await self.post(path, body, token)
        except Rejected as refused:
            return refused.status
        return 200

    async def close(self) -> None:
        """Close all connections."""
        for peer in self._peers:
            await peer.close()


Check = Callable[[ConformanceStage], Awaitable[None]]


async def pair(scene: ConformanceStage, **settings: Any) -> tuple[Peer, Peer]:
    """Return two players of a running game, X first."""
    ada, bob = await scene.peer(), await scene.peer()
    await ada.join(name="ada", settings=settings)
    await bob.join(name="bob")
    await ada.event("started")
    return ada, bob


async def moves(players: tuple[Peer, Peer], *cells: int) -> Any:
    """Play these cells in turn, and return the last update."""
    update = None
    for number, cell in enumerate(cells):
        await players[number % 2].send("play", game=1, ply=number, cell=cell)
        for player in players:
            update = await player.event("played")
            require(update["room"]["game"]["moves"][-1] == cell, "a move is not in the state")
    return update
