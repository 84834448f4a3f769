"""The database: makes the tables, brings an older schema up to date, and keeps the secret."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Final

from ttt_server.storage.base import CannotOpen
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection
from ttt_server.storage.postgres.statements import UPGRADES, VERSION

_TABLES: Final = ["events", "snapshots", "lessons", "servers", "rooms"]
_SCHEMA, _SECRET, _FINGERPRINT = "schema", "secret", "secret_fingerprint"


async def prepare(connection: Connection) -> None:
    """Make the tables, or bring them up to date, in one transaction.

    Raises:
        CannotOpen: if they are of a newer server, or not ours, or servers of an older one run.
        asyncpg.PostgresError: if something else is wrong; nothing has changed.
    """
    async with connection.transaction():
        await connection.execute(statements.LOCK_SCHEMA)
        if not await connection.fetchval(statements.HAS_META):
            if await connection.fetchval(statements.HAS_OTHERS, _TABLES):
                raise CannotOpen("there are tables of another program")
            await connection.execute(statements.TABLES)
            await connection.execute(statements.SET_META, _SCHEMA, str(VERSION))
            return
        await _bring_up_to_date(connection)
    if not await connection.fetchval(statements.MAY_WRITE):
        raise CannotOpen("this user may not write to the tables")


async def _bring_up_to_date(connection: Connection) -> None:
    written = await connection.fetchval(statements.GET_META, _SCHEMA)
    if written is None or not written.isdecimal():
        raise CannotOpen("there are tables of another program")
    version = int(written)
    if version > VERSION:
        raise CannotOpen(f"it was made by a newer server (schema {version}, not {VERSION})")
    if version == VERSION:
        return
    if await connection.fetchval(statements.COUNT_ALIVE):
        raise CannotOpen(f"servers with the older schema {version} still run: stop them first")
    for older in range(version, VERSION):
        await connection.execute(UPGRADES[older])
    await connection.execute(statements.SET_META, _SCHEMA, str(VERSION))


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
        kept = await connection.fetchval(statements.GET_META, _SECRET)
        mark = await connection.fetchval(statements.GET_META, _FINGERPRINT)
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
        await connection.execute(statements.SET_META, _FINGERPRINT, fingerprint(secret))
        if given is None:
            await connection.execute(statements.SET_META, _SECRET, b64encode(secret).decode())
        elif kept is not None and b64decode(kept) != secret:
            await connection.execute(statements.DROP_META, _SECRET)
        return secret


def fingerprint(secret: bytes) -> str:
    """Return what tells secrets apart and does not give them away."""
    return hmac.digest(secret, b"ttt-rooms installation", "sha256").hex()[:32]
