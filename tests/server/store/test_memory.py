from tests.server.store.logs import DEN, events
from ttt_server.store.memory import MemoryStore


async def test_it_keeps_nothing() -> None:
    store = MemoryStore()
    await store.append(DEN, events(1, 1))
    await store.close()
    assert await store.load(DEN) == ()
    assert await MemoryStore().load(DEN) == ()
