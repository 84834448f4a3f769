"""Spread the tables of logs over the machines of Citus, and check how they are spread."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ttt_server.storage.base import CannotOpen
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection

TABLES: Final = "events", "learned"
"""What is spread, by `room`. All other tables stay on the coordinator."""

NO_CITUS: Final = (
    "this database has no Citus: a superuser makes it on the coordinator and on each worker"
    " (CREATE EXTENSION citus)"
)
WORKER: Final = "this is a worker of Citus: give the URL of its coordinator"

_BY_HASH: Final = b"h"


class Spread(NamedTuple):
    """How Citus keeps a table."""

    table: str
    method: bytes
    """`h`: by the hash of a column."""
    column: str | None
    group: int
    """Tables of one group have their parts side by side."""


class Parts(NamedTuple):
    """Where a table is."""

    parts: int
    machines: int


def fault(found: Collection[Spread]) -> str | None:
    """Return what is wrong with the tables that Citus keeps, and what mends it."""
    for table, method, column, _ in found:
        mend = f"take it back with SELECT undistribute_table('{table}')"
        if table not in TABLES:
            return f"the table {table} must stay on the coordinator, and is distributed: {mend}"
        if (method, column) != (_BY_HASH, "room"):
            return f"the table {table} is distributed in another way than by room: {mend}"
    if len({each.group for each in found}) > 1:
        mend = "take one back with SELECT undistribute_table('learned')"
        return f"the tables events and learned are not distributed together: {mend}"
    return None


async def require_fit(connection: Connection, tables: Sequence[str]) -> None:
    """Check that this is no worker of Citus, and how the tables are spread, if Citus is there.

    Raises:
        CannotOpen: if something is wrong.
    """
    if not await connection.fetchval(statements.HAS_CITUS):
        return
    if await connection.fetchval(statements.IS_WORKER):
        raise CannotOpen(WORKER)
    if words := fault(await _found(connection, tables)):
        raise CannotOpen(words)


async def require_citus(connection: Connection) -> None:
    """Check that there is Citus.

    Raises:
        CannotOpen: if there is none.
    """
    if not await connection.fetchval(statements.HAS_CITUS):
        raise CannotOpen(NO_CITUS)


async def distribute(connection: Connection) -> Parts:
    """Spread the tables, which `schema.prepare` has made or checked, as far as they are not.

    Raises:
        CannotOpen: while servers run, which would wait for it.
        asyncpg.PostgresError: if it cannot be done; nothing has changed.
    """
    async with connection.transaction():
        await connection.execute(statements.LOCK_SCHEMA)
        there = [each.table for each in await _found(connection, TABLES)]
        rest = [table for table in TABLES if table not in there]
        if rest and await connection.fetchval(statements.COUNT_ALIVE):
            raise CannotOpen("servers run on it: stop them first")
        for table in rest:
            beside = there[0] if there else "default"
            await connection.execute(statements.DISTRIBUTE, table, beside)
            await connection.execute(statements.DROP_LOCAL, table)
            there.append(table)
        return Parts(*(await connection.fetch(statements.PARTS))[0])


async def _found(connection: Connection, tables: Sequence[str]) -> list[Spread]:
    return [Spread(*row) for row in await connection.fetch(statements.LAYOUT, tables)]
