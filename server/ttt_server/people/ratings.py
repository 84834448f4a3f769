"""The ratings of persons in the store: the games that count, and the standings after each.

A game is noted first, as the reader of logs finds it, and counted then, so that both can be done
again after a crash. A game that is noted late, as another server's, has all that ended after it on
its board and at its pace counted again. What is counted follows from the games alone.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from ttt_protocol.notation import board_name
from ttt_protocol.state import Human, Mark, PersonId, RoomState
from ttt_server.core.rated import DAY_MS, person_in
from ttt_server.core.room import Room, game_of
from ttt_server.people import rating
from ttt_server.people.log_reader import SeenGame
from ttt_server.people.rating import NEW, PROVISIONAL, Counted, GamePlace, KeptRating, RatedGame
from ttt_server.storage.base import Conflict, StorageFailed
from ttt_server.storage.people import PeopleTables, Row, Statement, Value, run

logger = logging.getLogger(__name__)

MOST_ON_LADDER: Final = 100
"""Persons on the ladder of a board and pace."""

_AGAIN_S: Final = 2.0
"""The time between two attempts to count, after a failure."""

_AT_ONCE: Final = 200
"""Games to count in one transaction."""

_FACTS: Final = "board, pace, at, room, number, x, o, points"

_NOTE: Final = f"""
INSERT INTO rated_games ({_FACTS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (room, number, at) DO UPDATE SET board = excluded.board, pace = excluded.pace,
    x = excluded.x, o = excluded.o, points = excluded.points"""  # noqa: S608 - names of ours, as below

_UNCOUNTED: Final = "SELECT board, pace FROM rated_games WHERE x_gain IS NULL GROUP BY board, pace"
_TURN_OF: Final = "SELECT turn FROM rating_turns WHERE board = $1 AND pace = $2"
_FIRST: Final = """
SELECT at, room, number FROM rated_games WHERE board = $1 AND pace = $2 AND x_gain IS NULL
ORDER BY at, room, number LIMIT 1"""
_FROM: Final = f"""
SELECT {_FACTS} FROM rated_games
WHERE board = $1 AND pace = $2 AND (at, room, number) >= ($3, $4, $5)
ORDER BY at, room, number LIMIT {_AT_ONCE}"""  # noqa: S608


def _last_as(side: str) -> str:
    """Return the statement that reads a person's standing after the last game on this side.

    One that was noted just now and is not counted is passed over: what follows it is counted again.
    """
    return f"""
SELECT at, room, number, {side}_points, {side}_deviation, {side}_volatility, {side}_games
FROM rated_games
WHERE {side} = $1 AND board = $2 AND pace = $3 AND (at, room, number) < ($4, $5, $6)
    AND x_gain IS NOT NULL
ORDER BY at DESC, room DESC, number DESC LIMIT 1"""  # noqa: S608


_LAST: Final = _last_as("x"), _last_as("o")

_OURS: Final = """
EXISTS (SELECT 1 FROM rating_turns WHERE board = $1 AND pace = $2 AND turn = $3)"""
"""Whether the turn was taken: else another server was quicker, and nothing may be written."""

_BEGIN: Final = """
INSERT INTO rating_turns (board, pace, turn) VALUES ($1, $2, '')
ON CONFLICT (board, pace) DO NOTHING"""
_TAKE_TURN: Final = """
UPDATE rating_turns SET turn = $3 WHERE board = $1 AND pace = $2 AND turn = $4 RETURNING turn"""
_UNCOUNT_AFTER: Final = f"""
UPDATE rated_games SET x_gain = NULL
WHERE board = $1 AND pace = $2 AND (at, room, number) > ($4, $5, $6) AND {_OURS}"""  # noqa: S608
_COUNT: Final = f"""
UPDATE rated_games SET x_gain = $7, o_gain = $8,
    x_points = $9, x_deviation = $10, x_volatility = $11, x_games = $12,
    o_points = $13, o_deviation = $14, o_volatility = $15, o_games = $16
WHERE at = $4 AND room = $5 AND number = $6 AND {_OURS}"""  # noqa: S608
_RATE: Final = f"""
INSERT INTO ratings (board, pace, person, points, deviation, games)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($4 AS TEXT),
    CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)
WHERE {_OURS}
ON CONFLICT (person, board, pace) DO UPDATE
SET points = excluded.points, deviation = excluded.deviation, games = excluded.games"""


_OF_PERSON: Final = """
SELECT board, pace, points, deviation, games FROM ratings WHERE person = $1
ORDER BY games DESC, board, pace"""
_IN_GAME: Final = """
SELECT x, o, x_points, x_deviation, x_games, x_gain, o_points, o_deviation, o_games, o_gain
FROM rated_games WHERE room = $1 AND number = $2 AND x_gain IS NOT NULL ORDER BY at DESC LIMIT 1"""
_OF_PAIR: Final = """
SELECT person, points, deviation, games FROM ratings
WHERE board = $1 AND pace = $2 AND person IN ($3, $4)"""
_LADDER: Final = f"""
SELECT p.name, p.settings, r.points, r.deviation, r.games
FROM ratings r JOIN persons p ON p.id = r.person
WHERE r.board = $1 AND r.pace = $2
ORDER BY CASE WHEN r.deviation < {PROVISIONAL * 1000} THEN 0 ELSE 1 END, r.points DESC, p.name
LIMIT {2 * MOST_ON_LADDER}"""  # noqa: S608
_POOLS: Final = """
SELECT board, pace, COUNT(*) FROM ratings GROUP BY board, pace ORDER BY 3 DESC, board, pace"""


class Shown(NamedTuple):
    """A rating as shown, in thousandths."""

    points: int
    deviation: int
    games: int

    @property
    def is_provisional(self) -> bool:
        return self.deviation >= PROVISIONAL * 1000


class InGame(NamedTuple):
    """A player's rating in a game, and the change by it."""

    shown: Shown
    gained: int | None
    """In thousandths; `None` while the game is not counted."""


_Pool: TypeAlias = tuple[str, str]
"""The board and the pace of the games that are rated together."""


class RatedGames:
    """The table of games to count: it follows from the logs, as `LogReader` reads them.

    To begin anew takes away what was counted. The games stay: the logs of some may be gone.
    """

    clear: Sequence[Statement] = (
        Statement("DELETE FROM ratings"),
        Statement("UPDATE rated_games SET x_gain = NULL"),
    )

    def statements(self, game: SeenGame) -> Iterable[Statement]:
        """Return what notes a game that counts."""
        found = rating.rated_game(game.room, game.seats)
        return () if found is None else noted((found,))


def noted(games: Iterable[RatedGame]) -> Iterator[Statement]:
    """Yield the statements that note games to be counted."""
    for game in games:
        players = game.X, game.O
        yield Statement(_NOTE, (game.board, game.pace, *game.place, *players, game.points))


class Ratings:
    """Counts games, and reads the resulting ratings."""

    def __init__(self, tables: PeopleTables) -> None:
        self._tables = tables
        self._is_due = asyncio.Event()

    def take_note(self, game: SeenGame) -> None:
        """Count soon, if this game was recorded."""
        if game.is_over and game.room.settings.rated:
            self._is_due.set()

    async def run(self) -> None:
        """Count what was left, and then each game soon after it is noted, until cancelled."""
        while True:
            self._is_due.clear()
            try:
                await self.count()
            except (StorageFailed, Conflict) as error:
                logger.debug("could not count ratings; retrying: %s", error)
                await asyncio.sleep(_AGAIN_S)
            else:
                await self._is_due.wait()

    async def count(self) -> None:
        """Count all games that are noted and not counted.

        Raises:
            StorageFailed: if that cannot be done; it may be tried again.
        """
        while True:
            (pools,) = await run(self._tables, (_UNCOUNTED,))
            if not pools:
                return
            for board, pace in pools:
                await self._count((str(board), str(pace)))

    async def _count(self, pool: _Pool) -> None:
        """Count some games of one board and pace, unless another server does."""
        turns, firsts = await run(self._tables, (_TURN_OF, *pool), (_FIRST, *pool))
        if not firsts:
            return
        (rows,) = await run(self._tables, (_FROM, *pool, *_place(firsts[0])))
        games = [_game(row) for row in rows]
        counted = rating.rate(games, await self._standings(pool, games))
        known = str(turns[0][0]) if turns else ""
        await self._tables.transact(
            tuple(_written(pool, known, counted, is_full=len(games) == _AT_ONCE))
        )

    async def _standings(self, pool: _Pool, games: Sequence[RatedGame]) -> dict[str, KeptRating]:
        """Return the standings of the players of these games before the first of them."""
        persons = sorted({person for game in games for person in (game.X, game.O)})
        place = games[0].place
        asked = ((sql, one, *pool, *place) for one in persons for sql in _LAST)
        found = await run(self._tables, *asked)
        standings = {}
        for number, person in enumerate(persons):
            rows = list(chain(*found[2 * number : 2 * number + 2]))
            if rows:
                _, standings[person] = max((_place(row), _standing(row[3:])) for row in rows)
        return standings

    # What came of it

    async def of(self, person: PersonId) -> dict[tuple[str, str], Shown]:
        """Return the ratings of a person by board and pace, the one of most games first.

        Raises:
            StorageFailed: if they could not be read.
        """
        (rows,) = await run(self._tables, (_OF_PERSON, person))
        return {(str(board), str(pace)): _shown(rest) for board, pace, *rest in rows}

    async def ladder(self, board: str, pace: str) -> list[tuple[str, Shown]]:
        """Return who has a rating on a board at a pace, the best first, provisional ones last.

        Raises:
            StorageFailed: if it could not be read.
        """
        (rows,) = await run(self._tables, (_LADDER, board, pace))
        shown = (
            (str(name), _shown(rest))
            for name, settings, *rest in rows
            if not json.loads(str(settings)).get("hidden")
        )
        return list(islice(shown, MOST_ON_LADDER))

    async def pools(self) -> list[tuple[str, str, int]]:
        """Return the boards and paces that have ratings, and how many, the largest first.

        Raises:
            StorageFailed: if they could not be read.
        """
        (rows,) = await run(self._tables, (_POOLS,))
        return [(str(board), str(pace), int(people or 0)) for board, pace, people in rows]

    async def in_room(self, room: RoomState) -> dict[Mark, InGame]:
        """Return the ratings of the persons in a room: once its game is counted, those after it.

        Without a clock or days there are none.

        Raises:
            StorageFailed: if they could not be read.
        """
        seats = ((mark, room.seats[mark]) for mark in Mark)
        persons = {
            mark: seat.person for mark, seat in seats if isinstance(seat, Human) and seat.person
        }
        if not persons or (room.settings.clock is None and room.settings.days is None):
            return {}
        game = room.game
        over = 0 if game is None or game.outcome is None else game.number
        pool = board_name(room.settings.rules), rating.pace_of(room.settings)
        of_pair = _OF_PAIR, *pool, *(*persons.values(), "")[:2]
        counted, ratings = await run(self._tables, (_IN_GAME, room.name, over), of_pair)
        known = {str(person): InGame(_shown(rest), None) for person, *rest in ratings}
        for x, o, *values in counted:
            x_gain, o_gain = values[3], values[7]
            known[str(x)] = InGame(_shown(values[:3]), int(x_gain or 0))
            known[str(o)] = InGame(_shown(values[4:7]), int(o_gain or 0))
        return {mark: known.get(person, _NEW) for mark, person in persons.items()}

    @staticmethod
    def forget(person: PersonId) -> Statement:
        """Return the statement that deletes a person's ratings; the games stay."""
        return Statement("DELETE FROM ratings WHERE person = $1", (person,))


_NEW: Final = InGame(Shown(NEW.points, NEW.deviation, NEW.games), None)


def _shown(row: Iterable[Value]) -> Shown:
    return Shown(*(int(value or 0) for value in row))


def _written(
    pool: _Pool, known: str, counted: Sequence[Counted], *, is_full: bool
) -> Iterator[Statement]:
    """Yield the statements that write games as counted, if nobody else did since `known`.

    `is_full`: there may be later games, which are then to be counted again.
    """
    ours = *pool, secrets.token_hex(8)
    yield Statement(_BEGIN, pool)
    yield Statement(_TAKE_TURN, (*ours, known))
    for each in counted:
        yield Statement(_COUNT, (*ours, *each.game.place, *each.gained, *each.X, *each.O))
    latest: dict[str, KeptRating] = {}
    for each in counted:
        latest |= {each.game.X: each.X, each.game.O: each.O}
    for person, standing in sorted(latest.items()):
        points, deviation, _, games = standing
        yield Statement(_RATE, (*ours, person, points, deviation, games))
    if is_full:
        yield Statement(_UNCOUNT_AFTER, (*ours, *counted[-1].game.place))


def _place(row: Row) -> GamePlace:
    at, room, number, *_ = row
    return GamePlace(int(at or 0), str(room), int(number or 0))


def _standing(row: Row) -> KeptRating:
    return KeptRating(*(int(value or 0) for value in row))


def _game(row: Row) -> RatedGame:
    board, pace, *place, x, o, points = row
    return RatedGame(_place(tuple(place)), str(board), str(pace), str(x), str(o), int(points or 0))


# How many games two persons have played within a day, over all rooms and servers

_TURN: Final = """
INSERT INTO rated_pairs (pair, games) VALUES ($1, 1)
ON CONFLICT (pair) DO UPDATE SET games = rated_pairs.games + 1"""
"""Locks the pair until the end of the transaction: the games of two rooms take turns."""

_FORGET: Final = "DELETE FROM rated_ends WHERE pair = $1 AND at <= $2"

_TAKE: Final = """
INSERT INTO rated_ends (pair, room, number, at, of_day)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), COUNT(*) + 1
FROM rated_ends WHERE pair = $1
ON CONFLICT (pair, room, number) DO NOTHING"""

_READ: Final = "SELECT of_day FROM rated_ends WHERE pair = $1 AND room = $2 AND number = $3"


class RatedPairs:
    """Numbers the games of two persons as they end: `CountsGames` of the rooms."""

    def __init__(self, tables: PeopleTables) -> None:
        self._tables = tables

    async def number(self, room: Room, at: int) -> int:
        persons = filter(None, (person_in(room.seats, mark) for mark in Mark))
        pair = " ".join(sorted(persons))
        game = game_of(room).number
        *_, ((of_day,),) = await run(
            self._tables,
            (_TURN, pair),
            (_FORGET, pair, at - DAY_MS),
            (_TAKE, pair, room.name, game, at),
            (_READ, pair, room.name, game),
        )
        return int(of_day or 0)
