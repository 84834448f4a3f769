"""A room in memory: the value, its lock, and who is here to hear of it."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.events import Event
from ttt_protocol.messages import Presence, Said, Update, Welcome
from ttt_protocol.state import (
    Ai,
    BySeat,
    Human,
    Mark,
    Role,
    RoomName,
    RoomState,
    SessionId,
    Summary,
    Token,
    You,
)
from ttt_server import SERVER
from ttt_server.room import Room
from ttt_server.view import room_state, summary

PRESENCE_INTERVAL_S = 0.5
"""At most two messages of presence a second and room: many changes become one."""


class Listener(Protocol):
    """What a room needs of a connection: a way to tell it things that never waits."""

    def post(self, payload: bytes, *, is_state: bool = False) -> None: ...

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
    """Whoever changes `room` holds `lock`."""

    def __init__(self, name: RoomName) -> None:
        self.room = Room(name)
        self.lock = asyncio.Lock()
        self.is_stale = True
        """Whether the log may be ahead of `room`: it was not read yet, or a write has not ended."""
        self.changed_at = 0.0
        """When the room last changed, on the loop's clock."""
        self.made_from = ""
        """The address that makes the room, or made it; empty if it was read from the log."""
        self.joining = 0
        """How many are at the door: the room must not be forgotten under their hands."""
        self._players: dict[SessionId, Member] = {}
        self._spectators: set[Member] = set()
        self._told_presence_at = -PRESENCE_INTERVAL_S
        self._presence_timer: asyncio.TimerHandle | None = None

    @property
    def is_empty(self) -> bool:
        return not self._players and not self._spectators

    @property
    def members(self) -> Iterator[Member]:
        return chain(self._players.values(), self._spectators)

    @property
    def state(self) -> RoomState:
        return room_state(self.room, self._here, len(self._spectators))

    @property
    def summary(self) -> Summary:
        return summary(self.room, len(self._spectators))

    def enter(self, member: Member) -> None:
        """Lets a member in; an older connection of the same session has to go."""
        self._presence_changed()
        if member.session is None:
            self._spectators.add(member)
            return
        seat = self.room.seat_of(member.session)
        if seat is not None and (player := self.room.seats[seat]) is not None:
            member.name = player.name  # whoever returns has their old name back
        if before := self._players.get(member.session):
            before.listener.dismiss(CloseCode.SEAT_TAKEN_OVER)
        self._players[member.session] = member

    def exit(self, member: Member) -> None:
        """Forgets a member, unless a newer connection has its place."""
        if member.session is None:
            self._spectators.discard(member)
        elif self._players.get(member.session) is member:
            del self._players[member.session]
        else:
            return
        self._presence_changed()

    def close(self) -> None:
        """Ends the timer."""
        if self._presence_timer is not None:
            self._presence_timer.cancel()

    def welcome(self, member: Member, token: Token | None) -> None:
        """Tells a new member who they are here, and the state."""
        you = You(
            id=member.session,
            role=member.role,
            seat=self.room.seat_of(member.session),
            name=member.name,
            token=token,
        )
        welcome = Welcome(server=SERVER, you=you, room=self.state)
        member.listener.post(encode_message(welcome))

    def publish(self, events: tuple[Event, ...], *, besides: Member | None = None) -> None:
        """Tells everyone what was committed, in the same bytes; `besides` knows it already."""
        if self.is_empty:
            return
        payload = encode_message(Update(events=events, room=self.state))
        for member in self.members:
            if member is not besides:
                member.listener.post(payload, is_state=True)

    def say(self, member: Member, text: str) -> None:
        """Tells everyone what a member says."""
        payload = encode_message(Said(name=member.name, role=member.role, text=text))
        for each in self.members:
            each.listener.post(payload)

    def show(self, member: Member) -> None:
        """Tells one member the state: what they sent was committed before."""
        update = Update(events=(), room=self.state)
        member.listener.post(encode_message(update), is_state=True)

    @property
    def _here(self) -> BySeat[bool]:
        return BySeat(X=self._is_here(Mark.X), O=self._is_here(Mark.O))

    def _is_here(self, mark: Mark) -> bool:
        match self.room.seats[mark]:
            case None:
                return False
            case Ai():
                return True
            case Human(id=session):
                return session in self._players

    def _presence_changed(self) -> None:
        if self._presence_timer is None:
            loop = asyncio.get_running_loop()
            due = self._told_presence_at + PRESENCE_INTERVAL_S
            self._presence_timer = loop.call_at(due, self._tell_presence)

    def _tell_presence(self) -> None:
        self._presence_timer = None
        self._told_presence_at = asyncio.get_running_loop().time()
        presence = Presence(seats=self._here, spectators=len(self._spectators))
        payload = encode_message(presence)
        for member in self.members:
            member.listener.post(payload)
