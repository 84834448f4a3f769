"""The scene of a check: its peers, and two of them in a game."""

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ttt_client.conformance.peer import Peer, require
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import Rejected
from ttt_client.net.http import fetch


class ConformanceStage:
    """The peers of one check, in a room of its own."""

    def __init__(self, server: ServerAddress) -> None:
        self._server = server
        self._room = f"check-{secrets.token_hex(6)}"
        self._peers: list[Peer] = []

    async def peer(self, path: str = "") -> Peer:
        """Connect to the room of this check, or to another path of the server."""
        url = self._server.url + path if path else self._server.socket(f"rooms/{self._room}")
        peer = await Peer.open(url)
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


async def moves(players: tuple[Peer, Peer], *cells: int, game: int = 1, ply: int = 0) -> Any:
    """Play these cells in turn, and return the last update."""
    update = None
    for number, cell in enumerate(cells, ply):
        await players[number % 2].send("play", game=game, ply=number, cell=cell)
        for player in players:
            update = await player.event("played")
            require(update["room"]["game"]["moves"][-1] == cell, "a move is not in the state")
    return update
