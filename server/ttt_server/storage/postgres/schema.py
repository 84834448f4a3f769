"""Make and check the tables, spread those of logs over the machines of Citus, keep the secret."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from ttt_server.storage import people
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection, DatabaseUrl
from ttt_server.storage.postgres.statements import VERSION, VERSION_OF_0_1

_SPREAD: Final = "events", "learned"
"""What Citus may spread, by `room`. All other tables stay on the coordinator."""
_TABLES: Final = (*_SPREAD, "lessons", "deadlines", "servers", "rooms", *people.TABLES)
_SCHEMA, SECRET, FINGERPRINT = "schema", "secret", "secret_fingerprint"
"""Keys in `meta`."""


async def prepare(target: DatabaseUrl, connection: Connection) -> None:
    """Make the tables, or check them, in one transaction.

    Raises:
        CannotOpen: if they are of another version, or not ours, or Citus keeps them otherwise.
        asyncpg.PostgresError: if something else is wrong; nothing has changed.
    """
    async with connection.transaction():
        await connection.execute(statements.LOCK_SCHEMA)
        await _require_fit(connection, ("meta", *_TABLES))
        version = await version_of(connection)
        if version is None:
            await connection.execute(statements.TABLES)
            await connection.execute(statements.SET_META, _SCHEMA, str(VERSION))
        elif version == VERSION and not await connection.fetchval(statements.HAS_ADDITIONS):
            await connection.execute(statements.ADDITIONS)
        is_ours = version in {None, VERSION}
        if is_ours and await connection.fetchval(statements.LACKS, people.RELATIONS):
            for statement in people.DDL:  # text is ordered by code points
                await connection.execute(statement.replace(" TEXT", ' TEXT COLLATE "C"'))
    if version is None:
        return
    if version == VERSION_OF_0_1:
        copy = f"ttt-server copy {target.shown} postgresql://…/NEW"
        raise CannotOpen(f"it is of version 0.1; copy it to a new database: {copy}")
    if version != VERSION:
        raise newer(version)
    if not await connection.fetchval(statements.MAY_WRITE, ("meta", *_TABLES)):
        raise CannotOpen("this user may not write to the tables")


async def risks(connection: Connection) -> list[str]:
    """Return what in the settings of the database may lose moves that were told, in words."""
    rows = await connection.fetch(statements.UNSAFE)
    return [
        f"{name} is off in the database: moves that were told may be lost when it crashes"
        for (name,) in rows
    ]


def newer(version: int) -> CannotOpen:
    """Return the error for tables of a newer server."""
    return CannotOpen(f"it was made by a newer server (schema {version}, not {VERSION})")


async def version_of(connection: Connection) -> int | None:
    """Return the version of the schema; `None` if there are no tables.

    Raises:
        CannotOpen: if there are tables of another program.
    """
    if not await connection.fetchval(statements.HAS_META):
        if await connection.fetchval(statements.HAS_OTHERS, _TABLES):
            raise CannotOpen("there are tables of another program")
        return None
    written = await connection.fetchval(statements.GET_META, _SCHEMA)
    if written is None or not written.isdecimal():
        raise CannotOpen("there are tables of another program")
    return int(written)


async def keep_secret(
    connection: Connection, given: bytes | None, make: Callable[[], bytes], *, accept_loss: bool
) -> bytes:
    """Return the secret of the installation, which the database keeps.

    Args:
        connection: an idle one.
        given: the operator's own secret; only its fingerprint is kept.
        make: makes a secret, if there is none.
        accept_loss: take a secret that is not the one of the other servers and the rooms.

    Raises:
        CannotOpen: if the secret is not that of the installation.
    """
    async with connection.transaction():
        await connection.execute(statements.LOCK_SCHEMA)
        kept = await connection.fetchval(statements.GET_META, SECRET)
        mark = await connection.fetchval(statements.GET_META, FINGERPRINT)
        if given is None and kept is not None:
            return b64decode(kept)
        if given is None and mark is not None and not accept_loss:
            raise CannotOpen(
                "the seats of its rooms are signed with a secret that it does not keep: set"
                " TTT_SECRET as the other servers have it, or give up the seats: --accept-loss"
            )
        secret = make() if given is None else given
        if mark is not None and mark != fingerprint(secret) and not accept_loss:
            raise CannotOpen(
                "the seats of its rooms are signed with another secret than this server's: set"
                " TTT_SECRET as the other servers have it, or give up the seats: --accept-loss"
            )
        await connection.execute(statements.SET_META, FINGERPRINT, fingerprint(secret))
        if given is None:
            await connection.execute(statements.SET_META, SECRET, b64encode(secret).decode())
        elif kept is not None and b64decode(kept) != secret:
            await connection.execute(statements.DROP_META, SECRET)
        return secret


def fingerprint(secret: bytes) -> str:
    """Return what tells secrets apart and does not give them away."""
    return hmac.digest(secret, b"ttt-rooms installation", "sha256").hex()[:32]


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
        if table not in _SPREAD:
            return f"the table {table} must stay on the coordinator, and is distributed: {mend}"
        if (method, column) != (b"h", "room"):
            return f"the table {table} is distributed in another way than by room: {mend}"
    if len({each.group for each in found}) > 1:
        mend = "take one back with SELECT undistribute_table('learned')"
        return f"the tables events and learned are not distributed together: {mend}"
    return None


async def _require_fit(connection: Connection, tables: Sequence[str]) -> None:
    """Check that this is no worker of Citus, and how the tables are spread, if Citus is there.

    Raises:
        CannotOpen: if something is wrong.
    """
    if not await connection.fetchval(statements.HAS_CITUS):
        return
    if await connection.fetchval(statements.IS_WORKER):
        raise CannotOpen("this is a worker of Citus: give the URL of its coordinator")
    if words := fault(await _found(connection, tables)):
        raise CannotOpen(words)


async def require_citus(connection: Connection) -> None:
    """Check that there is Citus.

    Raises:
        CannotOpen: if there is none.
    """
    if not await connection.fetchval(statements.HAS_CITUS):
        raise CannotOpen(
            "this database has no Citus: a superuser makes it on the coordinator and on each worker"
            " (CREATE EXTENSION citus)"
        )


async def distribute(connection: Connection) -> Parts:
    """Spread the tables, which `prepare` has made or checked, as far as they are not.

    Raises:
        CannotOpen: while servers run, which would wait for it.
        asyncpg.PostgresError: if it cannot be done; nothing has changed.
    """
    async with connection.transaction():
        await connection.execute(statements.LOCK_SCHEMA)
        there = [each.table for each in await _found(connection, _SPREAD)]
        rest = [table for table in _SPREAD if table not in there]
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
