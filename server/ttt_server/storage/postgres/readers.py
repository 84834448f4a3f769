"""A few connections for everything except appends and the lease."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres import connecting

_CONNECTIONS = 4
"""At once; more reads wait."""


class Readers:
    """A small pool: connections are made on demand, kept, and dropped when they fail."""

    def __init__(self, target: connecting.DatabaseUrl, patience_s: float) -> None:
        """`patience_s`: the timeout of a statement, and of a new connection."""
        self._target = target
        self._patience_s = patience_s
        self._places = asyncio.Semaphore(_CONNECTIONS)
        self._free: list[connecting.Connection] = []

    async def fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """Return the rows of one statement, which is a transaction.

        Raises:
            StorageFailed: if there is no answer, or an error.
        """
        async with self.take() as connection:
            return await connection.fetch(statement, *arguments)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[connecting.Connection]:
        """Lend a connection to the block.

        Raises:
            StorageFailed: if the database cannot be reached, or a statement in the block fails.
        """
        async with self._places:
            connection: connecting.Connection | None = None
            try:
                connection = await self._connection()
                yield connection
            except connecting.FAILURES as error:
                if connection is not None and connecting.is_unknown(error):
                    connection.terminate()
                raise StorageFailed(f"the database: {connecting.words(error)}") from None
            except BaseException:
                if connection is not None:
                    connection.terminate()  # a statement may be under way
                raise
            finally:
                if connection is not None and not connection.is_closed():
                    self._free.append(connection)

    async def close(self) -> None:
        """End all connections."""
        while self._free:
            self._free.pop().terminate()

    async def _connection(self) -> connecting.Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():
                return connection
        return await self._target.connect(patience_s=self._patience_s, connect_s=self._patience_s)
