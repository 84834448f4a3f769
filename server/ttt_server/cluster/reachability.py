"""The check at the start that the advertised address leads to this server."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import UUID

from ttt_server.cluster.dial import PeerUnreachable, ask
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.signature import Kind
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

WHO: Final = "/cluster/server"
"""The path at which a server identifies itself to the others."""

Headers = Callable[[Kind, str, str], tuple[tuple[str, str], ...]]


async def introduce(store: PostgresStore, lease: Lease, address: str, headers: Headers) -> None:
    """Check that the address leads to this server, and those of the others do not.

    Raises:
        CannotOpen: with one line for the operator.
    """
    try:
        number = await who_is_at(address, headers)
    except PeerUnreachable as error:
        raise CannotOpen(f"--advertise: {error}") from None
    if number != lease.number:
        what = "another server" if number else "something else"
        raise CannotOpen(f"--advertise: {address} leads to {what}, not to this server")
    try:
        rows = await store.readers.fetch(statements.SERVERS)
    except StorageFailed as error:
        raise CannotOpen(str(error)) from None
    for row in rows:
        other, where = row["id"], row["address"]
        if other != lease.number and row["is_alive"]:
            await _require_apart(store, lease, other, where, headers)


async def _require_apart(
    store: PostgresStore, lease: Lease, other: UUID, address: str, headers: Headers
) -> None:
    """Check that the address of another server does not lead to this one."""
    with suppress(PeerUnreachable):
        if await who_is_at(address, headers) != lease.number:
            return
        await store.readers.fetch(statements.REAP_UNLOCKED, lease.number)
        if all(row["id"] != other for row in await store.readers.fetch(statements.SERVERS)):
            return  # it is gone; this server or another has just removed it
        raise CannotOpen(
            f"another server advertises {address}, which leads to this one: give each server an"
            " --advertise of its own"
        )


async def who_is_at(address: str, headers: Headers) -> UUID | None:
    """Return the number of the server at an address; `None` if it is none of this installation.

    Raises:
        PeerUnreachable: if there is no answer.
    """
    answer = await ask(address, WHO, headers("probe", WHO, ""))
    with suppress(ValueError, KeyError, TypeError):
        return UUID(json.loads(answer)["server"])
    return None
