"""What an append costs as the tables grow, on a database that nobody has analysed."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from typing import Final

from tests.bench.many.costs import Finding
from tests.bench.server import cpu_s, descendants
from tests.postgres import own_server
from ttt_protocol.state import RoomName
from ttt_server.storage.base import Entry, Snapshot
from ttt_server.storage.postgres.store import PostgresStore

_ROOMS: Final = 500
"""That write at once."""
_ROWS: Final = 500_000
_APPENDS: Final = 50
"""To each room, before it makes way for a new one."""
_SHARE: Final = 0.04
"""Of the rows, which are the first ones and the last ones."""


def filling(*, is_quick: bool = False) -> Iterator[Finding]:
    """Fill a new database that is never analysed, and tell what the last appends cost it."""
    rows = _ROWS // 50 if is_quick else _ROWS
    with own_server("autovacuum=off", "max_wal_size=4GB", "shared_buffers=128MB") as server:
        database = server.url(server.new_database())
        costs = asyncio.run(fill(database, rows, server.pid))
    few = max(2, round(len(costs) * _SHARE))
    first, last = median(costs[1 : few + 1]), median(costs[-few:])
    yield "CPU of PostgreSQL for an append at first, us", 1e6 * first / _ROOMS
    yield f"CPU of PostgreSQL for an append after {rows} rows, us", 1e6 * last / _ROOMS
    yield "appends, the last to the first", last / first


async def fill(database: str, rows: int, postmaster: int) -> Sequence[float]:
    """Append so many rows; return the seconds of CPU that each round of `_ROOMS` took."""
    store = await PostgresStore.open(database)
    backends = descendants(postmaster)
    costs = []
    for turn in range(rows // _ROOMS):
        life, number = divmod(turn, _APPENDS)
        done = [asyncio.get_running_loop().create_future() for _ in range(_ROOMS)]
        entries = []
        for room, kept in enumerate(done):
            name = RoomName(f"room-{life}-{room}")
            line = b'{"type":"played","seq":%d,"at":1764000000000,"cell":4}' % (number + 1)
            saved = Snapshot(number, b"{}" * 200) if number % 16 == 15 else None
            entries.append(Entry(name, number + 1, (line,), saved, partial(_tell, kept)))
        before = sum(map(cpu_s, backends))
        store.append(entries)
        await asyncio.gather(*done)
        costs.append(sum(map(cpu_s, backends)) - before)
    await store.close()
    return costs


def _tell(done: asyncio.Future[None], error: Exception | None) -> None:
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
