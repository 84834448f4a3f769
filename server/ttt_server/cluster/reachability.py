"""The first look at the address that a server gives to the others: it must lead to this server."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import UUID

from ttt_server.cluster.dial import Unreachable, ask
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.signature import Kind
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

WHO: Final = "/cluster/server"
"""The path at which a server tells another who it is."""

Headers = Callable[[Kind, str, str], tuple[tuple[str, str], ...]]


async def introduce(store: PostgresStore, lease: Lease, address: str, headers: Headers) -> None:
    """Check the address of this server, and that those of the others do not lead here.

    Raises:
        CannotOpen: with one line for the operator.
    """
    try:
        number = await who_is_at(address, headers)
    except Unreachable as error:
        raise CannotOpen(f"--advertise: {error}") from None
    if number != lease.number:
        words = "another server" if number else "something else"
        raise CannotOpen(f"--advertise: {address} leads to {words}, and not to this server")
    try:
        rows = await store.readers.fetch(statements.SERVERS)
    except StorageFailed as error:
        raise CannotOpen(str(error)) from None
    for row in rows:
        other, where = row["id"], row["address"]
        if other != lease.number and row["is_alive"]:
            await _require_apart(store, lease, where, headers)


async def _require_apart(
    store: PostgresStore, lease: Lease, address: str, headers: Headers
) -> None:
    """Check that another server's address does not lead to this one."""
    with suppress(Unreachable):
        if await who_is_at(address, headers) != lease.number:
            return
        rows = await store.readers.fetch(statements.REAP_UNLOCKED, lease.number)
        if any(row["id"] != lease.number for row in rows):
            return  # a server that is gone had the address before
        raise CannotOpen(
            f"another server advertises {address}, which leads to this very server: give each"
            " an --advertise of its own"
        )


async def who_is_at(address: str, headers: Headers) -> UUID | None:
    """Ask who is at an address; `None` if it is no server of this installation.

    Raises:
        Unreachable: if there is no answer.
    """
    answer = await ask(address, WHO, headers("probe", WHO, ""))
    with suppress(ValueError, KeyError, TypeError):
        return UUID(json.loads(answer)["server"])
    return None
