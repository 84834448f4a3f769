"""Take open seats in the lobby, and play in several rooms at once."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from ttt_client.net.session import Ending, Heard, Note, Session
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName, Rules, Status, Summary

MayPlayOn = Callable[[], bool]
"""Whether another game is due, given those under way in other rooms."""


class OpenSeat(NamedTuple):
    """A seat opposite a player who waits."""

    room: RoomName
    opposite: str
    """The name of that player."""
    rules: Rules


PlayRoom = Callable[[OpenSeat, MayPlayOn], Awaitable[None]]
"""Plays in a room while both sides want to and another game is due."""


def open_seats(rooms: tuple[Summary, ...], plays: Callable[[Rules], bool]) -> list[OpenSeat]:
    """Return the seats opposite a connected player who waits, the longest wait first.

    `plays` tells whether the program plays on a board.
    """
    return [
        OpenSeat(room.name, room.seats.X or room.seats.O or "", room.rules)
        for room in sorted(rooms, key=lambda room: room.changed_at or 0)
        if room.status is Status.WAITING
        and not room.locked
        and not room.deserted
        and (room.seats.X is None) is not (room.seats.O is None)
        and plays(room.rules)
    ]


@dataclass(eq=False)
class LobbyPlayer:
    """Plays in the rooms of the lobby where a seat is open, in several at once."""

    lobby: Session
    play: PlayRoom
    _: KW_ONLY
    most: Callable[[], int]
    """Returns how many rooms it may play in now; 0 ends it."""
    plays: Callable[[Rules], bool] = lambda _: True
    """Returns whether to play on a board."""
    _rooms: tuple[Summary, ...] = field(default=(), init=False)
    _playing: set[RoomName] = field(default_factory=set, init=False)
    _left: set[OpenSeat] = field(default_factory=set, init=False)
    """Seats that it has left; forgotten when the player opposite leaves."""
    _enough: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def run(self, on_note: Callable[[Note], None]) -> Ending:
        """Play until the last game is over or the lobby closes. Running games are finished."""
        async with asyncio.TaskGroup() as tasks:

            async def hear(event: Heard | Note) -> None:
                if isinstance(event, Note):
                    on_note(event)
                elif isinstance(event.message, Rooms):
                    self._take(event.message.rooms)
                    self._begin(tasks)

            listening = tasks.create_task(self.lobby.run(hear))
            enough = tasks.create_task(self._enough.wait())
            await asyncio.wait((listening, enough), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            if listening.done():
                return listening.result()
            listening.cancel()
        return Ending(0)

    def _take(self, rooms: tuple[Summary, ...]) -> None:
        self._rooms = rooms
        seated = {
            OpenSeat(room.name, name, room.rules)
            for room in rooms
            for name in (room.seats.X, room.seats.O)
            if name
        }
        self._left &= seated

    def _begin(self, tasks: asyncio.TaskGroup) -> None:
        """Take open seats, as many as it may."""
        for seat in open_seats(self._rooms, self.plays):
            if len(self._playing) >= self.most():
                return
            if seat.room not in self._playing and seat not in self._left:
                self._playing.add(seat.room)
                tasks.create_task(self._visit(seat, tasks))

    async def _visit(self, seat: OpenSeat, tasks: asyncio.TaskGroup) -> None:
        try:
            await self.play(seat, lambda: len(self._playing) <= self.most())
        finally:
            self._playing.discard(seat.room)
            self._left.add(seat)
        if not self.most():
            self._enough.set()
        elif not self._enough.is_set():
            with suppress(RuntimeError):  # the group is closing
                self._begin(tasks)
