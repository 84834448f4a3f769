"""All that is kept of a person: to hand it out, and to forget it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from json import loads
from secrets import token_hex
from typing import Any, Final, NamedTuple

from ttt_protocol.state import PersonId, RoomName
from ttt_protocol.text import counted
from ttt_server.core.archive.anonymous import Rewrite, without
from ttt_server.people.challenges import Challenges
from ttt_server.people.games import EVERY_GAME, key_of, listed
from ttt_server.people.names import SOMEBODY
from ttt_server.people.notices.ledger import forgetting
from ttt_server.people.ratings import Ratings
from ttt_server.people.service import People, Person
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.people import PeopleTables, Row, Statement, Value, run
from ttt_server.storage.retention import SWEEP_EVERY_S

logger = logging.getLogger(__name__)

_PAUSE_S = 0.05
"""The pause after each person, so that moves go first."""


class _Part(NamedTuple):
    """Rows of a table that are about a person."""

    name: str
    """As in the export."""
    table: str
    columns: Sequence[str]
    """Those with a name that ends in `settings`, and `notice`, have JSON."""
    about: str
    """The condition; `$1` is the person."""

    def shown(self, row: Row) -> dict[str, Any]:
        """Return a row as JSON is, by column."""
        return {name: _shown(name, value) for name, value in zip(self.columns, row, strict=True)}


_PARTS: Final = (
    _Part("identities", "person_identities", ("issuer", "subject"), "person = $1"),
    _Part("links", "person_links", ("expires",), "person = $1"),
    _Part("ratings", "ratings", ("board", "pace", "points", "deviation", "games"), "person = $1"),
    _Part(
        "rated_games",
        "rated_games",
        ("room", "number", "at", "board", "pace", "x", "o", "points", "x_gain", "o_gain"),
        "x = $1 OR o = $1",
    ),
    _Part(
        "challenges",
        "challenges",
        ("id", "challenger", "challenged", "settings", "room", "sent", "expires", "state"),
        "challenger = $1 OR challenged = $1",
    ),
    _Part("blocks", "blocks", ("person", "blocked"), "person = $1"),
    _Part("notices", "notices", ("place", "notice", "due", "told"), "person = $1"),
    _Part("browsers", "pushes", ("endpoint", "service", "language", "since"), "person = $1"),
)
"""Left out are what a token and a phrase are proved by, and what follows from other parts."""

NOT_OF_ONE: Final = frozenset(
    {"unread", "rating_turns", "rated_pairs", "rated_ends", "notice_ways", "push_keys"}
)
"""Tables whose rows tell no more of a person than the parts do, or nothing at all."""

_PERSON: Final = """
SELECT id, name, since, seen, settings, phrase IS NOT NULL FROM persons WHERE id = $1"""

_FORGET: Final = (
    "DELETE FROM person_links WHERE person = $1",
    "DELETE FROM person_identities WHERE person = $1",
    "DELETE FROM games WHERE person = $1",
    "DELETE FROM rated_pairs WHERE pair LIKE '%' || CAST($1 AS TEXT) || '%'",
    "DELETE FROM rated_ends WHERE pair LIKE '%' || CAST($1 AS TEXT) || '%'",
    "DELETE FROM persons WHERE id = $1",
)
_ROOMS: Final = "SELECT DISTINCT room FROM games WHERE person = $1 OR opponent_person = $1"
_NOW_SOMEBODY: Final = """
UPDATE games SET opponent = $2, opponent_key = $3, opponent_person = ''
WHERE opponent_person = $1"""
_NOBODY_X: Final = "UPDATE rated_games SET x = $2 WHERE x = $1"
_NOBODY_O: Final = "UPDATE rated_games SET o = $2 WHERE o = $1"


def tables_of_one() -> frozenset[str]:
    """Return the tables that an export shows."""
    return frozenset({"persons", "games", *(part.table for part in _PARTS)})


async def export(tables: PeopleTables, person: PersonId) -> dict[str, Any] | None:
    """Return all that is kept of a person, as JSON is; `None` if nobody is known by this id.

    Times are Unix ms.

    Raises:
        StorageFailed: if it could not be read.
    """
    asked = [Statement(_PERSON, (person,)), Statement(EVERY_GAME, (person,))]
    for part in _PARTS:
        columns = ", ".join(part.columns)
        sql = f"SELECT {columns} FROM {part.table} WHERE {part.about}"  # noqa: S608 - ours
        asked.append(Statement(sql, (person,)))
    found, games, *parts = await tables.transact(asked)
    if not found:
        return None
    ((id_, name, since, seen, settings, has_phrase),) = found
    return {
        "person": {"id": id_, "name": name, "since": since, "seen": seen},
        "settings": loads(str(settings)),
        "has_phrase": bool(has_phrase),
        "games": [game.fields for game in listed(games)],
        **{
            part.name: [part.shown(row) for row in rows]
            for part, rows in zip(_PARTS, parts, strict=True)
        },
    }


async def rooms_of(tables: PeopleTables, person: PersonId) -> list[RoomName]:
    """Return the rooms whose logs have the name of a person.

    Raises:
        StorageFailed: if they could not be read.
    """
    (rooms,) = await run(tables, (_ROOMS, person))
    return [RoomName(str(room)) for (room,) in rooms]


async def forget_in_tables(tables: PeopleTables, person: PersonId, *, pseudonym: str) -> None:
    """Forget a person in the tables.

    The games stay as those of the other side: against somebody, and rated as before.

    Args:
        tables: of the store.
        person: whom to forget.
        pseudonym: what stands for the person among the rated games, so that they can be counted
            again. Nothing leads back from it.

    Raises:
        StorageFailed: if nobody was forgotten, or that is not known.
    """
    await tables.transact(
        [
            *(Statement(sql, (person,)) for sql in _FORGET),
            Statement(_NOW_SOMEBODY, (person, SOMEBODY, key_of(SOMEBODY))),
            Statement(_NOBODY_X, (person, pseudonym)),
            Statement(_NOBODY_O, (person, pseudonym)),
            Ratings.forget(person),
            *Challenges.forget(person),
            *forgetting(person),
        ]
    )


def _shown(column: str, value: Value) -> Any:
    is_json = column in {"settings", "notice"} and isinstance(value, str)
    return loads(str(value)) if is_json else value


# Forgetting persons: those who ask for it, and those who have been away for too long


@dataclass(eq=False, slots=True)
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
        for room in await rooms_of(tables, person.id):
            await self.rewrite(room, without(person.id, person.name, SOMEBODY))
        await self.forget_in_events(person.id, SOMEBODY)
        await forget_in_tables(tables, person.id, pseudonym=token_hex(8))
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
