"""With a retention, bytes that were deleted are gone from the files."""

import asyncio
from pathlib import Path

import pytest

from tests.server.storage.appends import DEN, LAIR, append, events
from ttt_protocol.events import Seated
from ttt_protocol.state import Human, Mark, RoomName, SessionId
from ttt_server.storage.base import Snapshot
from ttt_server.storage.sqlite import store as module
from ttt_server.storage.sqlite import tables
from ttt_server.storage.sqlite.store import SqliteStore


def secret_of(room: RoomName, number: int) -> str:
    return f"whisper-{room}-{number}-"


async def fill(store: SqliteStore, room: RoomName, games: int) -> None:
    for number in range(1, games + 1):
        player = Human(id=SessionId("ada1"), name=secret_of(room, number))
        event = Seated(seq=number, at=number, seat=Mark.X, player=player)
        await append(store, room, (event,), snapshot=Snapshot(number, b"saved"))


def seen(path: Path, room: RoomName, number: int) -> bool:
    word = secret_of(room, number).encode()
    return any(word in file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


@pytest.mark.parametrize("erase", [True, False])
async def test_nothing_is_left_of_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, erase: bool
) -> None:
    monkeypatch.setattr(tables, "_LONG", 10)
    monkeypatch.setattr(tables, "_ROW", 5)
    store = SqliteStore(path, erase=erase)
    for room in (DEN, LAIR):
        await fill(store, room, 20)
    assert seen(path, DEN, 3)
    assert seen(path, LAIR, 3)
    monkeypatch.setattr(module, "_ERASE_S", 0.0)
    await store.delete(LAIR)
    while await store.trim(DEN, 4):
        pass
    if erase:
        assert store._writer._erase_at is not None
        store._writer._erase_at = 0.0
    await append(store, RoomName("other"), events(1, 1))
    async with asyncio.timeout(10):
        while erase and store._writer._erase_at is not None:
            await store.probe()
    await store.probe()
    gone = [not seen(path, LAIR, number) for number in range(1, 21)]
    gone += [not seen(path, DEN, number) for number in range(1, 16)]
    assert all(gone) == erase
    assert seen(path, DEN, 20)
    await store.close()
