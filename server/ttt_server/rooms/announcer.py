"""The messages of a room to its members: each message is encoded once, for all its recipients."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from ttt_engine.evaluation import Evaluation
from ttt_protocol.codec import EncodedEvents, encode_message
from ttt_protocol.codec.encode_fast import (
    encode_presence,
    encode_update,
    encode_welcome,
    encode_you,
)
from ttt_protocol.messages import Cleared, Hint, Said
from ttt_protocol.state import Token
from ttt_server.core.moderation import is_host
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.members import Listener, Member
from ttt_server.telemetry.build import SERVER


class Broadcaster(Protocol):
    """Sends one message to many connections, as rooms see it."""

    def add(self, listeners: Sequence[Listener], payload: bytes, *, is_state: bool = False) -> None:
        """Send `payload` to each listener at the end of the loop's turn.

        Args:
            listeners: in the order in which they are sent it. The sequence may not change later.
            payload: the message as JSON.
            is_state: whether it is a state that a later one makes worthless.
        """


class Announcer:
    """Tells the members of rooms what happens. The rooms tell it to whom, and at what pace."""

    def __init__(
        self, broadcaster: Broadcaster, on_seen: Callable[[LiveRoom], None] = lambda _: None
    ) -> None:
        """`on_seen` is called when a room with a delay shows a later state to spectators."""
        self._broadcaster = broadcaster
        self._on_seen = on_seen

    def update(
        self,
        live: LiveRoom,
        events: Iterable[bytes],
        *,
        first: Member | None = None,
        besides: Member | None = None,
    ) -> bytes | None:
        """Tell everyone what was committed, and the state after it, which is returned.

        Args:
            live: the room.
            events: as JSON, as the log has them.
            first: the member that is told before the others, as it waits for the answer.
            besides: the member that is not told, as a welcome tells it.

        Returns:
            The state as JSON; `None` if nobody is told.
        """
        recipients = live.members.recipients(first)
        if live.is_delayed:
            events = tuple(events)
            watching = live.members.watching
            recipients = tuple(each for each in recipients if each not in watching)
            live.put_off(events, partial(self._tell_past, live))
        if besides is not None:
            recipients = tuple(each for each in recipients if each is not besides.listener)
        if not recipients:
            return None
        state = live.encode()
        self._broadcaster.add(recipients, encode_update(events, state), is_state=True)
        return state

    def welcome(self, member: Member, token: Token, told: bytes | None = None) -> None:
        """Tell a new member who they are and the state; and everyone that somebody came.

        Args:
            member: the new one.
            token: proves the member's identity: a player's owns the seat, a spectator's only
                watches.
            told: the state, if `update` has told it just now.
        """
        live, session = member.live, member.session
        now = live.now()
        is_own = is_host(live.room, member.public_id)
        you = encode_you(
            session=session,
            role=member.role,
            seat=live.room.seats.of(session),
            name=member.name,
            token=None if session is None else token,
            from_=member.public_id,
            is_host=is_own,
            watch=token if session is None else None,
        )
        room, muted = self._encoded(member, told), live.muted if is_own else ()
        welcome = encode_welcome(SERVER, you, room, now, live.feed, muted)
        if not self._presence_is_due(live):
            member.listener.send(welcome)
            return
        presence = self._presence_now(live)
        member.listener.send(welcome, presence)  # one write: it takes longer than to encode them
        others = [each for each in live.members.recipients() if each is not member.listener]
        if others:
            self._broadcaster.add(others, presence)

    def repeat(self, member: Member) -> None:
        """Tell one member the state: its command was carried out before."""
        member.listener.send(encode_update((), self._encoded(member)), is_state=True)

    def _encoded(self, member: Member, told: bytes | None = None) -> bytes:
        """Return the state as a member may see it. `told`: as `welcome` has it."""
        live = member.live
        if member.session is not None or not live.is_delayed:
            return told or live.encode()
        encoded = live.encode_past()
        live.await_past(partial(self._tell_past, live))
        return encoded

    def _tell_past(self, live: LiveRoom, events: EncodedEvents) -> None:
        """Tell the spectators of a room with a delay what happened then."""
        recipients = live.members.watching
        if recipients:
            payload = encode_update(events, live.encode_past())
            self._broadcaster.add(recipients, payload, is_state=True)
        self._on_seen(live)

    def hint(self, member: Member, evaluation: Evaluation) -> None:
        """Tell one member what its position is worth."""
        values = {str(cell): value for cell, value in evaluation.values.items()}
        hint = Hint(best=evaluation.best, values=values, reason=evaluation.reason)
        member.listener.send(encode_message(hint))

    def say(self, member: Member, text: str) -> bool:
        """Tell everyone what a member says; return `False` if too much is said in the room."""
        live = member.live
        recipients = live.members.recipients()
        if not live.conversation.may_say(len(recipients)):
            return False
        said = Said(
            name=member.name,
            role=member.role,
            text=text,
            from_=member.public_id,
            at=live.now(),
        )
        payload = encode_message(said)
        live.conversation.add(member.public_id, payload)
        self._broadcaster.add(recipients, payload)
        return True

    def clear(self, live: LiveRoom) -> None:
        """Forget what was said, and tell everyone."""
        live.conversation.clear()
        self._broadcaster.add(live.members.recipients(), encode_message(Cleared()))

    def presence(self, live: LiveRoom) -> None:
        """Tell everyone who is here: now, or as soon as the pace allows."""
        if self._presence_is_due(live):
            self._tell_presence(live)

    def _presence_is_due(self, live: LiveRoom) -> bool:
        """Return whether presence is to be told now; see that it is told later, if it is not."""
        if live.members.is_empty:
            live.cancel("presence")
        elif not live.awaits("presence"):
            due_s = live.presence_due_s
            if due_s <= 0:
                return True
            live.after(due_s, "presence", self._tell_presence, live)
        return False

    def _tell_presence(self, live: LiveRoom) -> None:
        self._broadcaster.add(live.members.recipients(), self._presence_now(live))

    def _presence_now(self, live: LiveRoom) -> bytes:
        live.note_presence_told()
        here = live.members.here(live.room.seats)
        return encode_presence(here.X, here.O, live.members.spectators)
