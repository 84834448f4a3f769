"""Group commit: all waiting appends are one statement, whose answer tells the fate of each.

Appends to one room that wait together are one row, so no statement needs a transaction around it,
whose end a worker of Citus could miss.

A connection that breaks in the middle of a commit leaves doubt: the server may have committed, and
may still do so later. So the same rows are written once more over a new connection. The primary key
decides: the numbers are taken now or were before, and the bytes that have them tell by whom. An old
session that wakes up after this finds its numbers taken.

No statement looks whether an append follows on the end of its log: the writer knows the end, which
it has read or written less than `TRUST_S` ago. Rows that other servers drop keep their numbers
taken for much longer than that, so what a server believes that has lost a room cannot be kept.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from time import monotonic, perf_counter
from typing import Any, Final, NamedTuple, Protocol, TypeAlias
from uuid import UUID

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from ttt_protocol.state import RoomName
from ttt_server.concurrency.guard import caught
from ttt_server.storage.base import Append, Conflict, Doubt, Snapshot, StorageFailed
from ttt_server.storage.postgres import connecting, statements
from ttt_server.storage.postgres.rows import Tail, tail_of, text_of

logger = logging.getLogger(__name__)

_BATCH: Final = 512
"""The most rows of one statement: with more, none of them costs less."""

_MOST_EVENTS: Final = 64
"""In a row of several appends."""

_SETTLE_S: Final = 1.0
"""How long an append waits for the certainty of its outcome before its author is told of doubt."""

_AGAIN_S: Final = 0.1
"""The least time between two attempts to connect."""

TRUST_S: Final = 600.0
"""How long the end of a log is believed to be as it was last seen."""

_UNSEEN: Final = 0, 0, 0.0
"""In place of the end of a log that was not seen."""

_LOOK_EVERY_S: Final = 60.0
"""How often to forget the ends that are no longer believed."""


class Registration(Protocol):
    """Proof that the rooms of this server are no other's."""

    @property
    def owner(self) -> UUID | None:
        """The number of this server; `None` once it has lost its rooms."""

    async def is_certain(self) -> bool:
        """Return whether it holds; wait a moment if that is open."""


class _Pending(NamedTuple):
    """A row that waits, with the appends that it keeps."""

    room: RoomName
    seq: int
    """The number of the first event."""
    event: str
    """The events, one a line."""
    end: int
    """The number after the last event."""
    snapshot: Snapshot | None
    appends: tuple[tuple[Append, float], ...]
    """Each with the time when it came, by `perf_counter`. All of them have one fate."""

    @property
    def key(self) -> tuple[str, int]:
        return self.room, self.seq

    def joined(self, after: "_Pending") -> "_Pending | None":
        """Return one row in place of two; `None` if the second does not follow on this one."""
        follows = after.seq == self.end and self.snapshot is None
        if not follows or after.end - self.seq > _MOST_EVENTS:
            return None
        event, appends = f"{self.event}\n{after.event}", self.appends + after.appends
        return _Pending(self.room, self.seq, event, after.end, after.snapshot, appends)


_Batch: TypeAlias = list[_Pending]
"""Rows of different rooms, which are one statement."""


class Writer:
    """The one connection for appends.

    `on_kept` is given the seconds that each kept append took.
    """

    def __init__(
        self, target: connecting.DatabaseUrl, patience_s: float, on_kept: Callable[[float], None]
    ) -> None:
        self._target = target
        self._patience_s = patience_s
        self._on_kept = on_kept
        self.registration: Registration | None = None
        """This server writes only while it holds; `None` where there is none."""
        self._waiting: list[_Pending] = []
        self._deadlines: dict[RoomName, int | None] = {}
        """Deadlines to write before the next appends."""
        self._unread: dict[RoomName, int] = {}
        """Rooms to note as unread before that."""
        self._work = asyncio.Event()
        self._connection: connecting.Connection | None = None
        self._prepared: dict[tuple[str, int], PreparedStatement[Any]] = {}
        """The statements of the connection, by the number of their rows."""
        self._tails: dict[str, tuple[int, int, float]] = {}
        """The ends of logs, as in a `Tail`, and when each was seen, by `monotonic`."""
        self._looked_at = monotonic()
        self._doubtful: list[_Batch] = []
        """Appends whose authors were told that the outcome is not known."""
        self._doubt = Doubt()
        self._tried_at = -_AGAIN_S
        self._mending = asyncio.Lock()
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

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
        self._waiting += [_pending(append, now) for append in appends]
        self._work.set()

    def note(self, room: str, tail: Tail) -> None:
        """Note the end of a log, which was just read."""
        self._tails[room] = *tail, monotonic()

    def forget(self, room: str) -> None:
        """Read the end of a log again before the next append to it."""
        self._tails.pop(room, None)

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        """Write a deadline before the next appends. See the store's `note_deadline`."""
        self._deadlines[room] = at
        self._work.set()

    def note_unread(self, room: RoomName, at: int) -> None:
        """Note a room before the next appends. See the store's `note_unread`."""
        self._unread[room] = at

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
            except connecting.FAILURES as error:
                if connecting.is_unknown(error):
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
                if not self._waiting and not self._deadlines:
                    continue
            batch = self._next_batch()
            async with self._mending:
                outcomes = await caught(self._write(batch))
                if isinstance(outcomes, Exception):  # a bug is told to all that wait for it
                    self._drop()
                    outcomes = [outcomes for _ in batch]
            self._tell(batch, outcomes)
            await asyncio.sleep(0)  # a room that was told may have more to write

    def _next_batch(self) -> _Batch:
        """Take what waits, in a row for each room; appends that follow on each other are joined."""
        if (now := monotonic()) - self._looked_at > _LOOK_EVERY_S:
            self._looked_at = now
            seen = self._tails.items()
            self._tails = {room: tail for room, tail in seen if now - tail[2] < TRUST_S}
        taken: dict[RoomName, _Pending] = {}
        closed: set[RoomName] = set()
        """Rooms of which something has to wait, and so all that came after it."""
        rest: list[_Pending] = []
        for pending in self._waiting:
            room = pending.room
            before = taken.get(room)
            if before is None and len(taken) < _BATCH:
                taken[room] = pending
            elif before and room not in closed and (joined := before.joined(pending)):
                taken[room] = joined
            else:
                closed.add(room)
                rest.append(pending)
        batch = list(taken.values())
        count = _at_once(len(batch))
        self._waiting = batch[count:] + rest
        return batch[:count]

    def _tell(self, batch: _Batch, outcomes: list[Exception | None]) -> None:
        now = perf_counter()
        for pending, outcome in zip(batch, outcomes, strict=True):
            for append, began in pending.appends:
                if outcome is None:
                    self._on_kept(now - began)
                append.then(outcome)

    async def _write(self, batch: _Batch) -> list[Exception | None]:
        """Write a batch, and find out what became of each row in it."""
        try:
            if self._connection is None:
                await self._mend(None)
            else:
                await self._require_rooms()
        except StorageFailed as error:
            return [self._doubt.refused(each.room, error) for each in batch]
        try:
            return await self._insert(batch)
        except connecting.FAILURES as error:
            if not connecting.is_unknown(error):
                return [_failed(error) for _ in batch]
            self._drop()
            logger.warning(
                "the connection to the database broke in a commit: %s", connecting.words(error)
            )
        return await self._settle(batch)

    async def _settle(self, batch: _Batch) -> list[Exception | None]:
        """Try for a while to make the outcome of a batch certain; else leave it in doubt."""
        until = monotonic() + _SETTLE_S
        while (left := until - monotonic()) > 0:
            try:
                outcomes = await self._mend(batch, most_s=left)
            except StorageFailed:
                await asyncio.sleep(min(_AGAIN_S, left))
            else:
                return outcomes
        self._doubtful.append(batch)
        error = StorageFailed("the connection broke in the middle of a commit")
        return [self._doubt.leave(pending.room, error) for pending in batch]

    async def _mend(
        self, batch: _Batch | None, *, most_s: float = math.inf
    ) -> list[Exception | None]:
        """Connect again, and write once more what is in doubt; return the outcomes of `batch`.

        Raises:
            StorageFailed: if that cannot be.
        """
        await self._require_rooms()
        now = monotonic()
        if self._connection is None:
            if now - self._tried_at < _AGAIN_S:
                raise StorageFailed("the database cannot be reached")
            self._tried_at = now
        try:
            if self._connection is None:
                await self._connect(most_s)
            while self._doubtful:
                doubtful = self._doubtful[0]
                outcomes = await self._insert(doubtful, is_sent=True)
                del self._doubtful[0]
                now = perf_counter()
                for pending, outcome in zip(doubtful, outcomes, strict=True):
                    for _, began in pending.appends if outcome is None else ():
                        self._on_kept(now - began)
            self._doubt.clear()
            return [] if batch is None else await self._insert(batch, is_sent=True)
        except connecting.FAILURES as error:
            self._drop()
            raise _failed(error) from None

    async def _require_rooms(self) -> None:
        """Require that no other server may have the rooms of this one.

        Raises:
            StorageFailed: if one has them, or may have.
        """
        if self.registration is None or await self.registration.is_certain():
            return
        if self.registration.owner is not None:
            raise StorageFailed("the session of the lease broke")
        # The rooms are given up; another server reads their logs.
        self._doubtful.clear()
        self._doubt.clear()
        raise StorageFailed("the server has lost its rooms")

    async def _insert(self, batch: _Batch, *, is_sent: bool = False) -> list[Exception | None]:
        """Send one batch; `is_sent`: it was sent before, and may have been carried out.

        Raises:
            OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError: see `is_unknown`.
        """
        if self._deadlines:
            await self._write_deadlines()
        if self._unread:
            await self._write_unread()
        if is_sent:
            for pending in batch:
                self.forget(pending.room)
        lives = await self._lives(batch)
        fit = [each for each, life in zip(batch, lives, strict=True) if life is not None]
        sent = await self._send(fit, [life for life in lives if life is not None]) if fit else []
        if len(sent) == len(batch):
            outcomes: list[Exception | None] = [None] * len(batch)
        else:
            kept = {(row[0], row[1]) for row in sent}
            outcomes = [
                None if each.key in kept or (is_sent and await self._is_there(each)) else Conflict()
                for each in batch
            ]
        now = monotonic()
        for pending, life, outcome in zip(batch, lives, outcomes, strict=True):
            if outcome is None and life is not None:
                self._tails[pending.room] = pending.end, life, now
            else:
                self.forget(pending.room)
        return outcomes

    async def _write_deadlines(self) -> None:
        connection, noted = self._connected(), self._deadlines
        self._deadlines = {}
        kept = {room: at for room, at in noted.items() if at is not None}
        try:
            if kept:
                rows = list(kept), [str(at) for at in kept.values()]
                await connection.execute(statements.NOTE_DEADLINES, *rows)
            if dropped := noted.keys() - kept.keys():
                await connection.execute(statements.DROP_DEADLINES, list(dropped))
        except BaseException:
            self._deadlines = noted | self._deadlines
            raise

    async def _write_unread(self) -> None:
        noted, self._unread = self._unread, {}
        try:
            columns = list(noted), [str(at) for at in noted.values()]
            await self._connected().execute(statements.NOTE_UNREAD, *columns)
        except BaseException:
            self._unread = noted | self._unread
            raise

    async def _lives(self, batch: _Batch) -> list[int | None]:
        """Return the life of each row's log; `None` where the row does not follow on its end."""
        lives: list[int | None] = []
        now = monotonic()
        for pending in batch:
            end, life, at = self._tails.get(pending.room, _UNSEEN)
            if end != pending.seq or now - at > TRUST_S:
                end, life = await self._look(pending.room)
            lives.append(life if end == pending.seq else None)
        return lives

    async def _look(self, room: str) -> Tail:
        """Read the end of a log."""
        connection = self._connected()
        row = await connection.fetchrow(statements.TAIL, room, timeout=self._patience_s)
        if row is not None:
            return tail_of(row)
        life = await connection.fetchval(statements.NEW_LIFE, room, timeout=self._patience_s)
        return Tail(1, life)

    async def _send(self, batch: _Batch, lives: list[int]) -> list[asyncpg.Record]:
        """Send the rows of one statement; return the room and number of those kept by it."""
        values: list[Any] = []
        if any(lives) or any(each.snapshot is not None for each in batch):
            statement = await self._statement(statements.APPEND_MORE, len(batch))
            for (room, seq, event, end, snapshot, _), life in zip(batch, lives, strict=True):
                values += (room, seq, event, life)
                values += (None, None, None) if snapshot is None else (end - 1, *snapshot)
        else:
            statement = await self._statement(statements.APPEND, len(batch))
            for room, seq, event, _, _, _ in batch:
                values += (room, seq, event)
        return await statement.fetch(*values, timeout=self._patience_s)

    async def _statement(self, text: str, rows: int) -> "PreparedStatement[Any]":
        """Return a statement for so many rows, which is prepared the first time."""
        found = self._prepared.get((text, rows))
        if found is None:
            found = await self._connected().prepare(
                statements.of_rows(text, rows), timeout=self._patience_s
            )
            self._prepared[text, rows] = found
        return found

    async def _is_there(self, pending: _Pending) -> bool:
        """Return whether a row is kept that was sent before."""
        found = await self._connected().fetchval(
            statements.FIND, *pending.key, timeout=self._patience_s
        )
        return bool(found == pending.event)

    def _connected(self) -> connecting.Connection:
        if self._connection is None:
            raise asyncpg.InterfaceError("the connection is closed")
        return self._connection

    async def _connect(self, most_s: float) -> None:
        self._connection = await self._target.connect(
            patience_s=self._patience_s, connect_s=min(most_s, self._patience_s)
        )

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
        self._connection = None
        self._prepared.clear()


def _at_once(count: int) -> int:
    """Return how many of so many rows to send at once.

    Each number takes a statement of its own. So from 16 on it is every second one, from 32 on every
    fourth, and so on: 56 numbers up to `_BATCH`, and at most an eighth has to wait.
    """
    rest = max(count.bit_length() - 4, 0)
    return count >> rest << rest


def _pending(append: Append, began: float) -> _Pending:
    seq, lines = append.seq, append.lines
    kept = ((append, began),)
    return _Pending(append.room, seq, text_of(lines), seq + len(lines), append.snapshot, kept)


def _failed(error: BaseException) -> StorageFailed:
    return StorageFailed(f"the database: {connecting.words(error)}")
