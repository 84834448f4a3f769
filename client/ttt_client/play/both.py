"""Two people at one keyboard: two sessions with the interface of one."""

import asyncio

from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Reporter, RoomSession
from ttt_client.net.tasks import cancelled
from ttt_protocol.codec import decode_command
from ttt_protocol.commands import Accept, Choose, Command, Decline, Play
from ttt_protocol.messages import Hint, Refused, Welcome
from ttt_protocol.state import Mark


class SharedSession:
    """The two seats of one keyboard, with the interface of one session.

    The first player's connection reports what happens in the room, the second's only the answers
    to the second player. A command goes over the connection of its seat.
    """

    def __init__(self, first: RoomSession, second: RoomSession) -> None:
        self._first = first
        self._second = second
        self._view = View(is_shared=True)
        self._first_is_here = asyncio.Event()
        self._leaving = False
        self._moved: tuple[Play | Choose, RoomSession] | None = None
        """The last move or choice, and whose it is."""

    @property
    def connected(self) -> bool:
        """Whether the server has welcomed the first player."""
        return self._first.connected

    @property
    def is_kept(self) -> bool:
        """Whether the same command takes both seats back."""
        return self._first.is_kept and self._second.is_kept

    @property
    def trouble(self) -> str | None:
        """The fault in remembering a seat, if there was one."""
        return self._first.trouble or self._second.trouble

    async def send(self, command: str | bytes) -> None:
        """Send a command for the player to move, or for the player who answers an offer.

        A move that is sent again is the same player's, whoever is to move now.

        Raises:
            NotConnected: if it was not sent.
        """
        decoded = decode_command(command)
        speaker = self._speaker(decoded)
        if isinstance(decoded, Play | Choose):
            if self._moved is None or self._moved[0] != decoded:
                self._moved = decoded, speaker
            speaker = self._moved[1]
        await speaker.send(command)

    async def round_trip_s(self) -> float:
        """Measure how long a ping and its answer take.

        Raises:
            NotConnected: if there is no connection, or it ends before the answer.
        """
        return await self._first.round_trip_s()

    def retry_now(self) -> None:
        """End the pauses before the next tries, if there are any."""
        self._first.retry_now()
        self._second.retry_now()

    async def leave(self) -> None:
        """Ask to give up both seats.

        Raises:
            NotConnected: if it was not asked.
        """
        if not (self._first.connected and self._second.connected):
            raise NotConnected
        self._leaving = True
        await self._second.leave()
        await self._first.leave()

    async def run(self, report: Reporter) -> Ending:
        """Stay in the room until either session ends, or both where they leave."""

        async def from_first(event: Heard | Note) -> None:
            self._take(event)
            await report(event)
            if isinstance(event, Note):
                self._first_is_here.clear()
            elif isinstance(event.message, Welcome):
                self._first_is_here.set()

        async def from_second(event: Heard | Note) -> None:
            is_note = isinstance(event, Note)
            if is_note and not self._first_is_here.is_set():
                return  # the first has told of it
            # The first's connection is the one that the screen shows: the second waits for it.
            await self._first_is_here.wait()
            self._take(event)
            if is_note or _concerns_second(event):
                await report(event)

        async def second() -> Ending:
            await self._first_is_here.wait()  # the first makes the room
            return await self._second.run(from_second)

        both = [asyncio.ensure_future(self._first.run(from_first)), asyncio.ensure_future(second())]
        try:
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._leaving:
                await asyncio.wait(both)
            return await done.pop()
        finally:
            await cancelled(*both)

    def _take(self, event: Heard | Note) -> None:
        if isinstance(event, Heard) and event.message is not None:
            self._view = fold(self._view, event.message)

    def _speaker(self, command: Command) -> RoomSession:
        seat = self._view.seat
        if isinstance(command, Accept | Decline) and self._view.room is not None:
            offering = self._view.room.offers[command.kind]
            seat = seat if offering is None else offering.other
        return self._second if self._is_seconds(seat) else self._first

    def _is_seconds(self, seat: Mark | None) -> bool:
        room, partner = self._view.room, self._view.partner
        if room is None or seat is None or partner is None:
            return False
        found = room.seats[seat]
        return found is not None and found.id == partner.id


def _concerns_second(event: Heard | Note) -> bool:
    if not isinstance(event, Heard):
        return False
    return isinstance(event.message, Welcome | Refused | Hint)
