"""Forget persons: those who ask for it, and those who have been away for too long."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_hex

from ttt_protocol.state import PersonId, RoomName
from ttt_protocol.text import counted
from ttt_server.core.archive.anonymous import Rewrite, without
from ttt_server.people import own_records
from ttt_server.people.names import SOMEBODY
from ttt_server.people.service import People, Person
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.retention import SWEEP_EVERY_S

logger = logging.getLogger(__name__)

_PAUSE_S = 0.05
"""The pause after each person, so that moves go first."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Forgets persons in the tables and in the logs of their rooms."""

    people: People
    """Who may be forgotten."""
    rewrite: Callable[[RoomName, Rewrite], Awaitable[None]]
    """Replaces the log of a room."""
    forget_in_events: Callable[[PersonId, str], Awaitable[None]]
    """Puts another name in the place of a person's, in all events."""

    async def forget(self, person: Person) -> None:
        """Forget a person: first in the logs, so that a failure can be retried.

        Raises:
            StorageFailed: if not all is forgotten.
        """
        tables = self.people.tables
        for room in await own_records.rooms_of(tables, person.id):
            await self.rewrite(room, without(person.id, person.name, SOMEBODY))
        await self.forget_in_events(person.id, SOMEBODY)
        await own_records.forget(tables, person.id, pseudonym=token_hex(8))
        self.people.forgotten(person)

    async def run(self, after_s: float) -> None:
        """Forget those who have been away for this long, again and again, until cancelled."""
        while True:
            try:
                gone = await self.sweep(after_s)
            except StorageFailed as error:
                logger.warning("could not forget absent persons; retrying: %s", error)
            else:
                if gone:
                    logger.info("retention: %s forgotten", counted(gone, "person"))
            await asyncio.sleep(SWEEP_EVERY_S)

    async def sweep(self, after_s: float) -> int:
        """Forget those who have been away for this long; return how many.

        Raises:
            StorageFailed: if the store fails.
        """
        gone = 0
        while silent := await self.people.silent(after_s):
            for person in silent:
                await self.forget(person)
                gone += 1
                await asyncio.sleep(_PAUSE_S)
        return gone
