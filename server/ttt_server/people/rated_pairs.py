"""How many games two persons have played within a day, over all rooms and servers."""

from typing import Final

from ttt_protocol.state import Mark
from ttt_server.core.rated import DAY_MS, person_in
from ttt_server.core.room import Room, game_of
from ttt_server.storage.people import PeopleTables, Statement

_TURN: Final = """
INSERT INTO rated_pairs (pair, games) VALUES ($1, 1)
ON CONFLICT (pair) DO UPDATE SET games = rated_pairs.games + 1
"""
"""Locks the pair until the end of the transaction: the games of two rooms take turns."""

_FORGET: Final = "DELETE FROM rated_ends WHERE pair = $1 AND at <= $2"

_TAKE: Final = """
INSERT INTO rated_ends (pair, room, number, at, of_day)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), COUNT(*) + 1
FROM rated_ends WHERE pair = $1
ON CONFLICT (pair, room, number) DO NOTHING
"""

_READ: Final = "SELECT of_day FROM rated_ends WHERE pair = $1 AND room = $2 AND number = $3"


class RatedPairs:
    """Numbers the games of two persons as they end: `CountsGames` of the rooms."""

    def __init__(self, tables: PeopleTables) -> None:
        self._tables = tables

    async def number(self, room: Room, at: int) -> int:
        persons = filter(None, (person_in(room.seats, mark) for mark in Mark))
        pair = " ".join(sorted(persons))
        game = game_of(room).number
        *_, ((of_day,),) = await self._tables.transact(
            (
                Statement(_TURN, (pair,)),
                Statement(_FORGET, (pair, at - DAY_MS)),
                Statement(_TAKE, (pair, room.name, game, at)),
                Statement(_READ, (pair, room.name, game)),
            )
        )
        return int(of_day or 0)
