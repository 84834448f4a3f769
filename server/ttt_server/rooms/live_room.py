"""A room in memory: the value, its lock, its members and its timers."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from ttt_protocol.codec import EncodedEvents
from ttt_protocol.codes import CloseCode
from ttt_protocol.state import Mark, RoomName, RoomState, SessionId, Status, Summary
from ttt_server.concurrency.callback_lock import CallbackLock
from ttt_server.core.room import NO_OFFERS, Room
from ttt_server.core.snapshot import Snapshot, room_state, summary
from ttt_server.rooms.chat.conversation import Conversation
from ttt_server.rooms.chat.removals import Removals, notice
from ttt_server.rooms.members import Members
from ttt_server.rooms.past import Past

PRESENCE_INTERVAL_S = 0.5
"""At most two messages of presence a second and room: many changes become one."""


class LiveRoom:
    """A room in memory. The holder of `lock` alone may change its value, apart from `shift`."""

    __slots__ = (
        "_clock_shift",
        "_conversation",
        "_loop",
        "_now",
        "_past",
        "_presence_at",
        "_removals",
        "_shift_at_write",
        "_snapshot",
        "_timers",
        "changed_at",
        "is_stale",
        "joining",
        "lock",
        "members",
        "opened_from",
        "room",
        "snapshot_seq",
    )

    def __init__(self, name: RoomName, now: Callable[[], int]) -> None:
        """Make a room of which nothing is known yet. `now` gives the Unix time in ms."""
        self.room = Room(name)
        self.lock = CallbackLock()
        self.members = Members(now())
        self.is_stale = True
        """Whether the log may be ahead of `room`: it was not read yet, or a write is under way."""
        self.snapshot_seq = 0
        """The number of the last event before the newest snapshot in the log, as far as known."""
        self.changed_at = 0.0
        """When the room last changed, on the loop's clock."""
        self.opened_from = ""
        """The address whose join brought the room into memory; empty if no join did."""
        self.joining = 0
        """The number of joins under way, for which the room must stay in memory."""
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._clock_shift = 0
        """The sum of all settings of the room's clock, in ms."""
        self._shift_at_write = 0
        """The same at the time of the last write."""
        self._snapshot = Snapshot()
        self._past: Past | None = None
        """`None` where spectators see the present, or nothing has happened here yet."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._presence_at = -PRESENCE_INTERVAL_S
        self._conversation: Conversation | None = None
        """`None` until something is said here."""
        self._removals: Removals | None = None
        """`None` until the host removes a member."""

    def now(self) -> int:
        """Return the Unix time in ms. To look at it may set the clock of the room."""
        return self._now()

    # The value

    def begin_write(self) -> None:
        """Note that the log may be ahead from now on: the outcome of a write may be lost."""
        self.is_stale = True
        self._shift_at_write = self._clock_shift

    def advance(self, after: Room) -> None:
        """Become `after`, which followed from the value at `begin_write` and is on disk."""
        # Whatever looked at the time since then may have found that the clock was set.
        shift = self._clock_shift - self._shift_at_write
        self.room = after.with_clock_shifted(shift) if shift else after
        self.changed_at = self._loop.time()
        self.is_stale = False

    def invalidate(self) -> None:
        """Note that the log has to be read again."""
        self.is_stale = True

    def validate(self) -> None:
        """Note that the log has nothing that the value lacks."""
        self.is_stale = False

    def follow(self, room: Room) -> None:
        """Become `room`, as the log has it."""
        self.room = room
        self.is_stale = False
        self.changed_at = self._loop.time()
        delay_s = room.settings.delay_s
        if delay_s and self._past is None:
            age_s = (self._now() - room.changed_at) / 1000
            # The game is not shown yet: nobody knows what was seen of it before the room was read.
            self._past = Past(room.replace(game=None, offers=NO_OFFERS, seq=0))
            self._past.add(room, (), self._loop.time() + delay_s - age_s)

    def note_snapshot(self, seq: int) -> None:
        """Note that the log has a snapshot after the event number `seq`.

        It may be lost with a write that fails; the next one then comes later.
        """
        self.snapshot_seq = seq

    def reset(self) -> None:
        """Become a room of which nothing is known: its log was deleted."""
        self.room = Room(self.room.name)
        self.snapshot_seq = 0
        self._past = None

    def shift(self, by: int) -> None:
        """Give `by` ms back to the clock of the game: the machine's clock was set by so much.

        The lock is not needed: a write under way is shifted when it has `advance`d.
        """
        self.room = self.room.with_clock_shifted(by)
        self._clock_shift += by
        self.members.shift(by)

    # Views

    @property
    def is_deserted(self) -> bool:
        """Whether no member is here, and no join is under way."""
        return self.members.is_empty and not self.joining

    @property
    def is_void(self) -> bool:
        """Whether no member is here, both seats are empty, and no game was ever begun."""
        return self.members.is_empty and self.room.seats.empty and self.room.game is None

    @property
    def is_left(self) -> bool:
        """Whether an unfinished game waits for members that have all gone."""
        if not self.members.is_empty:
            return False
        room = self.room
        return room.status is Status.PLAYING and room.ai_to_move is None

    @property
    def left_at(self) -> int:
        """When a member was here, or something happened, for the last time, in Unix ms."""
        return max(self.room.changed_at, self.members.emptied_at)

    def left_for_s(self, now: int) -> float:
        """Return for how long no member has been here and nothing has happened."""
        return (now - self.left_at) / 1000

    def away_since(self, seat: Mark) -> int | None:
        """Return when the human of a seat lost the connection, in Unix ms; `None` if here."""
        return self.members.here(self.room.seats).away_since[seat is Mark.O]

    def address_of(self, seat: Mark) -> str:
        """Return the address of a player; that which opened the room for an AI, or one away."""
        return self.members.address_of(self.room.seats[seat]) or self.opened_from

    @property
    def left_to_move_s(self) -> float | None:
        """The time that the side to move has left on its clock; `None` without one."""
        falls_at = self.room.flag_falls_at
        return None if falls_at is None else max(0, falls_at - self._now()) / 1000

    @property
    def is_delayed(self) -> bool:
        """Whether spectators see the past."""
        return self.room.settings.delay_s > 0

    @property
    def state(self) -> RoomState:
        """The state as its players see it."""
        now = self._now()  # first, as a look at the time may set the clock of the room
        room, members = self.room, self.members
        return room_state(room, members.here(room.seats), members.spectators, now)

    @property
    def public_state(self) -> RoomState:
        """The state as all others see it."""
        if not self.is_delayed:
            return self.state
        now = self._now()  # first, as above
        room, members = self.seen, self.members
        then = now - round(room.settings.delay_s * 1000)
        return room_state(room, members.here(room.seats), members.spectators, then)

    @property
    def listed(self) -> Summary | None:
        """The room's entry in the list of rooms; `None` if it is not public."""
        return self.summary if self.room.seq and self.room.settings.public else None

    @property
    def summary(self) -> Summary:
        room, members = self.seen, self.members
        return summary(room, members.here(room.seats), members.spectators)

    def encode(self) -> bytes:
        """Return the state as its players see it, as JSON."""
        # The time first, as above; only the clock of a game shows it.
        game = self.room.game
        now = 0 if game is None or game.clock is None else self._now()
        room, members = self.room, self.members
        here = members.here(room.seats)
        return self._snapshot.encode(room, here, members.spectators, now)

    # The past, where spectators have a delay

    def put_off(self, events: Iterable[bytes], tell: Callable[[EncodedEvents], None]) -> None:
        """Show the room as it is now to spectators, after their delay.

        `tell` is called once for each state, with its events, when the state is due. Before the
        first game of a room a state is due at once.
        """
        room = self.room
        if self._past is None:
            self._past = Past(room)  # its maker is welcomed
        elif room is not self._past.latest:
            is_open = room.game is None and self._past.due is None
            delay_s = 0 if is_open else room.settings.delay_s
            self._past.add(room, tuple(events), self._loop.time() + delay_s)
        self.tell_past(tell)

    def tell_past(self, tell: Callable[[EncodedEvents], None]) -> None:
        """Call `tell` for each state that is due, and again when the next is."""
        past = self._past
        if past is None:
            return
        while (events := past.next(self._loop.time())) is not None:
            tell(events)
        self.await_past(tell)

    def await_past(self, tell: Callable[[EncodedEvents], None]) -> None:
        """Call `tell` for each state from the next that is due on."""
        if self._past is not None and self._past.due is not None and not self.awaits("past"):
            self.after(self._past.due - self._loop.time(), "past", self.tell_past, tell)

    def encode_past(self) -> bytes:
        """Return the state as spectators see it, as JSON."""
        now = self._now()  # first, as above
        past, members = self._past, self.members
        room, snapshot = (self.room, self._snapshot) if past is None else (past.seen, past.snapshot)
        then = now - round(room.settings.delay_s * 1000)
        here = members.here(room.seats)
        return snapshot.encode(room, here, members.spectators, then)

    @property
    def seen(self) -> Room:
        """The room as spectators see it now."""
        # A room that is only read has no timer that shows the next state.
        return self.room if self._past is None else self._past.at(self._loop.time())

    # Joins

    def begin_join(self, address: str) -> None:
        """Keep the room in memory for a join from this address."""
        self.joining += 1
        self.opened_from = self.opened_from or address

    def end_join(self) -> None:
        self.joining -= 1

    # Chat, and order

    @property
    def conversation(self) -> Conversation:
        """The chat, in memory as long as the room is."""
        if self._conversation is None:
            self._conversation = Conversation(self._loop.time)
        return self._conversation

    @property
    def feed(self) -> Iterable[bytes]:
        """The newest words of the chat, as a welcome tells them."""
        return () if self._conversation is None else self._conversation.feed

    @property
    def muted(self) -> tuple[SessionId, ...]:
        """The members that the host has muted."""
        return () if self._conversation is None else self._conversation.muted

    def remove(self, public_id: SessionId) -> None:
        """End the connections of a member, and keep it out for a while."""
        members = self.members.of(public_id)
        if self._removals is None:
            self._removals = Removals()
        addresses = tuple(member.address for member in members)
        self._removals.add(public_id, addresses, self._loop.time())
        for member in members:
            member.listener.dismiss(CloseCode.REMOVED)
        for member in self.members:
            if member.is_shared:
                member.listener.send(notice([public_id]))

    def keep_out(self, public_id: SessionId, address: str) -> None:
        """Keep out the address, too, at which another server served a removed member."""
        if self._removals is not None and self.is_kept_out(public_id, None):
            self._removals.add(public_id, (address,), self._loop.time())

    def is_kept_out(self, public_id: SessionId, newcomer_from: str | None) -> bool:
        """Tell whether the host has removed an applicant. See `Removals.require_admitted`."""
        if self._removals is None:
            return False
        return self._removals.left_s(public_id, newcomer_from, self._loop.time()) > 0

    def require_admitted(self, public_id: SessionId, newcomer_from: str | None) -> None:
        """Check that the host has not removed an applicant. See `Removals.require_admitted`.

        Raises:
            Refused: `not_allowed`.
        """
        if self._removals is not None:
            self._removals.require_admitted(public_id, newcomer_from, self._loop.time())

    # The pace of presence

    @property
    def presence_due_s(self) -> float:
        """The seconds until presence may be told again; negative if it may be."""
        return self._presence_at + PRESENCE_INTERVAL_S - self._loop.time()

    def note_presence_told(self) -> None:
        """Note that presence is told now."""
        self._presence_at = self._loop.time()

    # Timers

    def after(self, delay_s: float, purpose: str, call: Callable[..., None], *args: Any) -> None:
        """Call `call` once after a delay, in place of an earlier timer for the same purpose."""
        self.cancel(purpose)
        self._timers[purpose] = self._loop.call_later(delay_s, self._call, purpose, call, *args)

    def awaits(self, purpose: str) -> bool:
        """Return whether a timer for this purpose is set."""
        return purpose in self._timers

    def cancel(self, purpose: str) -> None:
        """Drop the timer for this purpose."""
        if timer := self._timers.pop(purpose, None):
            timer.cancel()

    def close(self) -> None:
        """Drop all timers."""
        for purpose in tuple(self._timers):
            self.cancel(purpose)

    def _call(self, purpose: str, call: Callable[..., None], *args: Any) -> None:
        del self._timers[purpose]
        call(*args)
