"""`ttt-client event join`: take part, and play one game after the other."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ttt_client.net.event_session import EventSession
from ttt_client.net.session import Ending, NotConnected, Note
from ttt_client.tournaments.watching import EventOver, EventPrinter
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.commands import Return
from ttt_protocol.tournament.messages import (
    OwnGame,
    TournamentMessage,
    TournamentWelcome,
    YourGames,
)

LOOK_S = 3.0
"""The time to look at how a game has ended, before its room is left."""

PlayGame = Callable[[OwnGame], Awaitable[Ending | None]]
"""Plays in the room of a game until it is cancelled; returns the end of the program, if that comes
first, or None after the game."""


class TakingPart:
    """A player of an event: at one game at a time, those that wait after it."""

    def __init__(self, session: EventSession, printer: EventPrinter, play: PlayGame) -> None:
        self._session = session
        self._printer = printer
        self._play = play
        self._own: dict[RoomName, OwnGame] = {}
        self._left: set[RoomName] = set()
        self._changed = asyncio.Event()
        self._has_come = False

    async def run(self) -> Ending:
        """Take part until the event is finished, or the player ends the program."""
        following = asyncio.ensure_future(self._follow())
        playing = asyncio.ensure_future(self._play_on())
        done, pending = await asyncio.wait(
            (following, playing), return_when=asyncio.FIRST_COMPLETED
        )
        for task in pending:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return done.pop().result()

    async def _follow(self) -> Ending:
        try:
            return await self._session.run(self._report)
        except EventOver:
            return Ending(0)

    async def _report(self, heard: TournamentMessage | Note, raw: str) -> None:
        if isinstance(heard, YourGames):
            self._own = {game.room: game for game in heard.games}
            self._changed.set()
        if isinstance(heard, TournamentWelcome) and not self._has_come:
            self._has_come = True
            await self._return(heard)
        # What happens elsewhere would lie over the board of a game.
        self._printer.hush(is_quiet=self._is_playing)
        await self._printer.report(heard, raw)

    async def _return(self, welcome: TournamentWelcome) -> None:
        """Take part again after a withdrawal: that is what starting the program means."""
        rows = (row for row in welcome.event.standings if row.id == welcome.you.id)
        if any(row.status == "withdrawn" for row in rows):
            with suppress(NotConnected):
                await self._session.send(Return())

    @property
    def _is_playing(self) -> bool:
        return any(room not in self._left for room in self._own)

    async def _play_on(self) -> Ending:
        while True:
            game = next((it for room, it in self._own.items() if room not in self._left), None)
            if game is None:
                self._changed.clear()
                await self._changed.wait()
                continue
            end = await self._play_one(game)
            if end is not None:
                return end

    async def _play_one(self, game: OwnGame) -> Ending | None:
        """Play until the event has the result; return the end of the program if it comes first."""
        playing = asyncio.ensure_future(self._play(game))
        over = asyncio.ensure_future(self._until_over(game.room))
        await asyncio.wait((playing, over), return_when=asyncio.FIRST_COMPLETED)
        self._left.add(game.room)
        over.cancel()
        if playing.done():
            return playing.result()
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
        return None

    async def _until_over(self, room: RoomName) -> None:
        while room in self._own:
            self._changed.clear()
            await self._changed.wait()
        await asyncio.sleep(LOOK_S)
