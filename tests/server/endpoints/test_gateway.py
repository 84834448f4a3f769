import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.state import RoomName
from ttt_server.app import serve
from ttt_server.config import Config
from ttt_server.endpoints import gateway as reception
from ttt_server.storage.memory import MemoryStore


class Endless(MemoryStore):
    """Whoever reads from it waits for ever."""

    async def load(self, room: RoomName) -> EncodedEvents:  # noqa: ARG002
        never: asyncio.Future[EncodedEvents] = asyncio.get_running_loop().create_future()
        return await never


async def test_who_cannot_be_answered_in_time_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "HANDSHAKE_TIMEOUT_S", 0)
    config = Config(port=0, data=tmp_path)
    async with serve(config, store=Endless()) as server:
        here = urlsplit(server.address).netloc
        reader, writer = await asyncio.open_connection(*here.split(":"))
        writer.write(f"GET /api/rooms/den HTTP/1.1\r\nHost: {here}\r\n\r\n".encode())
        head, _, words = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After" in head
        assert words == b"it takes too long, come back\n"
        writer.close()
