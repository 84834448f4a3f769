"""A room in memory, and who is in it."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import Protocol

from ttt_protocol import state as wire
from ttt_protocol.codec import EncodedEvents
from ttt_protocol.codes import CloseCode
from ttt_server.concurrency.deadlines import NamedTimers
from ttt_server.core.room import NO_OFFERS, Room, Seats
from ttt_server.core.snapshot import Here, StateEncoder, room_state, summary
from ttt_server.limits.expiring_keys import ExpiringKeys
from ttt_server.rooms.chat import Chat
from ttt_server.rooms.removals import Removals


class Delay:
    """What spectators of a room with a delay see: each state once it is old enough."""

    __slots__ = ("_coming", "latest", "seen", "snapshot")

    def __init__(self, seen: Room) -> None:
        self.seen = seen
        """The newest state that was shown."""
        self.latest = seen
        """The newest state of all."""
        self.snapshot = StateEncoder()
        self._coming: deque[tuple[float, Room, EncodedEvents]] = deque()

    def add(self, room: Room, events: EncodedEvents, due: float) -> None:
        """Show a state, and the events before it, from `due` on, on the loop's clock."""
        self.latest = room
        self._coming.append((due, room, events))

    def next(self, now: float) -> EncodedEvents | None:
        """Show the next state that is due, and return its events; `None` if there is none."""
        if not self._coming or self._coming[0][0] > now:
            return None
        _, self.seen, events = self._coming.popleft()
        return events

    def at(self, now: float) -> Room:
        """Return the newest state that is old enough, whether it was told or not."""
        old_enough = [room for due, room, _ in self._coming if due <= now]
        return old_enough[-1] if old_enough else self.seen

    @property
    def due(self) -> float | None:
        """When the next state is due; `None` if there is none."""
        return self._coming[0][0] if self._coming else None


RENAME_S = 5.0
"""The least time between two names of one member."""

_MOST_RENAMED = 64
"""Members of one room that wait for another name."""

_MOST_OWNERS = 4
"""The players, and those whose seats an AI holds."""


class Recipient(Protocol):
    """A connection as rooms see it. Neither call waits."""

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        """Send messages in one write, after all that was given to the broadcaster before.

        Args:
            payloads: each message as JSON.
            is_state: whether it is a single state that a later one supersedes.
        """

    def dismiss(self, code: CloseCode, *, words: str = "") -> None:
        """Say goodbye, in `words` or those of the code, and close."""

    @property
    def is_dismissed(self) -> bool:
        """Whether the goodbye was said."""

    @property
    def is_behind(self) -> bool:
        """Whether the peer is not reading, so that more would have to wait."""


@dataclass(eq=False, slots=True)
class Member:
    """A connection in a room: a player by the session, or a spectator, who has none."""

    listener: Recipient
    live: "LiveRoom"
    name: str
    session: wire.SessionId | None = None
    watcher: wire.SessionId | None = None
    """The identity of a spectator, which outlives the connection; `None` for a player."""
    address: str = ""

    @property
    def role(self) -> wire.Role:
        return wire.Role.SPECTATOR if self.session is None else wire.Role.PLAYER

    @property
    def public_id(self) -> wire.SessionId:
        """The id that everyone may know: `from` on the wire."""
        return self.session or self.watcher or wire.SessionId("")


_UNKNOWN = None, Here(False, False)
"""Stands for the seats of no room."""


@dataclass(eq=False, repr=False, slots=True)
class Members:
    """The members of one room, in memory only. Times are Unix ms, unless they end in `_s`."""

    _absent_since: int
    """Owners of seats not seen since the room was loaded count as away from here."""
    is_empty: bool = True
    spectators: int = 0
    """The number of spectators."""
    emptied_at: int = 0
    """When the last member went; 0 if none ever was here."""
    _players: dict[wire.SessionId, Member] = field(default_factory=dict)
    _spectators: set[Member] = field(default_factory=set)
    _gone_at: dict[wire.SessionId, int] = field(default_factory=dict)
    """When each absent owner of a seat went."""
    _renamed: ExpiringKeys[wire.SessionId] | None = None
    """`None` until a member takes another name."""
    _here: tuple[Seats | None, Here] = _UNKNOWN
    """Cache: which of these seats are here. Cleared when anyone enters or leaves, and when a time
    changes."""
    _recipients: dict[Member | None, tuple[Recipient, ...]] = field(default_factory=dict)
    """Cache: the recipients in order, by the member that goes first. Cleared likewise."""

    def __iter__(self) -> Iterator[Member]:
        return chain(self._players.values(), self._spectators)

    def of(self, public_id: wire.SessionId) -> tuple[Member, ...]:
        """Return the members with this public id: a player, or a spectator's connections."""
        return tuple(member for member in self if member.public_id == public_id)

    def enter(self, member: Member) -> None:
        """Add a member, and dismiss an older connection of the same session."""
        session = member.session
        if session is None:
            self._spectators.add(member)
            self.spectators = len(self._spectators)
        else:
            if before := self._players.get(session):
                before.listener.dismiss(CloseCode.SEAT_TAKEN_OVER)
            self._players[session] = member
            self._gone_at.pop(session, None)
        self._clear_caches()

    def exit(self, member: Member, room: Room, now: int) -> bool:
        """Remove a member; return `False` if a newer connection has taken its place."""
        session = member.session
        if session is None:
            self._spectators.discard(member)
            self.spectators = len(self._spectators)
        elif self._players.get(session) is member:
            del self._players[session]
            self._note_gone(session, room, now)
        else:
            return False
        self.emptied_at = now
        self._clear_caches()
        return True

    def rename(self, member: Member, name: str, now_s: float) -> None:
        """Rename a member, and put the name on cooldown."""
        member.name = name
        if self._renamed is None:
            self._renamed = ExpiringKeys(_MOST_RENAMED)
        self._renamed.add(member.public_id, now_s + RENAME_S)

    def rename_due_s(self, public_id: wire.SessionId, now_s: float) -> float:
        """Return the seconds until a member may take another name."""
        return 0 if self._renamed is None else self._renamed.left_s(public_id, now_s)

    def away_since(self, session: wire.SessionId | None) -> int | None:
        """Return when the owner of a seat went; `None` if here, and for an AI."""
        if session is None or session in self._players:
            return None
        return self._gone_at.get(session, self._absent_since)

    def address_of(self, player: wire.Player | None) -> str:
        """Return the address of a human who is here; empty otherwise."""
        if player is None or player.id is None or player.id not in self._players:
            return ""
        return self._players[player.id].address

    def were_last_here(self, at: int) -> None:
        """Note that everyone has been gone since `at`: the room was in memory before."""
        self.emptied_at = at
        self._absent_since = min(self._absent_since, at)
        self._here = _UNKNOWN

    def may_have_been_here(self, until: int) -> None:
        """Count the room as empty since `until`, unless a member is known to have left later."""
        self.emptied_at = self.emptied_at or until

    def shift(self, by: int) -> None:
        """Shift all times by `by` ms, as the machine's clock was set."""
        self.emptied_at += by if self.emptied_at else 0
        self._absent_since += by
        self._gone_at = {session: at + by for session, at in self._gone_at.items()}
        self._here = _UNKNOWN

    def here(self, seats: Seats) -> Here:
        """Return which of these seats have a connected player."""
        known, here = self._here
        if known is not seats:
            x_id, o_id = seats.ids
            x_since, o_since = away_since = self.away_since(x_id), self.away_since(o_id)
            x_is_here = seats.X is not None and x_since is None
            o_is_here = seats.O is not None and o_since is None
            here = Here(x_is_here, o_is_here, away_since)
            self._here = seats, here
        return here

    def recipients(self, first: Member | None = None) -> tuple[Recipient, ...]:
        """Return the connections of all members, `first` before the others."""
        recipients = self._recipients.get(first)
        if recipients is None:
            recipients = tuple(member.listener for member in self)
            if first is not None and first.listener in recipients:
                others = (each for each in recipients if each is not first.listener)
                recipients = first.listener, *others
            if first is None or recipients[:1] == (first.listener,):
                self._recipients[first] = recipients
        return recipients

    @property
    def watching(self) -> tuple[Recipient, ...]:
        """The connections of all spectators."""
        return tuple(member.listener for member in self._spectators)

    def _note_gone(self, session: wire.SessionId, room: Room, now: int) -> None:
        self._gone_at[session] = now
        if len(self._gone_at) > _MOST_OWNERS:
            owners = filter(room.has_place_of, self._gone_at)
            self._gone_at = {each: self._gone_at[each] for each in owners}

    def _clear_caches(self) -> None:
        self._here = _UNKNOWN
        self._recipients.clear()
        self.is_empty = not self._players and not self.spectators


class CallbackLock:
    """A lock in first-come order, for callbacks (`then`) and tasks (`acquire`) alike."""

    __slots__ = ("_is_held", "_is_releasing", "_waiters")

    def __init__(self) -> None:
        self._is_held = False
        self._is_releasing = False
        self._waiters: deque[Callable[[], None]] | None = None
        """Waiting callbacks, next first. Most locks never have any."""

    def locked(self) -> bool:
        """Return whether the lock is held."""
        return self._is_held

    def then(self, call: Callable[[], None]) -> None:
        """Call `call` with the lock held: now if it is free, else in turn.

        The callback, or what it starts, must `release` the lock.
        """
        if not self._is_held:
            self._is_held = True
            call()
        elif self._waiters is None:
            self._waiters = deque([call])
        else:
            self._waiters.append(call)

    async def acquire(self) -> None:
        """Wait for the lock."""
        turn = asyncio.get_running_loop().create_future()

        def begin() -> None:
            if turn.done():
                self.release()  # the task was cancelled
            else:
                turn.set_result(None)

        self.then(begin)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.release()  # the lock came together with the cancellation
            raise

    def release(self) -> None:
        """Hand the lock to the next waiter, if there is one."""
        self._is_held = False
        if not self._waiters or self._is_releasing:
            return  # a re-entrant release: the loop below calls the next waiter
        self._is_releasing = True
        try:
            while self._waiters and not self._is_held:
                self._is_held = True
                self._waiters.popleft()()
        finally:
            self._is_releasing = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()


@dataclass(eq=False, repr=False, slots=True)
class LiveRoom:
    """A room in memory. Only the holder of `lock` may change its value, except by `shift`."""

    room: Room
    """At first one of which nothing is known yet."""
    now: Callable[[], int]
    """Returns the Unix time in ms. A look at it may set the clock of the room."""
    members: Members = field(init=False)
    lock: CallbackLock = field(default_factory=CallbackLock)
    timers: NamedTimers = field(default_factory=NamedTimers)
    delay: Delay | None = None
    """`None` where spectators see the present, or nothing has happened here yet."""
    is_stale: bool = True
    """Whether the log may be ahead of `room`: it was not read yet, or a write is under way."""
    has_persons: bool = False
    """Whether a person has had a seat while the room was in memory. Only joins bring them."""
    is_followed: bool = False
    """Whether everyone whom a move concerns is here. See `Feed`."""
    is_plain: bool = False
    """Whether a change needs only a write: no person and no setting asks for more."""
    snapshot_seq: int = 0
    """The number of the last event before the newest snapshot in the log, as far as known."""
    changed_at: float = 0.0
    """When the room last changed, on the loop's clock."""
    presence_at: float = -inf
    """When presence was last told, on the loop's clock."""
    opened_from: str = ""
    """The address whose join loaded the room; empty if no join did."""
    joining: int = 0
    """The number of joins under way, for which the room must stay in memory."""
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _shift: int = 0
    """By how many ms the room's clock was set since the last write began."""
    _snapshot: StateEncoder = field(default_factory=StateEncoder)
    _chat: Chat | None = None
    _removals: Removals | None = None

    def __post_init__(self) -> None:
        self.members = Members(self.now())

    # The value

    def begin_write(self) -> None:
        """Note that the log may be ahead from now on: the outcome of the write may get lost."""
        self.is_stale = True
        self._shift = 0

    def advance(self, after: Room) -> None:
        """Become `after`, which followed from the value at `begin_write` and is on disk now."""
        self.room = after.with_clock_shifted(self._shift) if self._shift else after
        self.changed_at = self._loop.time()
        self.is_stale = False

    def note_kind(self, room: Room) -> None:
        """Note who sits in `room`, and whether it is a plain one."""
        self.has_persons = self.has_persons or room.has_persons
        self.is_plain = not self.has_persons and room.settings is wire.DEFAULT_SETTINGS

    def follow(self, room: Room) -> None:
        """Become `room`, as read from the log."""
        self.room = room
        self.note_kind(room)
        self.is_stale = False
        self.changed_at = self._loop.time()
        delay_s = room.settings.delay_s
        if delay_s and self.delay is None:
            age_s = (self.now() - room.changed_at) / 1000
            # Hide the game at first: how much of it spectators had seen is unknown.
            self.delay = Delay(room.replace(game=None, offers=NO_OFFERS, seq=0))
            self.delay.add(room, (), self._loop.time() + delay_s - age_s)

    def reset(self) -> None:
        """Become a room of which nothing is known, as its log was deleted."""
        self.room = Room(self.room.name)
        self.snapshot_seq = 0
        self.delay = None

    def shift(self, by: int) -> None:
        """Give `by` ms back to the game's clock: the machine's clock was set by that much.

        Needs no lock: a write under way is shifted in `advance`.
        """
        self.room = self.room.with_clock_shifted(by)
        self._shift += by
        self.members.shift(by)

    # Its parts that few rooms need

    @property
    def chat(self) -> Chat:
        """The chat, in memory as long as the room is."""
        if self._chat is None:
            self._chat = Chat(self._loop.time)
        return self._chat

    @property
    def has_chat(self) -> bool:
        """Whether anything was said here, or anyone muted."""
        return self._chat is not None

    @property
    def removals(self) -> Removals:
        """The members whom the host removed."""
        if self._removals is None:
            self._removals = Removals(self._loop.time)
        return self._removals

    @property
    def has_removals(self) -> bool:
        """Whether the host ever removed a member."""
        return self._removals is not None

    # Who is here

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
        """Whether all members have left an unfinished game that does not wait for them."""
        room = self.room
        if not self.members.is_empty or room.settings.days is not None:
            return False
        return room.status is wire.Status.PLAYING and room.ai_to_move is None

    @property
    def left_at(self) -> int:
        """When a member was last here or something last happened, in Unix ms."""
        return max(self.room.changed_at, self.members.emptied_at)

    def away_since(self, seat: wire.Mark) -> int | None:
        """Return when the human of a seat lost the connection, in Unix ms; `None` if here."""
        return self.members.here(self.room.seats).away_since[seat is wire.Mark.O]

    @property
    def everyone_is_here(self) -> bool:
        """Whether no human of a seat has lost the connection."""
        return self.members.here(self.room.seats).away_since == (None, None)

    def address_of(self, seat: wire.Mark) -> str:
        """Return a player's address; for an AI or an absent player, that which loaded the room."""
        return self.members.address_of(self.room.seats[seat]) or self.opened_from

    # Views

    @property
    def left_to_move_s(self) -> float | None:
        """The time left on the clock of the side to move; `None` without a clock."""
        falls_at = self.room.flag_falls_at
        return None if falls_at is None else max(0, falls_at - self.now()) / 1000

    @property
    def state(self) -> wire.RoomState:
        """The state as its players see it."""
        now = self.now()  # first, as a look at the time may set the clock of the room
        room, members = self.room, self.members
        return room_state(room, members.here(room.seats), members.spectators, now)

    @property
    def public_state(self) -> wire.RoomState:
        """The state as all others see it."""
        now = self.now()  # first, as above
        room, members = self.seen, self.members
        then = now - round(room.settings.delay_s * 1000)
        return room_state(room, members.here(room.seats), members.spectators, then)

    @property
    def is_public(self) -> bool:
        """Whether the list of rooms has it."""
        return self.room.seq > 0 and self.room.settings.public

    @property
    def summary(self) -> wire.Summary:
        """What the list of rooms says of it."""
        room, members = self.seen, self.members
        return summary(room, members.here(room.seats), members.spectators)

    @property
    def seen(self) -> Room:
        """The room as spectators see it now."""
        # A room that is only read has no timer that shows the next state.
        return self.room if self.delay is None else self.delay.at(self._loop.time())

    def encode(self) -> bytes:
        """Return the state as its players see it, as JSON."""
        room, now = self.room, 0
        if room.game is not None and room.game.clock is not None:
            now = self.now()
            room = self.room  # after the look at the time, as above
        members = self.members
        return self._snapshot.encode(room, members.here(room.seats), members.spectators, now)

    def encode_seen(self) -> bytes:
        """Return the state that spectators were shown last, as JSON."""
        if self.delay is None:
            return self.encode()
        now = self.now()  # first, as above
        room, members = self.delay.seen, self.members
        then = now - round(room.settings.delay_s * 1000)
        here = members.here(room.seats)
        return self.delay.snapshot.encode(room, here, members.spectators, then)
