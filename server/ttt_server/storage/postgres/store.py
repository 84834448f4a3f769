"""Logs in PostgreSQL, for one server or for many that share them.

A single connection writes, in batches (`writer`); a few others read. Only a server with a lease may
write, which `cluster` sees to; in doubt the primary key of the events decides.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import monotonic, time_ns
from types import MappingProxyType
from typing import Final, Self
from uuid import UUID, uuid4

import asyncpg

from ttt_engine.learning.memory import Lesson, Memory
from ttt_protocol.state import RoomName
from ttt_server.core.archive.anonymous import Rewrite
from ttt_server.core.lessons import Ignored, Known, Taught
from ttt_server.storage import base
from ttt_server.storage.base import Append, CannotOpen, Conflict, Excerpt, LastEvent, StorageFailed
from ttt_server.storage.lessons import HOUR_MS, parse_tallied, read_log, tallied_text
from ttt_server.storage.people import DROP_GAMES, DROP_ROOM, Row, Statement
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.connecting import Connection, DatabaseUrl, Promotion, Readers
from ttt_server.storage.postgres.rows import Gap, Read, lines_of, read_rows, text_of
from ttt_server.storage.postgres.schema import keep_secret, prepare, risks
from ttt_server.storage.postgres.writer import Registration, Writer
from ttt_server.telemetry.histogram import Histogram

PATIENCE_S: Final = 2.5
"""The longest that a statement may take, unless the lease says otherwise."""

_MOST_CUT: Final = 30
"""Snapshots that one cut of a log passes over: some 2000 events."""

DROPPED_S: Final = 3600.0
"""How long the numbers of events that are no longer kept stay taken; see `writer.TRUST_S`."""

_LOOK_BACK_S: Final = 10.0
"""How far to look back for lessons of other servers: a commit may be seen late."""

_ROOMS_AT_ONCE: Final = 100
"""How many rooms to read in one statement, when all are read."""

_TRIES: Final = 3
"""How often a transaction is tried that another one keeps from going on."""


class PostgresStore(base.EventStore):
    """An `EventStore` in a PostgreSQL database; `open` makes one."""

    def __init__(self, target: DatabaseUrl, patience_s: float) -> None:
        self.target = target
        self.memory = Memory()
        self.commits = Histogram(base.COMMIT_BOUNDS_S)
        self.readers = Readers(target, patience_s)
        self._writer = Writer(target, patience_s, self.commits.observe)
        self._registration: Registration | None = None
        self._seen: dict[UUID, float] = {}
        """The newest rows of lessons that the memory has, and since when by `monotonic`."""
        self._looked_at = monotonic()
        """When new lessons were last looked for."""

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        relearn_all: bool = False,
        patience_s: float = PATIENCE_S,
        promotion_file: Path | None = None,
    ) -> Self:
        """Connect, and make the tables if there are none.

        `promotion_file`: keeps which promotion of the database was seen last.

        Raises:
            CannotOpen: with one line for the operator.
        """
        target = DatabaseUrl(url)
        with target.one_line():
            store = cls(target, patience_s)
            if promotion_file is not None:
                target.promotion = _read_promotion(promotion_file)
            await target.look_at_all_hosts()
            await target.require_sessions()
        async with target.connected() as connection:
            await prepare(target, connection)
            if relearn_all:
                async with connection.transaction():
                    await connection.execute(statements.FORGET_LESSONS)
                    await connection.execute(statements.FORGET_MARKS)
                    await _learn_all(connection)
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                await store._recall(connection)
        with target.one_line():
            await store._writer.open()
        if promotion_file is not None:
            _write_promotion(promotion_file, target.promotion)
        return store

    async def _recall(self, connection: Connection) -> None:
        """Put all lessons into the memory, which is empty. Call this in a transaction."""
        self._looked_at = monotonic()
        for (games,) in await connection.fetch(statements.RECALL):
            self._learn(games)
        for id_, _ in await connection.fetch(statements.NEW_LESSONS, _LOOK_BACK_S):
            self._seen[id_] = monotonic()

    async def keep_secret(
        self, given: bytes | None, make: Callable[[], bytes], *, accept_loss: bool
    ) -> bytes:
        """Return the secret of the installation; see `schema.keep_secret`.

        Raises:
            CannotOpen: with one line for the operator.
        """
        async with self.target.connected() as connection:
            return await keep_secret(connection, given, make, accept_loss=accept_loss)

    async def risks(self) -> list[str]:
        """Return what in the database's settings may lose moves that were told, in words.

        Raises:
            StorageFailed: if the database does not answer.
        """
        async with self.readers.take() as connection:
            return await risks(connection)

    def require(self, registration: Registration) -> None:
        """Write and delete from now on only while `registration` holds."""
        self._registration = self._writer.registration = registration

    def append(self, appends: Sequence[Append]) -> None:
        self._writer.append(appends)

    def note_deadline(self, room: RoomName, at: int | None) -> None:
        self._writer.note_deadline(room, at)

    def note_unread(self, room: RoomName, at: int) -> None:
        self._writer.note_unread(room, at)

    async def deadlines(self, most: int) -> Sequence[tuple[RoomName, int]]:
        return [
            (RoomName(room), at)
            for room, at in await self.readers.fetch(statements.DEADLINES, most)
        ]

    async def learn(self, rooms: Ignored, known: Known | None = None) -> None:
        async with self.readers.take() as connection, connection.transaction():
            await _learn(connection, rooms, known or {})
        await self.follow_lessons()

    async def teach(self, lessons: tuple[Lesson, ...]) -> None:
        now = time_ns() // 1_000_000
        async with self.readers.take() as connection, connection.transaction():
            await _teach(connection, [Taught(lesson, now) for lesson in lessons])
        await self.follow_lessons()

    async def load(
        self, room: RoomName, after: int | None = None, most: int | None = None
    ) -> Excerpt:
        if after is None:
            found = await self._read(statements.LOAD_NEWEST, room, 0, most)
        else:
            found = await self._read(statements.LOAD_AFTER, room, after, after, most)
        if most is None or len(found.lines) < most:
            self._writer.note(room, found.tail)
        return Excerpt(found.start, found.lines[:most])

    async def load_game(self, room: RoomName, number: int) -> Excerpt:
        found = await self._read(statements.LOAD_GAME, room, 0, number)
        return Excerpt(found.start, found.lines)

    async def browse(self, after: str, most: int) -> Sequence[LastEvent]:
        while rows := await self.readers.fetch(statements.BROWSE, after, most):
            found = []
            for room, seq in rows:
                event = await self.readers.fetch(statements.FIND, room, seq)
                if event and (lines := lines_of(event[0]["event"])):
                    found.append(LastEvent(RoomName(room), lines[-1]))
            if found or len(rows) < most:
                return found
            after = rows[-1]["room"]  # all of these were deleted within the hour
        return []

    async def trim(self, room: RoomName, keep: int) -> bool:
        await self.learn({room: ()})
        async with self.readers.take() as connection, connection.transaction():
            newest = await connection.fetchval(statements.NEWEST_GAME, room)
            mark = await connection.fetchval(statements.MARK, room)
            if newest is None or mark is None:
                return False
            start = await connection.fetchval(
                statements.NEW_START, room, newest - keep, mark, _MOST_CUT
            )
            if start is None:
                return False
            await connection.execute(statements.CUT, room, start)
            game = await connection.fetchval(statements.BEGIN_AT, room, start)
            await connection.execute(DROP_GAMES, room, game)
        return True

    async def delete(self, room: RoomName) -> None:
        async with self.readers.take() as connection, connection.transaction():
            is_held = self._registration is not None and await self._hold(connection, room)
            is_marked = bool(await _learn(connection, {room: ()}))
            end = await connection.fetchval(statements.END, room)
            if end is not None:
                await connection.execute(statements.CUT, room, end)
            elif await connection.fetchrow(statements.TAIL, room) is not None:
                raise StorageFailed(f"room {room}: another server has just written to it")
            if is_marked or end is None:
                await connection.execute(statements.DELETE_MARK, room)
            await connection.execute(statements.DROP_DEADLINES, [room])
            for statement in DROP_ROOM:
                await connection.execute(statement, room)
            if is_held and self._registration is not None:
                await connection.execute(statements.RELEASE, [room], self._registration.owner)
        self._writer.forget(room)
        if is_marked:
            await self.follow_lessons()

    async def rewrite(self, room: RoomName, rewrite: Rewrite) -> None:
        async with self.readers.take() as connection, connection.transaction():
            for row in await connection.fetch(statements.ALL_EVENTS, room):
                seq, event, saved = row["seq"], row["event"], row["saved"]
                anew = text_of(map(rewrite, lines_of(event)))
                anew_saved = None if saved is None else rewrite(saved)
                if (anew, anew_saved) != (event, saved):
                    await connection.execute(statements.REWRITE, room, seq, anew, anew_saved)

    async def transact(self, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
        """Run statements on the tables of people, which all servers share."""
        async with self.readers.take() as connection:
            for _ in range(_TRIES - 1):
                with suppress(asyncpg.DeadlockDetectedError):
                    return await _run(connection, statements)
            return await _run(connection, statements)

    async def purge(self) -> None:
        """Remove the rows that were dropped more than an hour ago.

        Raises:
            StorageFailed: if they could not be removed; the next time makes up for it.
        """
        await self.readers.fetch(statements.PURGE, DROPPED_S)

    async def _hold(self, connection: Connection, room: RoomName) -> bool:
        """Keep other servers from taking over a room until the end of the transaction.

        Returns:
            Whether no server had the room before.

        Raises:
            StorageFailed: if another server has the room, or may have it.
        """
        me = None if self._registration is None else self._registration.owner
        if me is None:
            raise StorageFailed(f"room {room}: another server may have it")
        is_new = await connection.fetchval(statements.HOLD_ROOM, room, me)
        if await connection.fetchval(statements.LOCK_ROOM, room) != me:
            raise StorageFailed(f"room {room}: another server has it")
        return bool(is_new)

    async def _read(self, statement: str, room: RoomName, after: int, *numbers: int | None) -> Read:
        """Return what a statement reads: the room to begin at, if any, and the events after it."""
        await self._writer.be_certain(room)
        rows = await self.readers.fetch(statement, room, *numbers)
        try:
            return read_rows(rows, after)
        except Gap:
            raise StorageFailed(f"room {room}: its log has a gap") from None

    def watch(self, on_failure: Callable[[StorageFailed], None]) -> None:
        """Do nothing: a fault is found by the next write."""

    async def backup(self, file: Path, secret: bytes | None, on_progress: base.OnProgress) -> None:  # noqa: ARG002 - as in every store
        raise StorageFailed("PostgreSQL has backups of its own: pg_dump")

    async def probe(self) -> None:
        await self._writer.execute(statements.PROBE)

    async def follow_lessons(self) -> None:
        """Learn what other servers have counted since the last time, and this one has written.

        Raises:
            StorageFailed: if it could not be read; the next time makes up for it.
        """
        now = monotonic()
        back_s = now - self._looked_at + _LOOK_BACK_S
        for id_, games in await self.readers.fetch(statements.NEW_LESSONS, back_s):
            if id_ not in self._seen:
                self._learn(games)
            self._seen[id_] = now
        self._looked_at = now
        self._seen = {id_: at for id_, at in self._seen.items() if now - at < 2 * _LOOK_BACK_S}

    async def close(self) -> None:
        try:
            await self._writer.close()
        finally:
            await self.readers.close()
            await asyncio.sleep(0)  # connections that were cut are closed in the next round

    def _learn(self, games: str) -> None:
        for lesson, times in parse_tallied(games):
            self.memory.learn(lesson, times)


def _read_promotion(file: Path) -> Promotion:
    with suppress(OSError, ValueError):
        system, timeline = file.read_text().split()
        return Promotion(system, int(timeline))
    return Promotion()


def _write_promotion(file: Path, promotion: Promotion) -> None:
    if promotion.timeline:
        with suppress(OSError):  # a server without a folder of its own knows it while it runs
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.write_text(f"{promotion.system} {promotion.timeline}\n")


async def _run(connection: Connection, statements: Sequence[Statement]) -> Sequence[Sequence[Row]]:
    """Run statements on the tables of people in one transaction.

    Raises:
        Conflict: if a row breaks a constraint.
    """
    try:
        async with connection.transaction():
            return [
                [tuple(row) for row in await connection.fetch(sql, *values)]
                for sql, values in statements
            ]
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Conflict(str(error)) from None


async def forget_lessons(url: str, hour: int, *, dry: bool) -> int:
    """Forget the lessons since an hour of Unix time; return their number. `dry`: only count them.

    Raises:
        CannotOpen: with one line for the operator, also if a server runs: it would keep what it
            has in memory.
    """
    target = DatabaseUrl(url)
    async with target.connected() as connection:
        await prepare(target, connection)
        async with connection.transaction():
            if await connection.fetchval(statements.COUNT_ALIVE):
                raise CannotOpen("servers run on it: stop them first")
            await _learn_all(connection)
            rows = await connection.fetch(statements.LESSONS_SINCE, hour)
            if not dry:
                await connection.execute(statements.FORGET_SINCE, hour)
    return sum(times for (games,) in rows for _, times in parse_tallied(games))


async def _learn(
    connection: Connection, rooms: Ignored, known: Known = MappingProxyType({})
) -> Collection[str]:
    """Count new lessons of rooms; return those that have a mark. Call this in a transaction."""
    marked: set[str] = set()
    marks: dict[str, tuple[int, int, int]] = {}
    found: dict[str, tuple[Taught, ...]] = {}
    known_rows = await connection.fetch(statements.UNREAD_ROWS, list(known)) if known else ()
    for name, before, seqs in known_rows:
        since, read = known[name]
        row_seq = max((seq for seq in seqs if seq <= read.mark), default=None)
        if since == before and row_seq is not None:
            marks[name], found[name] = (read.mark, row_seq, before), read.lessons
    unknown = rooms.keys() - marks.keys()
    rows = await connection.fetch(statements.UNREAD, list(unknown)) if unknown else ()
    for name, unread in groupby(rows, itemgetter("room")):
        room, log = RoomName(name), list(unread)
        before, start = log[0]["mark"], None
        if before:
            marked.add(room)
        if not log[0]["event"]:
            begin = log.pop(0)
            start = None if before else begin["saved"]
        if not log:
            continue
        lines = [line for row in log for line in lines_of(row["event"])]
        skipped = before + 1 - log[0]["seq"] if before else 0
        read = read_log(room, before, tuple(lines[max(skipped, 0) :]), rooms[room], start)
        if read.mark > before:
            row_seq = max(row["seq"] for row in log if row["seq"] <= read.mark)
            marks[room], found[room] = (read.mark, row_seq, before), read.lessons
    if marks:
        names = sorted(marks)
        statement = statements.of_rows(statements.SET_MARKS, len(names))
        values = (value for name in names for value in (name, *marks[name]))
        moved = await connection.fetch(statement, *values)
        await _teach(connection, [taught for (room,) in moved for taught in found[room]])
    return marked | marks.keys()


async def _learn_all(connection: Connection) -> None:
    """Count new lessons of all logs. Call this in a transaction."""
    after = ""
    while rows := await connection.fetch(statements.BROWSE, after, _ROOMS_AT_ONCE):
        await _learn(connection, {RoomName(room): () for room, _ in rows})
        after = rows[-1]["room"]


async def _teach(connection: Connection, lessons: Iterable[Taught]) -> None:
    """Count lessons, in a row for each hour."""
    hours: defaultdict[int, Counter[Lesson]] = defaultdict(Counter)
    for taught in lessons:
        hours[taught.at // HOUR_MS][taught.lesson] += 1
    for hour, counts in hours.items():
        await connection.execute(statements.TEACH, uuid4(), hour, tallied_text(counts.items()))
