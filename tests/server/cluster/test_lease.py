"""When a life of a server ends, by its own clock and by the others' word."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import cast
from unittest.mock import Mock
from uuid import UUID

import pytest

from ttt_server.cluster import lease as lease_module
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Directory
from ttt_server.rooms.event_log import EventLog
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection, DatabaseUrl

LEASE_S = 0.05


class Database:
    """Connections to a database that has one server, and answers when the test lets it."""

    def __init__(self) -> None:
        self.clock_s = 1000.0
        self.renewals = 0
        self.lost = asyncio.Event()
        self.registered: list[UUID] = []
        self.unregistered: list[UUID] = []
        self.is_born_again = asyncio.Event()
        self.sessions: list[Session] = []

    @contextmanager
    def one_line(self) -> Iterator[None]:
        yield

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        yield await self.connect()

    async def connect(self, **_: object) -> Connection:
        self.sessions.append(Session(self, has_locks=not self.sessions))
        return cast("Connection", self.sessions[-1])


class Session:
    """One of its connections; the lock is that of the first."""

    def __init__(self, database: Database, *, has_locks: bool) -> None:
        self._database = database
        self._has_locks = has_locks
        self.is_over = False

    async def fetchval(self, statement: str, *_: object) -> object:
        if statement != statements.RENEW:
            return self._has_locks
        self._database.renewals += 1
        if self._database.renewals == 1:
            self._database.clock_s += 0.3 * LEASE_S
        elif self._database.renewals == 2:  # whose answer comes after the end of the first
            self._database.clock_s += 0.7 * LEASE_S
            await self._database.lost.wait()
        return 1

    async def execute(self, statement: str, *arguments: UUID) -> None:
        if statement == statements.REGISTER:
            self._database.registered.append(arguments[0])
            if len(self._database.registered) > 1:
                self._database.is_born_again.set()
        elif statement == statements.UNREGISTER:
            self._database.unregistered.append(arguments[0])

    def add_termination_listener(self, call: Callable[[object], None]) -> None:
        self._listener = call

    def end(self) -> None:
        self.is_over = True
        self._listener(self)

    terminate = is_closed = lambda _: False


class Broken(Database):
    """A database that is gone after the start, until the test brings it back."""

    def __init__(self) -> None:
        super().__init__()
        self.is_gone = False
        self.is_missed = asyncio.Event()
        self.is_renewed = asyncio.Event()

    async def connect(self, **_: object) -> Connection:
        if self.is_gone:
            self.is_missed.set()
            raise ConnectionRefusedError
        return await super().connect()


async def test_a_server_that_cannot_renew_its_lease_is_unhealthy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = Broken()
    monkeypatch.setattr(lease_module, "now", lambda: database.clock_s)

    async def renew(_: Session, statement: str, *__: object) -> object:
        if database.is_gone:
            raise ConnectionResetError
        if statement == statements.RENEW:
            database.is_renewed.set()
        return 1

    monkeypatch.setattr(Session, "fetchval", renew)
    lease = Lease(cast("DatabaseUrl", database), LEASE_S, lambda: (0, 0, 0), database.lost.set)
    await lease.start("ws://127.0.0.1:9")
    directory = Directory(
        Mock(), Mock(spec=EventLog, is_healthy=True), Mock(), lease, Mock(), Mock()
    )
    assert directory.is_healthy
    database.is_gone = True
    await database.is_missed.wait()
    assert lease.owner is not None, "its rooms are still its own"
    assert not directory.is_healthy
    database.is_renewed.clear()
    database.is_gone = False
    await database.is_renewed.wait()
    assert directory.is_healthy
    await lease.close()


async def test_a_lost_lease_is_not_revived_by_a_late_renewal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its rooms were dropped: under the same number no server would look after them."""
    database = Database()
    monkeypatch.setattr(lease_module, "now", lambda: database.clock_s)
    target = cast("DatabaseUrl", database)
    lease = Lease(target, LEASE_S, lambda: (0, 0, 0), database.lost.set)
    await lease.start("ws://127.0.0.1:9")
    first = lease.number
    await database.is_born_again.wait()
    assert database.registered == [first, lease.number]
    assert lease.number != first
    assert database.unregistered[-1] == first, "the others need not wait for its end"
    await lease.close()
    assert database.unregistered[-1] == lease.number


async def test_a_server_whose_session_broke_has_no_room_until_another_has_the_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_connect = asyncio.Event()

    class Slow(Database):
        async def connect(self, **_: object) -> Connection:
            if len(self.sessions) > 1:
                await may_connect.wait()
            return await super().connect()

    async def granted(self: Session, *_: object) -> object:
        if self.is_over:
            raise ConnectionResetError
        return 1

    monkeypatch.setattr(Session, "fetchval", granted)
    database = Slow()
    lease = Lease(cast("DatabaseUrl", database), 60, lambda: (0, 0, 0), database.lost.set)
    await lease.start("ws://127.0.0.1:9")
    number = lease.number
    assert lease.serves
    database.sessions[0].end()
    assert not lease.serves, "at once, not at the next renewal"
    assert lease.owner == number
    monkeypatch.setattr(lease_module, "_BACK_S", 0)
    assert not await lease.is_certain()
    monkeypatch.setattr(lease_module, "_BACK_S", 60)
    writing = asyncio.create_task(lease.is_certain())
    may_connect.set()
    assert await writing, "a write waits for the session"
    assert lease.number == number
    await lease.close()
