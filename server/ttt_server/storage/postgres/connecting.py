"""Connect to PostgreSQL, keep a few connections, and report each failure in one line."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import asyncpg
from asyncpg.exceptions import ClientConfigurationError

from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements

Connection: TypeAlias = "asyncpg.Connection[Any]"  # which takes no argument at run time

CONNECT_S: Final = 10.0
"""For a connection, unless the URL has a `connect_timeout`."""

_LOOK_S: Final = 2.0
"""The time for a look at one of several hosts."""

_LEFT_OUT: Final = {"connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval"}
"""Options of a libpq URL that are no settings of the server: `asyncpg` would send them."""

FAILURES: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # where a connection ends while a statement is sent
)
"""All ways in which a statement or a connection fails."""

_COMPLETION_UNKNOWN: Final = ("08", "57P", "40003")
"""The beginnings of the codes after which a statement may have been carried out."""

_READERS: Final = 4
"""Connections to read with at once; more reads wait."""


class Promotion(NamedTuple):
    """How often a standby of a database has become its primary, by the timeline of PostgreSQL."""

    system: str = ""
    timeline: int = 0


class OldPrimary(asyncpg.InterfaceError):
    """The database was a primary before one of its standbys was promoted."""


class DatabaseUrl:
    """A database, by its URL.

    Raises:
        CannotOpen: if the URL is invalid.
    """

    def __init__(self, url: str) -> None:
        self.shown = shown_url(url)
        """The URL without its password."""
        try:
            parts = urlsplit(url)
            options = parse_qsl(parts.query, keep_blank_values=True)
        except ValueError as error:
            raise CannotOpen(f"{self.shown}: {error}") from None
        if parts.scheme not in {"postgresql", "postgres"}:
            raise CannotOpen(f"{self.shown}: not a PostgreSQL URL")
        self.promotion = Promotion()
        """The newest that is known of the database."""
        kept = [(name, value) for name, value in options if name not in _LEFT_OUT]
        self._dsn = urlunsplit(parts._replace(query=urlencode(kept)))
        given = dict(options).get("connect_timeout", "")
        self._connect_s = float(given) if given.isdigit() and int(given) else CONNECT_S

    async def connect(
        self,
        *,
        patience_s: float | None = None,
        connect_s: float | None = None,
        has_cache: bool = True,
    ) -> Connection:
        """Connect. `patience_s`: for each statement; `has_cache`: whether to keep them prepared.

        Raises:
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: see `words`.
        """
        connection = await asyncpg.connect(
            self._dsn,
            timeout=min(self._connect_s, connect_s or self._connect_s),
            command_timeout=patience_s,
            statement_cache_size=100 if has_cache else 0,
            server_settings={"application_name": "ttt-server"},
        )
        if has_cache:
            try:
                await self._require_newest(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection

    async def look_at_all_hosts(self) -> None:
        """Note the newest promotion among the hosts of the URL, as far as they answer."""
        parts = urlsplit(self._dsn)
        user, at, hosts = parts.netloc.rpartition("@")
        for host in hosts.split(",") if "," in hosts else ():
            dsn = urlunsplit(parts._replace(netloc=f"{user}{at}{host}", query=""))
            with suppress(*FAILURES, ClientConfigurationError, ValueError):
                connection = await asyncpg.connect(dsn, timeout=_LOOK_S, command_timeout=_LOOK_S)
                try:
                    await self._require_newest(connection)
                finally:
                    connection.terminate()

    async def _require_newest(self, connection: Connection) -> None:
        """Check that no standby of this primary was promoted since.

        Raises:
            OldPrimary: if a newer promotion is known.
        """
        try:
            row = await connection.fetchrow(statements.TIMELINE)
        except (
            asyncpg.UndefinedFunctionError,
            asyncpg.InsufficientPrivilegeError,
            asyncpg.FeatureNotSupportedError,
        ):  # another engine, or a host that hides it
            return
        if row is None or not row["timeline"]:
            return
        known = self.promotion
        if known.system == row["system"] and known.timeline > row["timeline"]:
            raise OldPrimary(
                f"this is an old primary, on timeline {row['timeline']}, and timeline"
                f" {known.timeline} is known: stop it (pg_ctl stop -m fast) and make it a standby"
                " (pg_rewind), or rooms would be played on both"
            )
        self.promotion = Promotion(row["system"], row["timeline"])

    async def require_sessions(self) -> None:
        """Check that each connection has a session of the database to itself.

        A pooler of transactions lends a free session to whoever begins a transaction.

        Raises:
            CannotOpen: with what the operator is to set.
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: see `words`.
        """
        async with AsyncExitStack() as stack:
            one, other = [await self._connect_for(stack, CONNECT_S) for _ in range(2)]
            before = await _session_in_transaction(one)
            async with other.transaction():
                is_shared = await other.fetchval(statements.SESSION) == before
                is_shared |= await _session_in_transaction(one) != before
        if is_shared:
            raise CannotOpen(
                "a pooler lends one session to many connections, and rooms need sessions of their"
                " own: set pool_mode = session in pgbouncer, or connect to PostgreSQL itself"
            )

    async def _connect_for(self, stack: AsyncExitStack, patience_s: float) -> Connection:
        connection = await self.connect(patience_s=patience_s, has_cache=False)
        stack.push_async_callback(connection.close, timeout=patience_s)
        return connection

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        """Connect for a while.

        Raises:
            CannotOpen: with one line for the operator, also for what fails meanwhile.
        """
        with self.one_line():
            connection = await self.connect()
            try:
                yield connection
            finally:
                await connection.close()

    @contextmanager
    def one_line(self) -> Iterator[None]:
        """Turn failures into one line for the operator.

        Raises:
            CannotOpen: in place of a failure.
        """
        try:
            yield
        except (*FAILURES, CannotOpen, ClientConfigurationError, ValueError) as error:
            raise CannotOpen(f"{self.shown}: {words(error)}") from None


async def _session_in_transaction(connection: Connection) -> int:
    async with connection.transaction():
        return int(await connection.fetchval(statements.SESSION))


def shown_url(url: str) -> str:
    """Return a URL without its password, for logs."""
    try:
        parts = urlsplit(url)
        user = f"{quote(parts.username)}@" if parts.username else ""
    except ValueError:
        return "postgresql:"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{user}{host}{parts.path}"


def is_unknown(error: BaseException) -> bool:
    """Return whether a statement that failed like this may have been carried out."""
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "08").startswith(_COMPLETION_UNKNOWN)
    return True


def words(error: BaseException) -> str:
    """Return a failure in one line."""
    if isinstance(error, TimeoutError):
        return "there is no answer"
    text = getattr(error, "message", None) or getattr(error, "strerror", None) or str(error)
    return " ".join(str(text).split()) or type(error).__name__


class Readers:
    """A few connections for everything except appends and the lease.

    They are made on demand, kept, and dropped when they fail.
    """

    def __init__(self, target: DatabaseUrl, patience_s: float) -> None:
        """`patience_s`: the timeout of a statement, and of a new connection."""
        self._target = target
        self._patience_s = patience_s
        self._places = asyncio.Semaphore(_READERS)
        self._free: list[Connection] = []

    async def fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """Return the rows of one statement, which is a transaction.

        Raises:
            StorageFailed: if there is no answer, or an error.
        """
        async with self.take() as connection:
            return await connection.fetch(statement, *arguments)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Connection]:
        """Lend a connection to the block.

        Raises:
            StorageFailed: if the database cannot be reached, or a statement in the block fails.
        """
        async with self._places:
            connection: Connection | None = None
            try:
                connection = await self._connection()
                yield connection
            except FAILURES as error:
                if connection is not None and is_unknown(error):
                    connection.terminate()
                raise StorageFailed(f"the database: {words(error)}") from None
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

    async def _connection(self) -> Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():
                return connection
        return await self._target.connect(patience_s=self._patience_s, connect_s=self._patience_s)
