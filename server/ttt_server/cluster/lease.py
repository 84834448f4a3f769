"""The lease of this server: proof to the others, and to itself, that it is alive.

A server counts as alive while its row is valid by the database's clock and the session that holds
its lock lives. That session only renews the row, so a renewal proves both. Once it breaks, this
server writes and opens nothing until another session has the lock. By its own clock, it gives up
before the row can expire. A killed process loses its session at once; a machine that hangs is found
by its row.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import UUID, uuid4

from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import FAILURES, Connection, DatabaseUrl, words

logger = logging.getLogger(__name__)

RENEWALS: Final = 5
"""Renewals during one lease."""

MARGIN: Final = 0.1
"""The share of the lease by which this server gives up early."""

_AGAIN_S: Final = 0.1
"""The pause before another attempt to connect."""

_BACK_S: Final = 1.0
"""How long a write waits for another session."""

_SETTLED_S: Final = 1.0
"""A younger session proves little about the others: all may have broken together."""

_ATTEMPTS: Final = 20
"""Attempts to take the lock while an old session of this server ends."""

NO_LOCKS: Final = (
    "the database's advisory locks do not exclude other sessions, perhaps because of a transaction"
    " pooler: a killed server is only found when its lease ends, after %s s"
)


def now() -> float:
    """Return seconds on a clock that also runs while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def lock_of(id_: UUID) -> int:
    """Return the number of a server's lock: 60 bits of its id."""
    return id_.int >> 68


class Lease:
    """Keeps this server registered. After a lost lease it gets a new number."""

    def __init__(
        self,
        target: DatabaseUrl,
        lease_s: float,
        counts: Callable[[], tuple[int, int, int]],
        on_lost: Callable[[], None],
    ) -> None:
        """Hold nothing yet.

        Args:
            target: the database.
            lease_s: how long this server may be silent.
            counts: returns the numbers of rooms, connections and public rooms, to be reported.
            on_lost: called when others may have taken over the rooms of this server.
        """
        self._target = target
        self._lease_s = lease_s
        self._counts = counts
        self._on_lost = on_lost
        self._address = ""
        self.number = uuid4()
        """The number of this server, whether its lease is valid or not."""
        self._valid_until = 0.0
        """When the lease ends, by `now`; 0 without a lease."""
        self._held_since = 0.0
        """When the session began, by `now`."""
        self._ahead_s = 0.0
        """How far the clock of the database is ahead of this machine's."""
        self.has_locks = True
        """Whether locks really exclude other sessions."""
        self._connection: Connection | None = None
        self._is_held, self._is_broken = asyncio.Event(), asyncio.Event()
        """Whether a session has the lock, and whether the last one has ended."""
        self._task: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None

    @property
    def owner(self) -> UUID | None:
        """The number of this server; `None` while it has no valid lease."""
        return self.number if now() < self._valid_until else None

    def shared_time(self) -> float:
        """Return Unix seconds by the clock of the database, which all servers share."""
        return time.time() + self._ahead_s

    @property
    def serves(self) -> bool:
        """Whether this server has its rooms: no other may have taken them."""
        return self._is_held.is_set() and self.owner is not None

    async def is_certain(self) -> bool:
        """Return whether this server has its rooms; wait a moment if its session broke."""
        if not self._is_held.is_set() and self.owner is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_BACK_S):
                    await self._is_held.wait()
        return self.serves

    @property
    def may_judge(self) -> bool:
        """Whether a free lock proves that its server is dead."""
        settled = self._is_held.is_set() and now() - self._held_since > _SETTLED_S
        return self.has_locks and settled

    async def start(self, address: str) -> None:
        """Register this server.

        Args:
            address: where other servers reach this one.

        Raises:
            CannotOpen: with one line for the operator.
        """
        self._address = address
        with self._target.one_line():
            connection = await self._connect()
            await self._register(connection)
        await self._check_locks()
        self._task = asyncio.create_task(self._run(connection))

    async def close(self) -> None:
        """Unregister this server: it owns nothing now."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._valid_until = 0.0
        if self._watch is not None:
            self._watch.cancel()
        if self._connection is not None:
            if self._is_held.is_set():
                try:
                    await self._connection.execute(statements.UNREGISTER, self.number)
                except FAILURES as error:
                    logger.warning("could not unregister this server: %s", words(error))
            self._connection.terminate()

    async def _run(self, connection: Connection) -> None:
        """Renew until cancelled; reconnect when the session breaks."""
        while True:
            try:
                await self._keep(connection)
            except FAILURES as error:
                logger.warning("could not renew the lease: %s", words(error))
            self._end(connection)
            connection.terminate()
            connection = await self._connect_again()

    async def _keep(self, connection: Connection) -> None:
        """Renew at intervals.

        Raises:
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: when the session
                breaks.
        """
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._lease_s / RENEWALS):
                    await self._is_broken.wait()
            if self.owner is None or not await self._renew(connection):
                self._lose()
                await self._register(connection)

    async def _renew(self, connection: Connection) -> bool:
        """Renew; return False if the lease is lost, in the database or by our own clock."""
        began, counts = now(), self._counts()
        told = await connection.fetchval(statements.RENEW, self.number, self._lease_s, *counts)
        if told is None or not self._valid_until:  # given up in the meantime
            return False
        self._ahead_s = told - time.time()
        self._extend(began)
        return True

    async def _connect(self) -> Connection:
        patience_s = self._lease_s / 2
        connection = await self._target.connect(patience_s=patience_s, connect_s=patience_s)
        self._connection = connection
        self._is_broken.clear()
        connection.add_termination_listener(self._end)
        return connection

    def _end(self, connection: object) -> None:
        if connection is self._connection:
            self._is_held.clear()
            self._is_broken.set()

    def _hold(self) -> None:
        self._held_since = now()
        self._is_held.set()

    async def _connect_again(self) -> Connection:
        """Reconnect with the same number if the lease is valid, else with a new one. Retry."""
        while True:
            try:
                connection = await self._connect()
                has_lease = self.owner is not None
                if has_lease and await self._lock(connection) and await self._renew(connection):
                    self._hold()
                    return connection
                self._lose()
                await self._register(connection)
            except FAILURES:
                if self._connection is not None:
                    self._connection.terminate()
                await asyncio.sleep(_AGAIN_S)
            else:
                return connection

    async def _lock(self, connection: Connection) -> bool:
        """Take the lock again; return False if another session keeps it."""
        number = lock_of(self.number)
        for _ in range(_ATTEMPTS):
            if await connection.fetchval(statements.TRY_LOCK, number):
                return True
            await connection.execute(statements.END_OLD_SESSION, number)
            await asyncio.sleep(_AGAIN_S / 2)
        return False

    async def _register(self, connection: Connection) -> None:
        """Register with a new number, so that the others need not wait for the old lease."""
        await connection.execute(statements.UNREGISTER, self.number)
        self.number = uuid4()
        await connection.fetchval(statements.TRY_LOCK, lock_of(self.number))
        began = now()
        await connection.execute(statements.REGISTER, self.number, self._address, self._lease_s)
        self._ahead_s = await connection.fetchval(statements.CLOCK) - time.time()
        self._hold()
        self._extend(began)

    async def _check_locks(self) -> None:
        """Check from a second connection that the lock excludes others."""
        number = lock_of(self.number)
        async with self._target.connected() as second:
            if await second.fetchval(statements.TRY_LOCK, number):
                self.has_locks = False
                await second.execute(statements.UNLOCK, number)
                logger.warning(NO_LOCKS, self._lease_s)

    def _extend(self, began: float) -> None:
        """Extend the lease: the statement that renewed it was sent at `began`."""
        self._valid_until = began + self._lease_s * (1 - MARGIN)
        if self._watch is None:
            self._check_later()

    def _check_later(self) -> None:
        left_s = self._valid_until - now()
        self._watch = asyncio.get_running_loop().call_later(left_s, self._check_time)

    def _check_time(self) -> None:
        self._watch = None
        if self.owner is not None:
            self._check_later()
        else:
            self._lose()

    def _lose(self) -> None:
        if self._valid_until:
            self._valid_until = 0.0
            logger.error("this server lost its lease: giving up its rooms")
            self._on_lost()
