"""The tournaments of a server, made when the first of them is asked for.

Few servers have any, and a start does not wait for their modules: a tenth of its time.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from ttt_protocol.tournament.settings import TournamentName
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.storage.retention import SWEEP_EVERY_S
from ttt_server.tournaments.log_names import has_tournaments
from ttt_server.transport.connection import Connection

if TYPE_CHECKING:
    from ttt_protocol.tournament.messages import TournamentState
    from ttt_server.endpoints.tournament import TournamentEndpointContext

logger = logging.getLogger(__name__)


class TournamentsLater:
    """Stands for what the endpoints of events share, and for the registry behind it."""

    def __init__(self, store: EventStore, make: "Callable[[], TournamentEndpointContext]") -> None:
        """`make` is called once, or never."""
        self._store = store
        self._make = make
        self._made: TournamentEndpointContext | None = None

    @property
    def context(self) -> "TournamentEndpointContext":
        """The parts that the endpoints share, made now at the latest."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def begin(self, connection: Connection, *, name: TournamentName) -> None:
        """Serve a connection to an event."""
        self.context.begin(connection, name=name)

    async def ask(self, name: TournamentName) -> "TournamentState | None":
        """Return a tournament of another server. See `TournamentRegistry.ask`."""
        return await self.context.registry.ask(name)

    async def read(self, name: TournamentName) -> "TournamentState | None":
        """Return a tournament as everyone sees it. See `TournamentRegistry.read`."""
        return await self.context.registry.read(name)

    async def resume(self) -> None:
        """Let the tournaments go on that were under way. See `TournamentRegistry.resume`."""
        if await has_tournaments(self._store):
            await self.context.registry.resume()

    async def keep_forgetting(self, after_s: float, now: Callable[[], int]) -> None:
        """Delete tournaments without an event for `after_s`, once an hour, until cancelled.

        `now` returns Unix ms.
        """
        while True:
            try:
                if await has_tournaments(self._store):
                    await self.context.registry.forget_silent(now() - round(after_s * 1000))
            except StorageFailed as error:
                logger.warning("events are not deleted yet: %s", error)
            await asyncio.sleep(SWEEP_EVERY_S)

    async def drained(self) -> None:
        """Wait until the commands under way are carried out."""
        if self._made is not None:
            await self._made.drained()

    async def cancel(self) -> None:
        """Cancel the commands under way."""
        if self._made is not None:
            await self._made.close()

    async def close(self) -> None:
        """End what the tournaments do by themselves."""
        if self._made is not None:
            await self._made.registry.close()
