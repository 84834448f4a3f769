"""Who is told of what happens in a room: its members, and other parts of the server.

Each message to members is encoded once, for all recipients.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ttt_engine.evaluation import Evaluation
from ttt_protocol import messages
from ttt_protocol.codec import EncodedEvents, encode_message
from ttt_protocol.state import RoomName, Token, You
from ttt_server.core.moderation import is_host
from ttt_server.rooms.live_room import Delay, LiveRoom, Member, Recipient
from ttt_server.telemetry.build import SERVER

PRESENCE_INTERVAL_S = 0.5
"""At most two messages of presence a second and room: many changes become one."""


class Sender(Protocol):
    """Sends one message to many connections, as rooms see it."""

    def add(
        self, listeners: Sequence[Recipient], payload: bytes, *, is_state: bool = False
    ) -> None:
        """Send `payload` to each listener at the end of the loop's turn.

        Args:
            listeners: in the order of sending. The sequence may not change later.
            payload: the message as JSON.
            is_state: whether a later state supersedes it.
        """


class Announcer:
    """Tells the members of rooms what happens."""

    def __init__(
        self, broadcaster: Sender, on_seen: Callable[[LiveRoom], None] = lambda _: None
    ) -> None:
        """`on_seen` is called when a room with a delay shows a later state to spectators."""
        self._broadcaster = broadcaster
        self._on_seen = on_seen
        self._loop = asyncio.get_running_loop()

    def update(
        self,
        live: LiveRoom,
        events: Iterable[bytes],
        *,
        first: Member | None = None,
        besides: Member | None = None,
    ) -> bytes | None:
        """Tell everyone what was committed, and the state after it.

        Args:
            live: the room.
            events: as JSON, as in the log.
            first: the member told before the others, as it waits for the answer.
            besides: a member that is not told, as its welcome has the same.

        Returns:
            The state as JSON; `None` if nobody was told.
        """
        recipients = live.members.recipients(first)
        if not live.is_plain and live.room.settings.delay_s:
            events = tuple(events)
            watching = live.members.watching
            recipients = tuple(each for each in recipients if each not in watching)
            self._put_off(live, events)
        if besides is not None:
            recipients = tuple(each for each in recipients if each is not besides.listener)
        if not recipients:
            return None
        state = live.encode()
        self._broadcaster.add(recipients, messages.encode_update(events, state), is_state=True)
        return state

    def welcome(self, member: Member, token: Token, told: bytes | None = None) -> None:
        """Welcome a new member, and tell everyone who is here now.

        Args:
            member: the new one.
            token: proves the member's identity: it owns a seat, or only watches.
            told: the state, if `update` has just returned it.
        """
        live, session = member.live, member.session
        now = live.now()
        is_own = is_host(live.room, member.public_id)
        you = You(
            id=session,
            role=member.role,
            seat=live.room.seats.of(session),
            name=member.name,
            token=None if session is None else token,
            from_=member.public_id,
            host=True if is_own else None,
            watch=token if session is None else None,
        )
        room = self._encoded(member, told)
        feed = live.chat.feed if live.has_chat else ()
        muted = live.chat.muted if is_own and live.has_chat else ()
        welcome = messages.encode_welcome(SERVER, you, room, now, feed, muted)
        if not self._presence_is_due(live):
            member.listener.send(welcome)
            return
        presence = self._presence_now(live)
        member.listener.send(welcome, presence)  # one write, which costs more than encoding
        others = [each for each in live.members.recipients() if each is not member.listener]
        if others:
            self._broadcaster.add(others, presence)

    def repeat(self, member: Member) -> None:
        """Tell one member the state: its command had been carried out before."""
        member.listener.send(messages.encode_update((), self._encoded(member)), is_state=True)

    def _encoded(self, member: Member, told: bytes | None = None) -> bytes:
        """Return the state as a member may see it. `told`: see `welcome`."""
        live = member.live
        if member.session is not None or not live.room.settings.delay_s:
            return told or live.encode()
        encoded = live.encode_seen()
        if live.delay is not None:
            self._await_delay(live, live.delay)
        return encoded

    # Spectators with a delay

    def _put_off(self, live: LiveRoom, events: EncodedEvents) -> None:
        """Show the room as it is now to spectators, after their delay.

        Before the first game of a room each state is shown at once.
        """
        room, delay = live.room, live.delay
        if delay is None:
            live.delay = Delay(room)  # its maker is welcomed
            return
        if room is not delay.latest:
            is_open = room.game is None and delay.due is None
            delay_s = 0 if is_open else room.settings.delay_s
            delay.add(room, events, self._loop.time() + delay_s)
        self._tell_delayed(live, delay)

    def _tell_delayed(self, live: LiveRoom, delay: Delay) -> None:
        """Tell spectators each state that is due, and again when the next one is."""
        while (events := delay.next(self._loop.time())) is not None:
            if recipients := live.members.watching:
                payload = messages.encode_update(events, live.encode_seen())
                self._broadcaster.add(recipients, payload, is_state=True)
            self._on_seen(live)
        self._await_delay(live, delay)

    def _await_delay(self, live: LiveRoom, delay: Delay) -> None:
        if delay.due is not None and "delay" not in live.timers:
            due_s = delay.due - self._loop.time()
            live.timers.set(due_s, "delay", self._tell_delayed, live, delay)

    # What is not kept in the log

    def hint(self, member: Member, evaluation: Evaluation) -> None:
        """Tell one member the value of its position."""
        values = {str(cell): value for cell, value in evaluation.values.items()}
        hint = messages.Hint(best=evaluation.best, values=values, reason=evaluation.reason)
        member.listener.send(encode_message(hint))

    def say(self, member: Member, text: str) -> bool:
        """Tell everyone what a member says; return `False` if the room says too much."""
        live = member.live
        recipients = live.members.recipients()
        if not live.chat.may_say(len(recipients)):
            return False
        said = messages.Said(
            name=member.name, role=member.role, text=text, from_=member.public_id, at=live.now()
        )
        payload = encode_message(said)
        live.chat.add(member.public_id, payload)
        self._broadcaster.add(recipients, payload)
        return True

    def clear(self, live: LiveRoom) -> None:
        """Forget what was said, and tell everyone."""
        live.chat.clear()
        self._broadcaster.add(live.members.recipients(), encode_message(messages.Cleared()))

    def presence(self, live: LiveRoom) -> None:
        """Tell everyone who is here: now, or as soon as the pace allows."""
        if self._presence_is_due(live):
            self._tell_presence(live)

    def _presence_is_due(self, live: LiveRoom) -> bool:
        """Return whether to tell presence now; if not, schedule it."""
        if live.members.is_empty:
            live.timers.cancel("presence")
        elif "presence" not in live.timers:
            due_s = live.presence_at + PRESENCE_INTERVAL_S - self._loop.time()
            if due_s <= 0:
                return True
            live.timers.set(due_s, "presence", self._tell_presence, live)
        return False

    def _tell_presence(self, live: LiveRoom) -> None:
        self._broadcaster.add(live.members.recipients(), self._presence_now(live))

    def _presence_now(self, live: LiveRoom) -> bytes:
        live.presence_at = self._loop.time()
        here = live.members.here(live.room.seats)
        return messages.encode_presence(here.X, here.O, live.members.spectators)


class Observers:
    """The other parts of the server that hear of changes, once members have been told."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[RoomName], None]] = []
        self._of_room: dict[RoomName, Callable[[LiveRoom], None]] = {}
        self._on_end: list[Callable[[LiveRoom], None]] = []
        self._on_presence: list[Callable[[LiveRoom], None]] = []

    def subscribe(self, call: Callable[[RoomName], None]) -> None:
        """Call `call` with the name of each room whose summary may have changed."""
        self._subscribers.append(call)

    def observe(self, name: RoomName, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` after each change of one room."""
        self._of_room[name] = call

    def ignore(self, name: RoomName) -> None:
        """Stop observing a room."""
        self._of_room.pop(name, None)

    def is_observed(self, name: RoomName) -> bool:
        return name in self._of_room

    def call_on_end(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room in which a game has ended."""
        self._on_end.append(call)

    def call_on_presence(self, call: Callable[[LiveRoom], None]) -> None:
        """Call `call` with each room whose members came or went."""
        self._on_presence.append(call)

    def changed(self, live: LiveRoom) -> None:
        """Report a change."""
        if self._of_room and (observer := self._of_room.get(live.room.name)) is not None:
            observer(live)
        for call in self._subscribers:
            call(live.room.name)

    def entered(self, live: LiveRoom) -> None:
        """Report that members came or went, and nothing else changed."""
        for look in self._on_presence:
            look(live)
        self.seen(live)

    def seen(self, live: LiveRoom) -> None:
        """Report that a room looks different, though nothing has happened in it."""
        for call in self._subscribers:
            call(live.room.name)

    def ended(self, live: LiveRoom) -> None:
        """Report the end of a game."""
        for call in self._on_end:
            call(live)
