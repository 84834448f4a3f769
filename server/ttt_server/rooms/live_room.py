"""A room in memory: the value, its lock, who is here to hear of it, and its timers."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from pydantic import BaseModel

from ttt_engine.evaluation import Evaluation
from ttt_protocol.codec import encode_message
from ttt_protocol.codec.encode_fast import update_head, welcome_head
from ttt_protocol.codes import CloseCode
from ttt_protocol.messages import Hint, Presence, Said
from ttt_protocol.state import (
    BySeat,
    Human,
    Mark,
    Player,
    Role,
    RoomName,
    RoomState,
    SessionId,
    Summary,
    Token,
    You,
)
from ttt_server import SERVER
from ttt_server.concurrency.callback_lock import CallbackLock
from ttt_server.core.room import Room, Seats
from ttt_server.core.snapshot import Here, Snapshot, room_state, summary
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport.broadcast import Broadcaster
from ttt_server.transport.frames import text_frame

PRESENCE_INTERVAL_S = 0.5
"""At most two messages of presence a second and room: many changes become one."""

SAID_PER_S = 5000
"""What all say in one room, counted once for everyone who hears it."""
_SAID_AT_ONCE = 20_000

_FEW = 8
"""Spectators who are told of a move together with the other rooms; a crowd is told at once, as its
frames go out one right after the other anyway."""


class Listener(Protocol):
    """What a room needs of a connection: a way to tell it things that never waits."""

    def post(self, frame: bytes, is_state: bool = False) -> None:
        """Now: what waits for the end of the round, of whatever room, goes before it.

        Args:
            frame: with a whole message; or several, one after the other.
            is_state: whether it is the state of the room, and a later one makes it worthless.
        """

    def dismiss(self, code: CloseCode) -> None: ...


@dataclass(eq=False, slots=True)
class Member:
    """Someone in a room: a player by their session, or a spectator, who has none."""

    listener: Listener
    live: "LiveRoom"
    name: str
    session: SessionId | None = None

    @property
    def role(self) -> Role:
        return Role.SPECTATOR if self.session is None else Role.PLAYER


class LiveRoom:
    """Whoever changes `room` holds `lock`. `now` gives the Unix time in ms."""

    __slots__ = (
        "_absent_since",
        "_gone_at",
        "_known_here",
        "_loop",
        "_now",
        "_orders",
        "_players",
        "_spectators",
        "_talk",
        "_timers",
        "_told_presence_at",
        "_view",
        "_writes",
        "changed_at",
        "emptied_at",
        "is_empty",
        "is_stale",
        "joining",
        "lock",
        "made_from",
        "opened_from",
        "room",
        "set_by",
    )

    def __init__(self, name: RoomName, now: Callable[[], int], writes: Broadcaster) -> None:
        self.room = Room(name)
        self.lock = CallbackLock()
        self.is_stale = True
        """Whether the log may be ahead of `room`: it was not read yet, or a write has not ended."""
        self.changed_at = 0.0
        """When the room last changed, on the loop's clock."""
        self.emptied_at = 0
        """When the last member went, in Unix ms."""
        self.made_from = ""
        """The address that makes the room, or made it; empty if it was read from the log."""
        self.opened_from = ""
        """The address from which it came into memory; empty if nobody was there for it."""
        self.set_by = 0
        """By how many ms its clock was set, all in all."""
        self.is_empty = True
        """Whether nobody is here."""
        self.joining = 0
        """How many are at the door: the room must not be forgotten under their hands."""
        self._now = now
        self._writes = writes
        self._loop = asyncio.get_running_loop()
        self._view = Snapshot()
        self._absent_since = now()
        """Who has a place and was never here since then has been gone for so long, in Unix ms."""
        self._players: dict[SessionId, Member] = {}
        self._spectators: set[Member] = set()
        self._gone_at: dict[SessionId, int] = {}
        """Of those who have a place here to come back to, in Unix ms."""
        self._told_presence_at = -PRESENCE_INTERVAL_S
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._talk: TokenBucket | None = None
        """What may be said here, if anything ever was."""
        self._known_here: tuple[Seats, Here | None] = self.room.seats, None
        self._orders: dict[Member | None, tuple[Listener, ...]] = {}
        """Those of all members, by who is told first, as they were asked for since somebody came or
        went."""

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is here, and nobody at the door."""
        return self.is_empty and not self.joining

    @property
    def is_void(self) -> bool:
        """Whether nobody is here, nobody sits here, and nothing was played."""
        return self.is_empty and self.room.seats.empty and self.room.game is None

    @property
    def members(self) -> Iterator[Member]:
        return chain(self._players.values(), self._spectators)

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Of all members."""
        if None not in self._orders:
            self._orders[None] = tuple(member.listener for member in self.members)
        return self._orders[None]

    @property
    def spectators(self) -> int:
        return len(self._spectators)

    @property
    def state(self) -> RoomState:
        now = self._now()  # first, as to look at it may set the clock of the room
        return room_state(self.room, self._here, self.spectators, now)

    @property
    def summary(self) -> Summary:
        return summary(self.room, self.spectators)

    def gone_since(self, seat: Mark) -> int | None:
        """When the human of a seat lost their connection, in Unix ms; null if they have it."""
        player = self.room.seats[seat]
        if not isinstance(player, Human) or self._is_here(player):
            return None
        return self._gone_at.get(player.id, self._absent_since)

    @property
    def left_to_move_s(self) -> float | None:
        """What the side to move has left on its clock; null without one."""
        falls_at = self.room.flag_falls_at
        return None if falls_at is None else max(0, falls_at - self._now()) / 1000

    def enter(self, member: Member) -> None:
        """Lets a member in; an older connection of the same session has to go."""
        if member.session is None:
            self._spectators.add(member)
        else:
            self._enter_player(member, member.session)
        self._others_are_here()

    def _enter_player(self, member: Member, session: SessionId) -> None:
        seat = self.room.seat_of(session)
        if seat is not None and (player := self.room.seats[seat]) is not None:
            member.name = player.name  # whoever returns has their old name back
        if before := self._players.get(session):
            before.listener.dismiss(CloseCode.SEAT_TAKEN_OVER)
        self._players[session] = member
        self._gone_at.pop(session, None)

    def exit(self, member: Member) -> bool:
        """Forgets a member; false if they are a player and have no place, or a newer one has it."""
        now = self._now()
        if member.session is None:
            self._spectators.discard(member)
        elif self._players.get(member.session) is member:
            del self._players[member.session]
            gone_at, has_place = self._gone_at | {member.session: now}, self.room.has_place_of
            self._gone_at = {session: at for session, at in gone_at.items() if has_place(session)}
        else:
            return False
        self.emptied_at = now
        self._others_are_here()
        return True

    def was_left(self, at: int) -> None:
        """Everyone has been gone since `at`, in Unix ms: it was in memory before."""
        self.emptied_at = at
        self._absent_since = min(self._absent_since, at)

    def after(self, delay_s: float, what: str, call: Callable[..., None], *args: Any) -> None:
        """Calls `call` once, later; in place of what was to be called for the same `what`."""
        self.cancel(what)
        self._timers[what] = self._loop.call_later(delay_s, self._call, what, call, *args)

    def awaits(self, what: str) -> bool:
        """Whether there is something to be called for `what`."""
        return what in self._timers

    def cancel(self, what: str) -> None:
        """Calls nothing for `what`."""
        if timer := self._timers.pop(what, None):
            timer.cancel()

    def shift(self, by: int) -> None:
        """The time of the machine was set by so many ms: nobody has lived through them."""
        self.room = self.room.with_clock_shifted(by)
        self.set_by += by
        self.emptied_at += by if self.emptied_at else 0
        self._absent_since += by
        self._gone_at = {session: at + by for session, at in self._gone_at.items()}

    def reset(self) -> None:
        """The log is gone: there is no such room."""
        self.room = Room(self.room.name)

    def close(self) -> None:
        """Ends the timers."""
        for what in tuple(self._timers):
            self.cancel(what)

    def welcome(self, member: Member, token: Token | None) -> None:
        """Tells a new member who they are here, and the state; and everyone that somebody came."""
        session = member.session
        seat = self.room.seat_of(session)
        you = You(id=session, role=member.role, seat=seat, name=member.name, token=token)
        head = welcome_head(SERVER, you)
        welcome, presence = text_frame(self._with_state(head)), self._due_presence()
        member.listener.post(welcome + presence)  # one write: most of the time it takes to tell
        if presence:
            self._tell(presence, besides=member.listener)

    def tell_presence(self) -> None:
        """Tells everyone who is here, as someone went: now, or as soon as it may be."""
        if presence := self._due_presence():
            self._tell(presence)

    def publish(
        self,
        events: Iterable[bytes],
        first: Member | None = None,
        *,
        besides: Member | None = None,
    ) -> None:
        """Tells everyone what was committed, in the same bytes.

        Args:
            events: as JSON, as they were kept.
            first: who is told before the others, as they wait for it.
            besides: who is not told, as they hear of it otherwise.
        """
        self.changed_at = self._loop.time()
        listeners = self._orders.get(first) or self._order(first)
        if besides is not None:
            listeners = tuple(each for each in listeners if each is not besides.listener)
        if not listeners:
            return
        frame = text_frame(self._with_state(update_head(events)))
        if len(self._spectators) <= _FEW:
            self._writes.add(listeners, frame)
            return
        for listener in listeners:
            listener.post(frame, True)

    def say(self, member: Member, text: str) -> bool:
        """Tells everyone what a member says; false if too much is said to so many."""
        now = self._loop.time()
        if self._talk is None:
            self._talk = TokenBucket(SAID_PER_S, _SAID_AT_ONCE, now)
        if not self._talk.spend(now, min(len(self.listeners), _SAID_AT_ONCE)):
            return False
        self._tell(_frame(Said(name=member.name, role=member.role, text=text)))
        return True

    def show(self, member: Member) -> None:
        """Tells one member the state: what they sent was committed before."""
        member.listener.post(text_frame(self._with_state(update_head(()))), True)

    def hint(self, member: Member, evaluation: Evaluation) -> None:
        """Tells one member what was found about their position."""
        values = {str(cell): value for cell, value in evaluation.values.items()}
        hint = Hint(best=evaluation.best, values=values, reason=evaluation.reason)
        member.listener.post(_frame(hint))

    def _with_state(self, head: bytes) -> bytes:
        """The message that begins so and ends with the state, as JSON."""
        # The time first: to look at it may find that the clock of the room has to be set.
        now = 0 if self.room.settings.clock is None else self._now()  # nothing else shows it
        room, (seats, here) = self.room, self._known_here
        if here is None or seats is not room.seats:
            here = self._here
        return self._view.encode(room, here, len(self._spectators), now, head=head)

    @property
    def _here(self) -> Here:
        seats = self.room.seats
        here = Here(self._is_here(seats.X), self._is_here(seats.O))
        self._known_here = seats, here
        return here

    def _order(self, first: Member | None) -> tuple[Listener, ...]:
        """The listeners of all members, that of `first` before the others."""
        listeners = self.listeners
        if first is not None and first.listener in listeners:
            others = (each for each in listeners if each is not first.listener)
            self._orders[first] = listeners = first.listener, *others
        return listeners

    def _others_are_here(self) -> None:
        """Somebody came or went: what follows from who is here may be something else."""
        self._known_here = self.room.seats, None
        self._orders.clear()
        self.is_empty = not self._players and not self._spectators

    def _is_here(self, player: Player | None) -> bool:
        if player is None:
            return False
        return player.id is None or player.id in self._players  # an AI has none, and is here

    def _due_presence(self) -> bytes:
        """Who is here, to be told now; nothing if everyone will be told in time."""
        if self.is_empty:
            self.cancel("presence")
        elif not self.awaits("presence"):
            due = self._told_presence_at + PRESENCE_INTERVAL_S
            wait = due - self._loop.time()
            if wait <= 0:
                return self._presence()
            self.after(wait, "presence", self._tell_presence)
        return b""

    def _tell_presence(self) -> None:
        self._tell(self._presence())

    def _presence(self) -> bytes:
        """Who is here: to be told now, as it is not told again for a while."""
        self._told_presence_at = self._loop.time()
        here = self._here
        seats = BySeat(X=here.X, O=here.O)
        return _frame(Presence(seats=seats, spectators=self.spectators))

    def _tell(self, frame: bytes, *, besides: Listener | None = None) -> None:
        for listener in self.listeners:
            if listener is not besides:
                listener.post(frame)

    def _call(self, what: str, call: Callable[..., None], *args: Any) -> None:
        del self._timers[what]
        call(*args)


def _frame(message: BaseModel) -> bytes:
    return text_frame(encode_message(message))
