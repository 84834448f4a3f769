from tests.server.storage.appends import DEN, append, events, load
from ttt_server.storage.memory import MemoryStore


async def test_it_keeps_nothing() -> None:
    store = MemoryStore()
    await append(store, DEN, events(1, 1))
    await store.close()
    assert await load(MemoryStore(), DEN) == ()
