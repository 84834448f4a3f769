"""The members of a room: who is here, and since when the owner of a seat has been away."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import Player, Role, SessionId
from ttt_server.core.room import Room, Seats
from ttt_server.core.snapshot import Here

if TYPE_CHECKING:
    from ttt_server.rooms.live_room import LiveRoom


_MOST_OWNERS = 4
"""In the seats, and of seats that AIs hold for them."""


class Listener(Protocol):
    """A connection as rooms see it. Neither call waits."""

    def send(self, *payloads: bytes, is_state: bool = False) -> None:
        """Send messages in one write, after all that was given to the broadcaster before.

        Args:
            payloads: each message as JSON.
            is_state: whether it is one state that a later one makes worthless.
        """

    def dismiss(self, code: CloseCode) -> None:
        """Say goodbye, and close."""

    @property
    def is_dismissed(self) -> bool:
        """Whether the goodbye was said."""

    @property
    def is_behind(self) -> bool:
        """Whether the peer does not read what it is sent, so that more would wait."""


@dataclass(eq=False, slots=True)
class Member:
    """A connection in a room: a player by the session, or a spectator, who has none."""

    listener: Listener
    live: "LiveRoom"
    name: str
    session: SessionId | None = None
    watcher: SessionId | None = None
    """The identity of a spectator, which outlives the connection; `None` for a player."""
    address: str = ""
    stands_for: int = 1
    """How many spectators this connection is for: those of another server share one."""
    is_shared: bool = False
    """Whether this is the connection of another server's spectators."""

    @property
    def role(self) -> Role:
        return Role.SPECTATOR if self.session is None else Role.PLAYER

    @property
    def public_id(self) -> SessionId:
        """The name for machines that everyone may know: `from` on the wire."""
        return self.session or self.watcher or SessionId("")

    def rename(self, name: str) -> None:
        """Take another name."""
        self.name = name

    def stand_for(self, count: int) -> None:
        """Be the connection of so many spectators."""
        self.stands_for, self.is_shared = count, True


class Members:
    """The members of one room, in memory only. All times are Unix ms."""

    __slots__ = (
        "_absent_since",
        "_gone_at",
        "_here",
        "_players",
        "_recipients",
        "_spectators",
        "emptied_at",
        "is_empty",
        "spectators",
    )

    def __init__(self, now: int) -> None:
        self.is_empty = True
        self.spectators = 0
        """The number of spectators."""
        self.emptied_at = 0
        """When the last member went; 0 if none ever was here."""
        self._absent_since = now
        """Owners of seats that were not seen since the room was loaded count as away from here."""
        self._players: dict[SessionId, Member] = {}
        self._spectators: set[Member] = set()
        self._gone_at: dict[SessionId, int] = {}
        """When each absent owner of a seat went."""
        self._here: tuple[Seats, Here] | None = None
        """Cache: which of these seats are here. Cleared when anyone enters or leaves, and when a
        time changes."""
        self._recipients: dict[Member | None, tuple[Listener, ...]] = {}
        """Cache: the listeners in send order, by the member that goes first. Cleared likewise."""

    def __iter__(self) -> Iterator[Member]:
        return chain(self._players.values(), self._spectators)

    def of(self, public_id: SessionId) -> tuple[Member, ...]:
        """Return the members with this public id: a player, or the connections of a spectator."""
        return tuple(member for member in self if member.public_id == public_id)

    def enter(self, member: Member) -> None:
        """Add a member. An older connection of the same session is dismissed."""
        session = member.session
        if session is None:
            self._spectators.add(member)
            self._count_spectators()
        else:
            if before := self._players.get(session):
                before.listener.dismiss(CloseCode.SEAT_TAKEN_OVER)
            self._players[session] = member
            self._gone_at.pop(session, None)
        self._clear_caches()

    def exit(self, member: Member, room: Room, now: int) -> bool:
        """Remove a member; return `False` if a newer connection of the session took its place."""
        session = member.session
        if session is None:
            self._spectators.discard(member)
            self._count_spectators()
        elif self._players.get(session) is member:
            del self._players[session]
            self._note_gone(session, room, now)
        else:
            return False
        self.emptied_at = now
        self._clear_caches()
        return True

    def recount(self, member: Member, count: int) -> None:
        """Note that a spectator's connection is for so many."""
        member.stand_for(count)
        self._count_spectators()
        self._clear_caches()

    def away_since(self, player: Player | None) -> int | None:
        """Return when the human in a seat lost the connection; `None` if there is no such one."""
        return None if player is None else self._away_since(player.id)

    def address_of(self, player: Player | None) -> str:
        """Return the address of a human who is here; an empty one for another."""
        if player is None or player.id is None or player.id not in self._players:
            return ""
        return self._players[player.id].address

    def were_last_here(self, at: int) -> None:
        """Note that all have been gone since `at`: the room was in memory before."""
        self.emptied_at = at
        self._absent_since = min(self._absent_since, at)
        self._here = None

    def may_have_been_here(self, until: int) -> None:
        """Count the room as empty since `until`, unless a member is known to have left."""
        self.emptied_at = self.emptied_at or until

    def shift(self, by: int) -> None:
        """Move all times by `by` ms, as the machine's clock was set."""
        self.emptied_at += by if self.emptied_at else 0
        self._absent_since += by
        self._gone_at = {session: at + by for session, at in self._gone_at.items()}
        self._here = None

    def here(self, seats: Seats) -> Here:
        """Return which of these seats have a player that is connected."""
        cached = self._here
        if cached is not None and cached[0] is seats:
            return cached[1]
        x_id, o_id = seats.ids
        x_since, o_since = away_since = self._away_since(x_id), self._away_since(o_id)
        x_is_here = seats.X is not None and x_since is None
        o_is_here = seats.O is not None and o_since is None
        here = Here(x_is_here, o_is_here, away_since)
        self._here = seats, here
        return here

    def recipients(self, first: Member | None = None) -> tuple[Listener, ...]:
        """Return the listeners of all members, that of `first` before the others."""
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
    def watching(self) -> tuple[Listener, ...]:
        """The listeners of all spectators."""
        return tuple(member.listener for member in self._spectators)

    def _away_since(self, session: SessionId | None) -> int | None:
        """Return when the owner of a seat went; `None` if here, and for an AI."""
        if session is None or session in self._players:
            return None
        return self._gone_at.get(session, self._absent_since)

    def _note_gone(self, session: SessionId, room: Room, now: int) -> None:
        self._gone_at[session] = now
        if len(self._gone_at) > _MOST_OWNERS:
            owners = filter(room.has_place_of, self._gone_at)
            self._gone_at = {each: self._gone_at[each] for each in owners}

    def _count_spectators(self) -> None:
        self.spectators = sum(member.stands_for for member in self._spectators)

    def _clear_caches(self) -> None:
        self._here = None
        self._recipients.clear()
        self.is_empty = not self._players and not self.spectators
