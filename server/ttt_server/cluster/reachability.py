"""The check at the start that the advertised address leads to this server."""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import UUID

from ttt_server.cluster.dial import PeerUnreachable, ask
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.siblings import ALONE, Siblings
from ttt_server.cluster.signature import Kind
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore

logger = logging.getLogger(__name__)

WHO: Final = "/cluster/server"
"""The path at which a server identifies itself to the others."""

_LOOKS: Final = 50
_AGAIN_S: Final = 0.1
"""The processes of a parent that was killed are waited for so often, and after such a pause."""

Headers = Callable[[Kind, str, str], tuple[tuple[str, str], ...]]


class Who(NamedTuple):
    """What a server says about itself."""

    number: UUID
    group: str = ""
    """Of its processes; empty if it is one."""

    @property
    def answer(self) -> bytes:
        """The answer to `WHO`."""
        return json.dumps({"server": str(self.number), "group": self.group}).encode()

    def is_same(self, other: "Who") -> bool:
        """Return whether the other is this server, or another process of it."""
        return self.number == other.number or (self.group != "" and self.group == other.group)


async def introduce(
    store: PostgresStore,
    lease: Lease,
    address: str,
    headers: Headers,
    siblings: Siblings = ALONE,
    *,
    is_given: bool = True,
) -> None:
    """Check that the address leads to this server, and those of the others do not.

    `is_given`: whether the operator chose the address. If not, a server of several processes goes
    on where others cannot reach it: it is one of one machine.

    Raises:
        CannotOpen: with one line for the operator.
    """
    me = Who(lease.number, siblings.group)
    try:
        who = await who_is_at(address, headers)
    except PeerUnreachable as error:
        if is_given or not siblings.group:
            raise CannotOpen(f"--advertise: {error}") from None
        logger.warning("servers on other machines cannot reach this one (%s): --advertise", error)
        who = me
    if who is None or not me.is_same(who):
        what = "another server" if who else "something else"
        raise CannotOpen(f"--advertise: {address} leads to {what}, not to this server")
    try:
        rows = await store.readers.fetch(statements.SERVERS)
    except StorageFailed as error:
        raise CannotOpen(str(error)) from None
    for row in rows:
        other, where = row["id"], row["address"]
        if other != lease.number and row["is_alive"] and not siblings.have(where):
            await _require_apart(store, me, other, where, headers)


async def _require_apart(
    store: PostgresStore, me: Who, other: UUID, address: str, headers: Headers
) -> None:
    """Check that the address of another server does not lead to this one."""
    with suppress(PeerUnreachable):
        who = await who_is_at(address, headers)
        if who is None or not me.is_same(who):
            return
        for _ in range(_LOOKS if "#" in address else 1):
            await store.readers.fetch(statements.REAP_UNLOCKED, me.number)
            if all(row["id"] != other for row in await store.readers.fetch(statements.SERVERS)):
                return  # it is gone; this server or another has just removed it
            await asyncio.sleep(_AGAIN_S)
        raise CannotOpen(
            f"another server advertises {address}, which leads to this one: give each server an"
            " --advertise of its own"
        )


async def who_is_at(address: str, headers: Headers) -> Who | None:
    """Return which server is at an address; `None` if it is none of this installation.

    Raises:
        PeerUnreachable: if there is no answer.
    """
    answer = await ask(address, WHO, headers("probe", WHO, ""))
    with suppress(ValueError, KeyError, TypeError):
        about = json.loads(answer)
        return Who(UUID(about["server"]), about.get("group", ""))
    return None
