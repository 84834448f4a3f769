"""What happened in rooms with persons, for the tables that follow from their logs.

Tables of people that follow from the logs (the index of one's games, the rated games) are written
here and nowhere else, by *tables* like this:

    class MyTable:
        clear = (Statement("DELETE FROM mine"),)

        def statements(self, game: SeenGame) -> Iterable[Statement]:
            return [Statement("INSERT INTO mine … ON CONFLICT … DO UPDATE … WHERE seq < …", …)]

A `SeenGame` is a game of a room as it was after one of its events. `statements` is pure and may be
called more than once for the same event, and out of order after a failure: rows have the event's
number, `game.seq`, and give way to higher ones only. All tables' rows of a game are one
transaction, so a game counts once for each table, or not yet for any.

A running server hears of each event as it is kept (`see`), and writes within seconds. Before an
event is kept, the store notes its room as unread (`EventStore.note_unread`, by `rooms.feed`); the
note goes in the transaction that writes the rows. So after a crash, a failure of the store, or the
loss of a server in a cluster, the rooms that were left unread, and no others, are read again from
their logs. `ttt-server people --reindex` reads all of them.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Final, Protocol

from ttt_engine import EngineError
from ttt_protocol.codec import EncodedEvents, InvalidWire, decode_event
from ttt_protocol.state import Human, Mark, Player, RoomName
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog, LacksPackage
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, RoomGame, Seats
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.storage.people import Statement

logger = logging.getLogger(__name__)

GATHER_S: Final = 1.0
"""The time between two looks at what waits to be written."""

QUIET_S: Final = 2.0
"""A running game is written once nobody has moved in it for so long: players who answer each other
at once do not ask a list whose turn it is."""

LATEST_S: Final = 10.0
"""The longest time until it is written nonetheless."""

LEFT_MS: Final = 20_000
"""The age of a note beyond which its server is taken to have died. A living one writes, and notes
again, after `LATEST_S`."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to write, after a failure."""

_LOOK_S: Final = 5.0
"""How often to look for what other servers left unread."""

_MOST_WAITING: Final = 10_000
"""Rooms that wait to be written; those beyond are read from their logs later."""

_GAMES_AT_ONCE: Final = 50
_ROOMS_AT_ONCE: Final = 20
_PAUSE_S: Final = 0.02
"""The pause after so many rooms, so that moves go first."""

_PAGE: Final = 256
_STEP: Final = 16
"""Events to read at once, and to take in between two turns of the loop."""


@dataclass(slots=True)
class SeenGame:
    """A game as it was after an event of its room. A person has had a seat in it."""

    room: Room
    """The room after the newest event of the game that is known."""
    seats: Seats
    """The players; the last one of a seat that was given up."""
    persons: dict[str, Mark] = field(default_factory=dict)
    """The public ids of all persons who had a seat while it ran, and their latest seats."""

    @property
    def game(self) -> RoomGame:
        if self.room.game is None:
            raise AssertionError("a seen game is the game of its room")
        return self.room.game

    @property
    def seq(self) -> int:
        """The number of the event; rows of later ones are newer."""
        return self.room.seq

    @property
    def is_over(self) -> bool:
        return self.game.outcome is not None

    def goes_on_in(self, room: Room) -> bool:
        """Return whether the players are the same in a later state of the room."""
        return self.room.seats is room.seats and self.room.stood_in_for is room.stood_in_for

    @property
    def to_act(self) -> str:
        """The person whose turn it is; empty if it is nobody's, an AI's or a guest's."""
        if self.is_over or not self.seats.full:
            return ""
        return person_of(self.seats[self.game.turn])


class FollowingTable(Protocol):
    """A table that follows from the logs."""

    clear: Sequence[Statement]
    """Empties it, before all logs are read again."""

    def statements(self, game: SeenGame) -> Iterable[Statement]:
        """Return what writes this game, unless rows of a later event are there."""


class SeenGames:
    """The newest state of each game that was seen, in the order of the log."""

    def __init__(self) -> None:
        self._games: dict[int, SeenGame] = {}

    def see(self, before: Room, after: Room) -> None:
        """Take in a step of a room: some events of one decision, or a single one."""
        game = after.game
        if game is None:
            return
        seen = self._games.get(game.number)
        if seen is not None and game.outcome is None and seen.goes_on_in(after):
            seen.room = after  # as after most moves
            return
        is_over = game.outcome is not None
        if is_over and not _is_running(before, game.number):
            return  # what follows on the end is no part of the game
        # Who gives up the seat ends the game in the same step.
        seats = _whole(after.seats, before.seats if is_over else None, seen)
        found = SeenGame(after, seats, {} if seen is None else seen.persons)
        for each in (after.stood_in_for, before.seats if is_over else after.seats):
            for mark in Mark:
                if person := person_of(each[mark]):
                    found.persons[person] = mark
        if found.persons:
            self._games[game.number] = found

    def __iter__(self) -> Iterator[SeenGame]:
        return iter(self._games.values())

    def __len__(self) -> int:
        return len(self._games)


def person_of(player: Player | None) -> str:
    """Return the public id of the person who plays; empty for a guest, an AI and an empty seat."""
    return (player.person or "") if isinstance(player, Human) else ""


def _is_running(room: Room, number: int) -> bool:
    game = room.game
    return game is not None and game.number == number and game.outcome is None


def _whole(seats: Seats, before: Seats | None, seen: SeenGame | None) -> Seats:
    """Return seats with the player who has just left, where one is empty."""
    for earlier in (before, None if seen is None else seen.seats):
        if earlier is not None and not seats.full:
            seats = Seats(seats.X or earlier.X, seats.O or earlier.O)
    return seats


@dataclass(slots=True)
class _Waiting:
    """Games of one room that are to be written."""

    since: float
    changed: float
    """When the first and the last event was seen, by `monotonic`."""
    games: SeenGames = field(default_factory=SeenGames)
    is_urgent: bool = True
    """Whether a game has begun or ended: that is not delayed."""


class LogReader:
    """Writes the tables that follow from the logs, soon after events are kept."""

    def __init__(
        self,
        store: EventStore,
        tables: Sequence[FollowingTable],
        take_note: Callable[[RoomName], int],
        *,
        is_alone: bool,
    ) -> None:
        """Do nothing until `run`.

        Args:
            store: has the logs and the tables.
            tables: what is written.
            take_note: returns the note of a room, and forgets it: the next event brings another.
            is_alone: whether no other server uses the store.
        """
        self._store = store
        self._tables = tables
        self._take_note = take_note
        self._is_alone = is_alone
        self._waiting: dict[RoomName, _Waiting] = {}
        self._has_waiting = asyncio.Event()
        self._is_behind = True
        """Whether rooms may be left unread: by an earlier server, a failure, or a full queue."""
        self._look_s = inf if is_alone else _LOOK_S
        self._call: list[Callable[[SeenGame], None]] = []
        self.dropped = 0
        """Rooms that did not fit into the queue, and are read from their logs."""

    def call_when_written(self, call: Callable[[SeenGame], None]) -> None:
        """Call `call` with each game once its rows are there."""
        self._call.append(call)

    def see(self, before: Room, after: Room, _: EncodedEvents = ()) -> None:
        """Take in what was kept. In a room without persons nothing calls this."""
        now = time.monotonic()
        waiting = self._waiting.get(after.name)
        if waiting is None:
            if len(self._waiting) >= _MOST_WAITING:
                self.dropped += 1
                self._is_behind = True
                return
            waiting = self._waiting[after.name] = _Waiting(now, now)
            waiting.is_urgent = False
            self._has_waiting.set()
        waiting.changed = now
        waiting.is_urgent = waiting.is_urgent or _begins_or_ends(before, after)
        waiting.games.see(before, after)

    async def run(self) -> None:
        """Write what is seen, and read what is left unread, until cancelled."""
        looked_at = time.monotonic()
        while True:
            try:
                if self._is_behind or time.monotonic() - looked_at >= self._look_s:
                    self._is_behind, looked_at = False, time.monotonic()
                    await self.read_left(0 if self._is_alone else LEFT_MS)
                await self._write_due()
            except StorageFailed as error:
                logger.debug("could not write the games of persons; retrying: %s", error)
                self._is_behind = True
                await asyncio.sleep(_AGAIN_S)
            if not self._is_behind:
                await self._pause()

    async def _pause(self) -> None:
        """Wait until something may be due."""
        if not self._waiting:
            self._has_waiting.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(None if self._is_alone else self._look_s):
                    await self._has_waiting.wait()
        await asyncio.sleep(GATHER_S)

    async def finish(self) -> None:
        """Write all that was seen.

        Raises:
            StorageFailed: if the store fails; it is read from the logs later.
        """
        await self._write(list(self._waiting))

    async def _write_due(self) -> None:
        now = time.monotonic()
        due = [
            room
            for room, each in self._waiting.items()
            if each.is_urgent or now - each.changed >= QUIET_S or now - each.since >= LATEST_S
        ]
        await self._write(due)

    async def _write(self, rooms: list[RoomName]) -> None:
        for first in range(0, len(rooms), _GAMES_AT_ONCE):
            some = rooms[first : first + _GAMES_AT_ONCE]
            # The notes before the games: an event in between brings a note that stays.
            notes = [(room, self._take_note(room)) for room in some]
            games = [game for room in some for game in self._waiting.pop(room).games]
            await self._keep(games, notes)

    async def _keep(self, games: Sequence[SeenGame], notes: Iterable[tuple[RoomName, int]]) -> None:
        """Write games, and drop the notes of their rooms, in one transaction."""
        statements = [
            statement
            for game in games
            for table in self._tables
            for statement in table.statements(game)
        ]
        statements += [Statement(_DROP_NOTE, note) for note in notes]
        if statements:
            await self._store.people.transact(statements)
        for game in games:
            for call in self._call:
                call(game)

    # From the logs

    async def read_left(self, age_ms: int) -> None:
        """Read the rooms that a server has left unread for so long.

        Raises:
            StorageFailed: if the store fails.
        """
        before = time.time_ns() // 1_000_000 - age_ms
        while True:
            (rows,) = await self._store.people.transact(
                (Statement(_LEFT, (before, _ROOMS_AT_ONCE)),)
            )
            for name, at in rows:
                room = RoomName(str(name))
                self._take_note(room)  # the next event brings another, which stays
                self._waiting.pop(room, None)
                await self._keep(list(await self._read(room)), ((room, int(at or 0)),))
            if len(rows) < _ROOMS_AT_ONCE:
                return
            await asyncio.sleep(_PAUSE_S)

    async def read_all(self) -> int:
        """Empty the tables, and write them from all logs; return the number of games.

        Raises:
            StorageFailed: if the store fails; the next call begins anew.
        """
        await self._store.people.transact([each for table in self._tables for each in table.clear])
        count, after = 0, ""
        while found := await self._store.browse(after, _ROOMS_AT_ONCE):
            for last in found:
                games = list(await self._read(last.room))
                count += len(games)
                await self._keep(games, ())
            after = found[-1].room
        return count

    async def _read(self, name: RoomName) -> SeenGames:
        """Return the games of a room by its log; none if it cannot be understood."""
        try:
            return await read_games(self._store, name)
        except (InvalidWire, InvalidLog, EngineError, LacksPackage) as error:
            logger.warning("room %s: no games from its log: %s", name, error)
            return SeenGames()


_DROP_NOTE: Final = "DELETE FROM unread WHERE room = $1 AND at = $2"
_LEFT: Final = "SELECT room, at FROM unread WHERE at <= $1 ORDER BY at LIMIT $2"


def _begins_or_ends(before: Room, after: Room) -> bool:
    was = before.game is not None and before.game.outcome is None
    runs = after.game is not None and after.game.outcome is None
    return was != runs or (runs and before.seats.ids != after.seats.ids)


async def read_games(store: EventStore, name: RoomName) -> SeenGames:
    """Return the games of a room with persons, as far as its log is kept.

    Raises:
        StorageFailed: if the log cannot be read.
        InvalidWire, InvalidLog, EngineError, LacksPackage: if it cannot be understood.
    """
    games, room = SeenGames(), Room(name)
    if "/" in name:  # no room is called so: this is the log of a tournament
        return games
    while True:
        found = await store.load(name, room.seq, _PAGE)
        if found.start is not None:
            room = restore(name, found.start)
        is_whole = len(found.lines) < _PAGE
        if is_whole and not room.seq and not any(b'"person"' in line for line in found.lines):
            return games  # of guests
        for number, line in enumerate(found.lines, 1):
            before, room = room, evolve(room, decode_event(line))
            games.see(before, room)
            if number % _STEP == 0:
                await asyncio.sleep(0)
        if is_whole:
            return games
