"""Open seats in the lobby, taken as they come, in a number of rooms at once."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ttt_client.net.session import Ending, Heard, Note, RoomSession
from ttt_protocol.messages import Rooms
from ttt_protocol.state import RoomName, Rules, Status, Summary

PlayRoom = Callable[[RoomName], Awaitable[bool]]
"""Plays in a room; returns whether to go on to others."""


def open_seats(rooms: tuple[Summary, ...], rules: Rules | None) -> list[RoomName]:
    """Return the rooms where a player waits for another, on this board if one is named."""
    return [
        room.name
        for room in rooms
        if room.status is Status.WAITING
        and not room.locked
        and (room.seats.X is None) is not (room.seats.O is None)
        and rules in {None, room.rules}
    ]


class LobbyPlayer:
    """Plays in every room of the lobby where a seat is open, in `most` at once."""

    def __init__(
        self, lobby: RoomSession, play: PlayRoom, *, most: int, rules: Rules | None = None
    ) -> None:
        self._lobby = lobby
        self._play = play
        self._most = most
        self._rules = rules
        self._rooms: tuple[Summary, ...] = ()
        self._playing: set[RoomName] = set()
        self._been: set[RoomName] = set()
        self._enough = asyncio.Event()

    async def run(self, on_note: Callable[[Note], None]) -> Ending:
        """Play until a game says that it is enough, or the lobby closes."""
        async with asyncio.TaskGroup() as tasks:

            async def hear(event: Heard | Note) -> None:
                if isinstance(event, Note):
                    on_note(event)
                elif isinstance(event.message, Rooms):
                    self._rooms = event.message.rooms
                    self._begin(tasks)

            listening = tasks.create_task(self._lobby.run(hear))
            enough = tasks.create_task(self._enough.wait())
            await asyncio.wait((listening, enough), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            if listening.done():
                return listening.result()
            listening.cancel()
        return Ending(0)

    def _begin(self, tasks: asyncio.TaskGroup) -> None:
        """Begin to play where there is a seat. A room that was left is visited again."""
        there = open_seats(self._rooms, self._rules)
        self._been &= set(there)
        for room in there:
            if len(self._playing) < self._most and room not in self._been | self._playing:
                self._playing.add(room)
                tasks.create_task(self._visit(room, tasks))

    async def _visit(self, room: RoomName, tasks: asyncio.TaskGroup) -> None:
        self._been.add(room)
        try:
            if not await self._play(room):
                self._enough.set()
        finally:
            self._playing.discard(room)
        if not self._enough.is_set():
            with suppress(RuntimeError):  # the group is closing
                self._begin(tasks)
