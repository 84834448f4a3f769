"""Group commit: all waiting appends are one statement, whose answer tells the fate of each.

A connection that breaks in the middle of a commit leaves doubt: the server may have committed, and
may still do so later. So the same rows are written once more over a new connection. The primary key
decides: the numbers are taken now or were before, and the bytes that have them tell by whom. An old
session that wakes up after this finds its numbers taken.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import caught
from ttt_server.storage.base import Append, StorageFailed
from ttt_server.storage.fate import Doubt, fate
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import (
    FAILURES,
    Connection,
    DatabaseUrl,
    is_unknown,
    words,
)

if TYPE_CHECKING:
    _Statement: TypeAlias = PreparedStatement[Any]
else:
    _Statement = PreparedStatement

logger = logging.getLogger(__name__)

_BATCH: Final = 2000
"""The most appends of one statement."""

_SETTLE_S: Final = 1.0
"""How long an append waits for the certainty of its outcome before its author is told of doubt."""

_AGAIN_S: Final = 0.1
"""The least time between two attempts to connect."""

_Columns = tuple[list[Any], ...]
"""The values of many rows, column by column."""

MayWrite = Callable[[], bool]
"""Returns whether this server may write: whether its lease holds."""


class _Pending(NamedTuple):
    """An append that waits, with its rows."""

    append: Append
    began: float
    """When it came, by `perf_counter`."""
    events: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int]:
        return self.append.room, self.append.seq


class Writer:
    """The one connection for appends.

    `on_kept` is given the seconds that each kept append took.
    """

    def __init__(
        self, target: DatabaseUrl, patience_s: float, on_kept: Callable[[float], None]
    ) -> None:
        self._target = target
        self._patience_s = patience_s
        self._on_kept = on_kept
        self._may_write: MayWrite = _always
        self._waiting: list[_Pending] = []
        self._work = asyncio.Event()
        self._connection: Connection | None = None
        self._append: _Statement | None = None
        self._append_several: _Statement | None = None
        """The prepared statements of the connection."""
        self._doubtful: list[_Pending] = []
        """Appends whose authors were told that the outcome is not known."""
        self._doubt = Doubt()
        self._tried_at = -_AGAIN_S
        self._mending = asyncio.Lock()
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    def require(self, may_write: MayWrite) -> None:
        """Write nothing from now on unless `may_write` says so."""
        self._may_write = may_write

    async def open(self) -> None:
        """Connect.

        Raises:
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: see `words`.
        """
        await self._connect(math.inf)
        self._task = asyncio.create_task(self._run())

    def append(self, appends: Sequence[Append]) -> None:
        """Write these, together with all others that wait."""
        now = perf_counter()
        for append in appends:
            events = tuple(line.decode() for line in append.lines)
            self._waiting.append(_Pending(append, now, events))
        self._work.set()

    async def execute(self, statement: str, *arguments: object) -> None:
        """Carry out a statement that may be carried out twice.

        Raises:
            StorageFailed: if it failed, or may have failed.
        """
        await self.be_certain()
        async with self._mending:
            connection = self._connection
            if connection is None:
                raise StorageFailed("the database cannot be reached")
            try:
                await connection.execute(statement, *arguments)
            except FAILURES as error:
                if is_unknown(error):
                    self._drop()
                raise _failed(error) from None

    async def be_certain(self, room: RoomName | None = None) -> None:
        """Connect again if the connection is broken, and settle what is in doubt.

        Args:
            room: only if there is doubt about this room.

        Raises:
            StorageFailed: if that cannot be.
        """
        if room is not None and not self._doubt.covers(room):
            return
        if self._connection is None or self._doubtful:
            async with self._mending:
                await self._mend(None)

    async def close(self) -> None:
        """Write what waits, and close the connection."""
        self._is_closing = True
        self._work.set()
        try:
            if self._task is not None:
                await self._task
        finally:
            self._drop()

    async def _run(self) -> None:
        while not self._is_closing or self._waiting:
            if not self._waiting:
                self._work.clear()
                await self._work.wait()
                continue
            batch = self._next_batch()
            async with self._mending:
                outcomes = await caught(self._write(batch))
                if isinstance(outcomes, Exception):  # a bug is told to all that wait for it
                    self._drop()
                    outcomes = [outcomes for _ in batch]
            self._tell(batch, outcomes)
            await asyncio.sleep(0)  # a room that was told may have more to write

    def _next_batch(self) -> list[_Pending]:
        """Take what waits; of two appends with the same numbers the second waits on."""
        taken: set[tuple[str, int]] = set()
        batch: list[_Pending] = []
        rest: list[_Pending] = []
        for pending in self._waiting:
            if len(batch) < _BATCH and pending.key not in taken:
                taken.add(pending.key)
                batch.append(pending)
            else:
                rest.append(pending)
        self._waiting = rest
        return batch

    def _tell(self, batch: list[_Pending], outcomes: list[Exception | None]) -> None:
        now = perf_counter()
        for pending, outcome in zip(batch, outcomes, strict=True):
            if outcome is None:
                self._on_kept(now - pending.began)
            pending.append.then(outcome)

    async def _write(self, batch: list[_Pending]) -> list[Exception | None]:
        """Write a batch, and find out what became of each append in it."""
        if not self._may_write():
            return [_lost() for _ in batch]
        if self._connection is None:
            try:
                await self._mend(None)
            except StorageFailed as error:
                return [self._doubt.refused(pending.append.room, error) for pending in batch]
        try:
            return await self._insert(batch)
        except FAILURES as error:
            if isinstance(error, asyncpg.UniqueViolationError) and len(batch) > 1:
                # A log with a gap, which no server makes, must not fail the others.
                return [outcome for pending in batch for outcome in await self._write([pending])]
            if not is_unknown(error):
                return [_failed(error) for _ in batch]
            self._drop()
            logger.warning("the connection to the database broke in a commit: %s", words(error))
        return await self._settle(batch)

    async def _settle(self, batch: list[_Pending]) -> list[Exception | None]:
        """Try for a while to make the outcome of a batch certain; else leave it in doubt."""
        until = monotonic() + _SETTLE_S
        while (left := until - monotonic()) > 0:
            try:
                outcomes = await self._mend(batch, most_s=left)
            except StorageFailed:
                await asyncio.sleep(min(_AGAIN_S, left))
            else:
                return outcomes
        self._doubtful += batch
        error = StorageFailed("the connection broke in the middle of a commit")
        return [self._doubt.leave(pending.append.room, error) for pending in batch]

    async def _mend(
        self, batch: list[_Pending] | None, *, most_s: float = math.inf
    ) -> list[Exception | None]:
        """Connect again, and write once more what is in doubt; return the outcomes of `batch`.

        Raises:
            StorageFailed: if that cannot be.
        """
        if not self._may_write():
            # The rooms are given up; another server reads their logs.
            self._doubtful.clear()
            self._doubt.clear()
            raise _lost()
        now = monotonic()
        if self._connection is None:
            if now - self._tried_at < _AGAIN_S:
                raise StorageFailed("the database cannot be reached")
            self._tried_at = now
        try:
            if self._connection is None:
                await self._connect(most_s)
            outcomes = await self._insert([*self._doubtful, *(batch or ())], is_sent=True)
        except FAILURES as error:
            self._drop()
            raise _failed(error) from None
        doubtful, self._doubtful = self._doubtful, []
        self._doubt.clear()
        for pending, outcome in zip(doubtful, outcomes, strict=False):
            if outcome is None:
                self._on_kept(perf_counter() - pending.began)
        return outcomes[len(doubtful) :]

    async def _insert(
        self, batch: list[_Pending], *, is_sent: bool = False
    ) -> list[Exception | None]:
        """Send one batch; `is_sent`: it was sent before, and may have been carried out.

        Raises:
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: see `is_unknown`.
        """
        if not batch:
            return []
        rows = await self._send(batch)
        if len(rows) == len(batch):
            return [None] * len(batch)
        new = {(row[0], row[1]) for row in rows}
        return [
            None
            if pending.key in new
            else fate(pending.append, await self._find(pending) if is_sent else None)
            for pending in batch
        ]

    async def _send(self, batch: list[_Pending]) -> Sequence[Sequence[Any]]:
        """Send one batch; return the keys of the appends that are kept by it."""
        first: _Columns = (
            [pending.append.room for pending in batch],
            [pending.append.seq for pending in batch],
            [pending.events[0] for pending in batch],
        )
        statement = self._append
        more: _Columns = ()
        if any(len(pending.events) > 1 or pending.append.snapshot for pending in batch):
            statement = self._append_several
            more = *_columns(_rest(batch), 4), *_columns(_snapshots(batch), 5)
        if statement is None:
            raise asyncpg.InterfaceError("the connection is closed")
        return await statement.fetch(*first, *more, timeout=self._patience_s)

    async def _find(self, pending: _Pending) -> bytes | None:
        """Return the event that has the number of an append's first, if there is one."""
        connection = self._connection
        if connection is None:
            raise asyncpg.InterfaceError("the connection is closed")
        kept = await connection.fetchval(statements.FIND, *pending.key, timeout=self._patience_s)
        return None if kept is None else str(kept).encode()

    async def _connect(self, most_s: float) -> None:
        connection = await self._target.connect(
            patience_s=self._patience_s, connect_s=min(most_s, self._patience_s)
        )
        try:
            self._append = await connection.prepare(statements.APPEND)
            self._append_several = await connection.prepare(statements.APPEND_SEVERAL)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
        self._connection = self._append = self._append_several = None


def _always() -> bool:
    return True


def _rest(batch: list[_Pending]) -> Iterator[tuple[Any, ...]]:
    """Yield the further events of the appends in a batch, with the numbers of their first."""
    for pending in batch:
        room, first = pending.key
        for seq, event in enumerate(pending.events[1:], first + 1):
            yield room, first, seq, event


def _snapshots(batch: list[_Pending]) -> Iterator[tuple[Any, ...]]:
    """Yield the snapshots after the appends in a batch, with the numbers of their first events."""
    for pending in batch:
        if (snapshot := pending.append.snapshot) is not None:
            room, first = pending.key
            last = first + len(pending.events) - 1
            yield room, first, last, snapshot.game, snapshot.saved


def _columns(rows: Iterable[tuple[Any, ...]], width: int) -> _Columns:
    """Return the columns of rows; empty ones, if there are no rows."""
    return tuple(list(column) for column in zip(*rows, strict=True)) or ([],) * width


def _lost() -> StorageFailed:
    return StorageFailed("the server has lost its rooms")


def _failed(error: BaseException) -> StorageFailed:
    return StorageFailed(f"the database: {words(error)}")
