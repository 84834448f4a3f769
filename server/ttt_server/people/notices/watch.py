"""Finds the notices that rooms and events owe, and puts them into the tables.

A room is only marked when it changes or members come and go; a task looks at all marked rooms
together a moment later. So a move costs an entry of a dictionary, and moves that follow one another
quickly are looked at once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from ttt_protocol.codec import EncodedEvents, encode_message
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.core.errors import Refused
from ttt_server.core.room import Room
from ttt_server.people.notices.ledger import Ledger, NoticeCounters, Settled, WaitingNotice
from ttt_server.people.notices.rules import ABSENCE_MS, Owed, owed_end, owed_round, owed_turn
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.storage.base import StorageFailed
from ttt_server.tournaments.live import LiveTournament
from ttt_server.tournaments.rules.values import Tournament

logger = logging.getLogger(__name__)

GATHER_S: Final = 0.1
"""How long rooms are gathered, to be looked at together."""

_AT_ONCE: Final = 50
"""Rooms of one transaction."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to write, after a failure."""

MOST_MARKED: Final = 10_000
"""Rooms to look at. The oldest are dropped beyond it."""

_MISSED_S: Final = 15.0
"""The time between two looks for rooms that nobody has looked at."""

_MISSED_MS: Final = 10_000
"""How old a turn must be to count as missed: the index of games is a few seconds late."""

_MISSED_AGAIN_MS: Final = 600_000
"""How far back to look again, beyond the last look: other servers may be killed, too."""

_ENDED: Final = b'{"type":"ended"'


@dataclass(eq=False, slots=True)
class NoticeWatch:
    """Keeps waiting notices in step with rooms and events, once it runs."""

    ledger: Ledger
    in_memory: Callable[[RoomName], LiveRoom | None]
    """Returns a room if it is in memory."""
    load: Callable[[RoomName], Awaitable[LiveRoom | None]]
    """Loads a room, and returns it; `None` if another server has it."""
    on_waiting: Callable[[int], None]
    """Called with the time in Unix ms at which a notice is due."""
    now: Callable[[], int]
    """Returns Unix ms."""
    counters: NoticeCounters
    """Count rooms that are left out, as too many change at once."""
    absence_ms: ClassVar[int] = ABSENCE_MS
    _marked: dict[RoomName, LiveRoom] = field(default_factory=dict)
    _ends: dict[RoomName, tuple[Owed, ...]] = field(default_factory=dict)
    """The notices owed by ended games in marked rooms."""
    _settled: dict[RoomName, Mapping[str, int]] = field(default_factory=dict)
    """What was last written of rooms in memory: when each notice is due, by its id."""
    _rounds: dict[TournamentName, int] = field(default_factory=dict)
    """The last known rounds of events."""
    _rounds_begun: dict[TournamentName, tuple[WaitingNotice, ...]] = field(default_factory=dict)
    """Whom to tell of rounds."""
    _absences: set[asyncio.TimerHandle] = field(default_factory=set)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    # Rooms

    def changed(self, _: Room, after: Room, events: EncodedEvents) -> None:
        """Look at a room soon: it has changed, and a person plays there. See `Kept`."""
        live = self.in_memory(after.name)
        if live is None:
            return
        is_over = after.game is not None and after.game.outcome is not None
        if is_over and any(line.startswith(_ENDED) for line in events):
            self._ends[after.name] = owed_end(after, live.away_since)
        elif self._settled.get(after.name) == {} and owed_turn(after, live.away_since) is None:
            return  # nothing waits, and nothing is owed: as after nearly all moves
        self._mark(live)

    def entered(self, live: LiveRoom) -> None:
        """Look at a room soon if a person plays there: members came or went."""
        if live.room.seats.has_person or live.room.name in self._settled:
            self._mark(live)

    def _mark(self, live: LiveRoom) -> None:
        if len(self._marked) >= MOST_MARKED and live.room.name not in self._marked:
            oldest = next(iter(self._marked))
            del self._marked[oldest]
            self._ends.pop(oldest, None)
            self.counters.dropped += 1
        self._marked[live.room.name] = live
        self._wake.set()

    async def run(self) -> None:
        """Look at marked rooms, until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(GATHER_S)
            self._wake.clear()
            try:
                while self._marked:
                    await self._look_at_some()
                if self._rounds_begun:
                    await self._look_at_rounds()
            except StorageFailed:
                self._wake.set()
                await asyncio.sleep(_AGAIN_S)

    async def look_for_missed(self) -> None:
        """Look, until cancelled, at rooms whose server was killed before it had."""
        since = 0
        while True:
            await asyncio.sleep(_MISSED_S)
            before = self.now() - _MISSED_MS
            try:
                for name in await self.ledger.missed(since, before):
                    if self.in_memory(name) is None and (live := await self.load(name)):
                        self.entered(live)
                since = before - _MISSED_AGAIN_MS
            except (StorageFailed, Refused) as error:
                logger.debug("could not look for missed notices; retrying: %s", error)

    async def _look_at_some(self) -> None:
        names = list(self._marked)[:_AT_ONCE]
        marked = {name: self._marked.pop(name) for name in names}
        ends = {name: self._ends.pop(name, ()) for name in names}
        places: dict[str, Settled] = {}
        found: dict[RoomName, Mapping[str, int]] = {}
        for name, live in marked.items():
            settled = _settled(live, ends[name], self.absence_ms)
            due = {each.id: each.due for each in settled.owed} | dict.fromkeys(settled.kept, 0)
            if ends[name] or self._settled.get(name) != due:
                places[f"rooms/{name}"] = settled
            found[name] = due
        self._settled |= found  # now: a change meanwhile is judged by it
        if places:
            try:
                await self.ledger.settle(places)
            except StorageFailed:
                for name in marked:
                    self._settled.pop(name, None)
                self._marked = marked | self._marked
                self._ends = {name: owed for name, owed in ends.items() if owed} | self._ends
                raise
        self._forget_rooms()
        due_at = [each.due for settled in places.values() for each in settled.owed]
        if due_at:
            self.on_waiting(min(due_at))

    def _forget_rooms(self) -> None:
        """Drop what is kept about rooms that are no longer in memory."""
        if len(self._settled) > MOST_MARKED:
            kept = self._settled.items()
            self._settled = {name: due for name, due in kept if self.in_memory(name) is not None}

    # Events

    def event_changed(self, live: LiveTournament, it: Tournament) -> None:
        """Tell those who are away of a round that has begun, if they stay away."""
        if self._rounds.get(it.name, 0) == it.round:
            return
        if it.status == "finished":
            self._rounds.pop(it.name, None)
            return
        self._rounds[it.name] = it.round
        loop = asyncio.get_running_loop()
        self._absences = {handle for handle in self._absences if handle.when() > loop.time()}
        self._absences.add(
            loop.call_later(self.absence_ms / 1000, self._absence_is_over, live, it.round)
        )

    def _absence_is_over(self, live: LiveTournament, number: int) -> None:
        if live.it.round == number:
            owed = owed_round(live.it, live.here, self.now())
            self._rounds_begun[live.it.name] = tuple(_waiting(each, 0) for each in owed)
            self._wake.set()

    async def _look_at_rounds(self) -> None:
        begun, self._rounds_begun = self._rounds_begun, {}
        try:
            await self.ledger.settle(
                {f"events/{name}": Settled(waiting) for name, waiting in begun.items()}
            )
        except StorageFailed:
            self._rounds_begun = begun | self._rounds_begun
            raise
        self.on_waiting(self.now())

    def close(self) -> None:
        """Cancel all timers."""
        for handle in self._absences:
            handle.cancel()


def _settled(live: LiveRoom, ends: Collection[Owed], absence_ms: int) -> Settled:
    """Return what a room owes now, of all that it may owe: its turn, and the end of its game."""
    turn = owed_turn(live.room, live.away_since)
    kept = {each.notice.id for each in owed_end(live.room, live.away_since)}
    owed = (*(() if turn is None else (turn,)), *(e for e in ends if e.notice.id in kept))
    return Settled(tuple(_waiting(each, absence_ms) for each in owed), tuple(sorted(kept)))


def _waiting(owed: Owed, absence_ms: int) -> WaitingNotice:
    notice = owed.notice
    text = encode_message(notice).decode()
    return WaitingNotice(notice.id, owed.person, text, owed.since + absence_ms)
