"""PostgreSQL with a real disk under it, and servers on it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from websockets.asyncio.client import connect

from tests.bench.generator import generator
from tests.bench.plan import Plan
from tests.bench.server import Server, running
from tests.bench.stage import Stage
from tests.postgres import PostgresServer, own_server

DURABLE = "fsync=on", "full_page_writes=on", "shared_buffers=128MB"


@dataclass(frozen=True)
class Installation:
    """A new database, and how much is measured."""

    plan: Plan
    store: str
    """The URL."""

    @contextmanager
    def server(self, *options: str) -> Iterator[Server]:
        """One more server on the database."""
        with running(self.plan.server, self.plan.folder, "--store", self.store, *options) as server:
            yield server

    @contextmanager
    def load(self, server: Server, rooms: str) -> Iterator[Stage]:
        """A load on a server, in rooms of its own."""
        with generator(server, rooms) as load:
            yield Stage(server, load, self.plan)


@contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that syncs what it commits."""
    with own_server(*DURABLE) as server:
        yield server


def claim(owner: Server, rooms: str, numbers: range) -> None:
    """Let a server own these rooms, so that others pass their clients on to it."""

    async def one(number: int) -> None:
        address = f"ws://127.0.0.1:{owner.port}/ws/rooms/{rooms}{number}"
        async with connect(address, subprotocols=["ttt.v1"]):  # type: ignore[list-item]
            pass

    async def all_() -> None:
        await asyncio.gather(*(one(number) for number in numbers))

    asyncio.run(all_())
