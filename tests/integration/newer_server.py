"""A server of tomorrow: today's, with additions to all that it sends."""

import asyncio
import json
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

_EVENT = {"type": "cheered", "seq": 0, "at": 0, "by": "eve"}


class NewerServer:
    """A proxy before the server at `address` that adds fields, an event and a message."""

    def __init__(self, address: str) -> None:
        self._server = address

    async def __aenter__(self) -> Self:
        self._listener = await serve(
            self._carry, "127.0.0.1", 0, subprotocols=[Subprotocol("ttt.v1")]
        )
        self.address = f"ws://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close(close_connections=True)
        await self._listener.wait_closed()

    async def _carry(self, client: ServerConnection) -> None:
        assert client.request is not None
        options: Any = {"subprotocols": ["ttt.v1"], "compression": None}
        async with connect(self._server + client.request.path, **options) as server:

            async def to_server() -> None:
                with suppress(ConnectionClosed):
                    async for frame in client:
                        await server.send(frame)

            async def to_client() -> None:
                with suppress(ConnectionClosed):
                    async for frame in server:
                        await client.send('{"type":"weather","sun":true}')
                        await client.send(json.dumps(_grown(json.loads(frame))))

            ways = [asyncio.create_task(to_server()), asyncio.create_task(to_client())]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)


def _grown(value: Any) -> Any:
    """Return JSON with a field more in every object, and an event more in every update."""
    match value:
        case dict():
            grown = {name: _grown(inner) for name, inner in value.items()}
            if grown.get("type") == "update":
                grown["events"] = [_EVENT, *grown["events"], _EVENT]
            return grown | {"added": {"tomorrow": [1, None]}}
        case list():
            return [_grown(inner) for inner in value]
        case _:
            return value
