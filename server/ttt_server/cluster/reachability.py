"""The first look at the address that a server gives to the others: it must lead to this server."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final, cast
from uuid import UUID

from ttt_server.cluster.dial import DIAL_S, Unreachable, dial
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.signature import Kind
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

WHO: Final = "/cluster/server"
"""The path at which a server tells another who it is."""

_MOST: Final = 1 << 16

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
    try:
        async with asyncio.timeout(DIAL_S):
            answer = await _ask(address, headers("probe", WHO, ""))
    except TimeoutError:
        raise Unreachable(f"{address}: there is no answer") from None
    with suppress(ValueError, KeyError, TypeError):
        return UUID(json.loads(answer.partition(b"\r\n\r\n")[2])["server"])
    return None


async def _ask(address: str, headers: tuple[tuple[str, str], ...]) -> bytes:
    answer = await dial(address, _Answer)
    host = address.partition("://")[2]
    lines = (f"GET {WHO} HTTP/1.1", f"Host: {host}", "Connection: close")
    more = (f"{name}: {value}" for name, value in headers)
    return await answer.to("\r\n".join((*lines, *more, "", "")).encode())


class _Answer(asyncio.Protocol):
    """All that comes back on a connection."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._data = b""
        self._whole: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def to(self, request: bytes) -> bytes:
        """Send a request; return the answer, or what of it came before the connection ended."""
        self._transport.write(request)
        try:
            return await self._whole
        finally:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._data += data[:_MOST]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        if not self._whole.done():
            self._whole.set_result(self._data)
