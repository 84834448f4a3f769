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

A running server hears of what happens as it is kept (`see`), except for moves that only go on with
a game while everyone is there: they cost nothing here. A game is written when it begins and ends,
when its players change, when a turn lasts, and when somebody asks for a list (`catch_up`). Before
an event is kept, the store notes its room as unread (`EventStore.note_unread`, by the `Feed`);
the note goes once nobody has moved for a while, in the transaction that writes the rows. So after a
crash, a failure of the store, or the loss of a server in a cluster, the rooms that were left
unread, and no others, are read again from their logs; and a list reads the rooms that another
server has noted. `ttt-server people --reindex` reads all of them.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import Final, Protocol

from ttt_engine import EngineError
from ttt_protocol.codec import EncodedEvents, InvalidWire, decode_event
from ttt_protocol.state import Human, Mark, Player, RoomName
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.errors import InvalidLog, LacksPackage
from ttt_server.core.evolve import evolve
from ttt_server.core.room import Room, RoomGame, Seats
from ttt_server.rooms.event_log import Feed
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.storage.people import NOTE_UNREAD, Row, Statement, run

logger = logging.getLogger(__name__)

GATHER_S: Final = 1.0
"""How long games that begin and end are gathered, to be written together."""

QUIET_S: Final = 30.0
"""A running game is written once nobody has moved in it for so long. Until then a list of one of
its persons brings it up to date."""

RENEW_S: Final = 8.0
"""How often the notes of games that go on are renewed, where there are other servers."""

LEFT_MS: Final = 20_000
"""The age of a note beyond which its server is taken to have died. A living one renews it, after
`RENEW_S`."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to write, after a failure."""

_LOOK_S: Final = 5.0
"""How often to look for what other servers left unread."""

_MOST_WAITING: Final = 10_000
"""Rooms that are followed; those beyond are read from their logs."""

_MOST_ELSEWHERE: Final = 100
"""Rooms of other servers that are read for one list."""

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

    def go_on(self, room: Room) -> None:
        """Take in what came of moves."""
        if room.game is not None and room.game.number in self._games and room.game.outcome is None:
            self.see(room, room)

    def drop_ended(self, seq: int) -> None:
        """Forget games that had ended at this event."""
        kept = (game for game in self if not game.is_over or game.seq > seq)
        self._games = {game.game.number: game for game in kept}

    @property
    def seq(self) -> int:
        """The number of the last event that was seen; 0 without games."""
        return max((game.seq for game in self), default=0)

    def have(self, person: str) -> bool:
        """Return whether a person plays, or played, in one of them."""
        return any(person in game.persons for game in self)

    def __iter__(self) -> Iterator[SeenGame]:
        return iter(self._games.values())


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
class _Followed:
    """The games of a room that is noted as unread."""

    look_at: float
    """When to look whether it is quiet, by `monotonic`."""
    games: SeenGames = field(default_factory=SeenGames)
    written: int = 0
    """The number of the last event that the rows know of."""

    @property
    def unwritten(self) -> list[SeenGame]:
        return [game for game in self.games if game.seq > self.written]


class LogReader:
    """Writes the tables that follow from the logs, soon after events are kept."""

    def __init__(
        self, store: EventStore, tables: Sequence[FollowingTable], feed: Feed, *, is_alone: bool
    ) -> None:
        """Do nothing until `run`.

        Args:
            store: has the logs and the tables.
            tables: what is written.
            feed: tells what is kept, and has the notes.
            is_alone: whether no other server uses the store.
        """
        self._store = store
        self._tables = tables
        self._feed = feed
        self._is_alone = is_alone
        self._look_after_s = QUIET_S if is_alone else RENEW_S
        self._followed: dict[RoomName, _Followed] = {}
        """In the order in which they are looked at."""
        self._urgent: set[RoomName] = set()
        """Followed rooms in which a game has begun or ended, or the players have changed."""
        self._is_awaited = asyncio.Event()
        self._writing = asyncio.Lock()
        self._is_behind = True
        """Whether rooms may be left unread: by an earlier server, a failure, or a full queue."""
        self._look_s = inf if is_alone else _LOOK_S
        self._call: list[Callable[[SeenGame], None]] = []
        self.dropped = 0
        """Rooms that did not fit into the queue, and are read from their logs."""
        feed.subscribe(self.see)

    def call_when_written(self, call: Callable[[SeenGame], None]) -> None:
        """Call `call` with each game once its rows are there."""
        self._call.append(call)

    def see(self, before: Room, after: Room, _: EncodedEvents = ()) -> None:
        """Take in what was kept. In a room without persons nothing calls this."""
        name = after.name
        followed = self._followed.get(name)
        if followed is None:
            if len(self._followed) >= _MOST_WAITING:
                self.dropped += 1
                self._is_behind = True
                self._feed.take_note(name)  # the store keeps it
                return
            followed = self._followed[name] = _Followed(time.monotonic() + self._look_after_s)
            self._is_awaited.set()
        followed.games.see(before, after)
        if _begins_or_ends(before, after):
            self._urgent.add(name)
            self._is_awaited.set()

    async def run(self) -> None:
        """Write what is seen, and read what is left unread, until cancelled."""
        looked_at = time.monotonic()
        while True:
            try:
                if self._is_behind or time.monotonic() - looked_at >= self._look_s:
                    self._is_behind, looked_at = False, time.monotonic()
                    await self.read_left(0 if self._is_alone else LEFT_MS)
                await self._write(list(self._urgent))
                await self._look()
            except StorageFailed as error:
                logger.debug("could not write the games of persons; retrying: %s", error)
                self._is_behind = True
                await asyncio.sleep(_AGAIN_S)
            if not self._is_behind:
                await self._pause()

    async def _pause(self) -> None:
        """Wait until something may be due."""
        if not self._urgent:
            self._is_awaited.clear()
            due = next((each.look_at - time.monotonic() for each in self._followed.values()), inf)
            wait_s = min(due, self._look_s)
            with suppress(TimeoutError):
                async with asyncio.timeout(None if wait_s == inf else wait_s):
                    await self._is_awaited.wait()
        await asyncio.sleep(GATHER_S)

    async def catch_up(self, person: str) -> None:
        """Write what the lists of a person lack: of rooms that are followed here, or elsewhere.

        Raises:
            StorageFailed: if that cannot be done.
        """
        await self._write([name for name, it in self._followed.items() if it.games.have(person)])
        (rows,) = await run(self._store.people, (_UNREAD_OF, person, _MOST_ELSEWHERE))
        for name in (RoomName(str(room)) for (room,) in rows):
            if name not in self._followed:
                await self._keep(list(await self._read(name)), ())

    async def finish(self) -> None:
        """Write all that was seen.

        Raises:
            StorageFailed: if the store fails; it is read from the logs later.
        """
        await self._write(list(self._followed), lets_go=True)

    async def _look(self) -> None:
        """Let rooms go in which nobody has moved for a while; note the others again."""
        now, quiet, others = time.monotonic(), list[RoomName](), list[RoomName]()
        for name, followed in self._followed.items():
            if followed.look_at > now:
                break
            (quiet if self._is_quiet(name) else others).append(name)
        for name in others:
            followed = self._followed.pop(name)
            followed.look_at = now + self._look_after_s
            self._followed[name] = followed  # at the end
        if not self._is_alone:
            await self._renew(others)
        await self._write(quiet, lets_go=True)

    def _is_quiet(self, name: RoomName) -> bool:
        live = self._feed.newest(name)
        return live is None or asyncio.get_running_loop().time() - live.changed_at >= QUIET_S

    async def _renew(self, rooms: Iterable[RoomName]) -> None:
        """Note rooms again, so that other servers know that this one lives."""
        now = time.time_ns() // 1_000_000
        live = (name for name in rooms if self._feed.newest(name) is not None)
        notes = [Statement(NOTE_UNREAD, (name, self._feed.renew(name, now))) for name in live]
        if notes:
            async with self._writing:
                await self._store.people.transact(notes)

    async def _write(self, rooms: Sequence[RoomName], *, lets_go: bool = False) -> None:
        """Write what is new in followed rooms. `lets_go`: follow them no longer."""
        for first in range(0, len(rooms), _GAMES_AT_ONCE):
            async with self._writing:
                await self._write_some(rooms[first : first + _GAMES_AT_ONCE], lets_go=lets_go)

    async def _write_some(self, rooms: Iterable[RoomName], *, lets_go: bool) -> None:
        games, notes = list[SeenGame](), list[tuple[RoomName, int]]()
        written = list[tuple[_Followed, int]]()
        for name in rooms:
            followed = self._followed.get(name)
            if followed is None:
                continue
            if (live := self._feed.newest(name)) is not None:
                followed.games.go_on(live.room)
            games += followed.unwritten
            written.append((followed, followed.games.seq))
            self._urgent.discard(name)
            if lets_go and (live is None or not live.is_stale):  # else an event is on its way
                del self._followed[name]
                notes.append((name, self._feed.take_note(name)))
        try:
            await self._keep(games, notes)
        except BaseException:
            self._is_behind = True
            self._urgent.update(name for name in rooms if name in self._followed)
            raise
        for followed, seq in written:
            followed.written = seq
            followed.games.drop_ended(seq)

    async def _keep(self, games: Sequence[SeenGame], notes: Iterable[tuple[RoomName, int]]) -> None:
        """Write games, and drop the notes of their rooms, in one transaction."""
        written = (table.statements(game) for game in games for table in self._tables)
        drops = (Statement(_DROP_NOTE, note) for note in notes)
        statements = [*chain.from_iterable(written), *drops]
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
        after: Row = (0, "")
        while True:
            (rows,) = await run(self._store.people, (_LEFT, before, *after, _ROOMS_AT_ONCE))
            for at, name in rows:
                room = RoomName(str(name))
                if room not in self._followed:  # else it is written in time
                    self._feed.take_note(room)  # the next event brings another, which stays
                    await self._keep(list(await self._read(room)), ((room, int(at or 0)),))
            if len(rows) < _ROOMS_AT_ONCE:
                return
            after = rows[-1]
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
_LEFT: Final = """
SELECT at, room FROM unread WHERE at <= $1 AND (at, room) > ($2, $3) ORDER BY at, room LIMIT $4"""
_UNREAD_OF: Final = """
SELECT DISTINCT games.room FROM games JOIN unread ON unread.room = games.room
WHERE games.person = $1 AND games.stage < 2 LIMIT $2"""


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
