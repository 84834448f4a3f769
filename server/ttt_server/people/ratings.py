"""The ratings of persons in the store: the games that count, and the standings after each.

A game is noted first, as the reader of logs finds it, and counted then, so that both can be done
again after a crash. A game that is noted late, as another server's, has all that ended after it on
its board and at its pace counted again. What is counted follows from the games alone.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from ttt_server.people.rating import Counted, GamePlace, KeptRating, RatedGame, rate
from ttt_server.storage.people import PeopleTables, Row, Statement

_AT_ONCE: Final = 200
"""Games to count in one transaction."""

_FACTS: Final = "board, pace, at, room, number, x, o, points"

_NOTE: Final = f"""
INSERT INTO rated_games ({_FACTS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (room, number, at) DO NOTHING
"""  # noqa: S608 - names of ours, as below

_UNCOUNTED: Final = """
SELECT board, pace FROM rated_games WHERE x_gain IS NULL GROUP BY board, pace
"""
_TURN_OF: Final = "SELECT turn FROM rating_turns WHERE board = $1 AND pace = $2"
_FIRST: Final = """
SELECT at, room, number FROM rated_games WHERE board = $1 AND pace = $2 AND x_gain IS NULL
ORDER BY at, room, number LIMIT 1
"""
_FROM: Final = f"""
SELECT {_FACTS} FROM rated_games
WHERE board = $1 AND pace = $2 AND (at, room, number) >= ($3, $4, $5)
ORDER BY at, room, number LIMIT {_AT_ONCE}
"""  # noqa: S608


def _last_as(side: str) -> str:
    """Return the statement that reads a person's standing after the last game on this side."""
    return f"""
SELECT at, room, number, {side}_points, {side}_deviation, {side}_volatility, {side}_games
FROM rated_games
WHERE {side} = $1 AND board = $2 AND pace = $3 AND (at, room, number) < ($4, $5, $6)
ORDER BY at DESC, room DESC, number DESC LIMIT 1
"""  # noqa: S608


_LAST: Final = _last_as("x"), _last_as("o")

_OURS: Final = """
EXISTS (SELECT 1 FROM rating_turns WHERE board = $1 AND pace = $2 AND turn = $3)
"""
"""Whether the turn was taken: else another server was quicker, and nothing may be written."""

_BEGIN: Final = """
INSERT INTO rating_turns (board, pace, turn) VALUES ($1, $2, '')
ON CONFLICT (board, pace) DO NOTHING
"""
_TAKE_TURN: Final = """
UPDATE rating_turns SET turn = $3 WHERE board = $1 AND pace = $2 AND turn = $4 RETURNING turn
"""
_UNCOUNT_AFTER: Final = f"""
UPDATE rated_games SET x_gain = NULL
WHERE board = $1 AND pace = $2 AND (at, room, number) > ($4, $5, $6) AND {_OURS}
"""  # noqa: S608
_COUNT: Final = f"""
UPDATE rated_games SET x_gain = $7, o_gain = $8,
    x_points = $9, x_deviation = $10, x_volatility = $11, x_games = $12,
    o_points = $13, o_deviation = $14, o_volatility = $15, o_games = $16
WHERE at = $4 AND room = $5 AND number = $6 AND {_OURS}
"""  # noqa: S608
_RATE: Final = f"""
INSERT INTO ratings (board, pace, person, points, deviation, games)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($4 AS TEXT),
    CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)
WHERE {_OURS}
ON CONFLICT (person, board, pace) DO UPDATE
SET points = excluded.points, deviation = excluded.deviation, games = excluded.games
"""


class _Pool(NamedTuple):
    """The games of one board at one pace, of which ratings are made."""

    board: str
    pace: str


class Ratings:
    """Counts games, and reads what came of them."""

    def __init__(self, tables: PeopleTables) -> None:
        self._tables = tables

    @staticmethod
    def note(games: Iterable[RatedGame]) -> Iterator[Statement]:
        """Yield the statements that note games to be counted by `count`; known ones stay."""
        for game in games:
            players = game.X, game.O
            yield Statement(_NOTE, (game.board, game.pace, *game.place, *players, game.points))

    @staticmethod
    def begin_anew() -> tuple[Statement, ...]:
        """Return the statements after which all noted games are counted again."""
        return Statement("DELETE FROM ratings"), Statement("UPDATE rated_games SET x_gain = NULL")

    async def count(self) -> None:
        """Count all games that are noted and not counted.

        Raises:
            StorageFailed: if that cannot be done; it may be tried again.
        """
        while True:
            (pools,) = await self._tables.transact([Statement(_UNCOUNTED)])
            if not pools:
                return
            for board, pace in pools:
                await self._count(_Pool(str(board), str(pace)))

    async def _count(self, pool: _Pool) -> None:
        """Count some games of one board and pace, unless another server does."""
        turns, firsts = await self._tables.transact(
            (Statement(_TURN_OF, pool), Statement(_FIRST, pool))
        )
        if not firsts:
            return
        first = _place(firsts[0])
        (rows,) = await self._tables.transact([Statement(_FROM, (*pool, *first))])
        games = [_game(row) for row in rows]
        before = await self._standings(pool, games)
        known = str(turns[0][0]) if turns else ""
        await self._tables.transact(
            tuple(_written(pool, known, rate(games, before), is_full=len(games) == _AT_ONCE))
        )

    async def _standings(self, pool: _Pool, games: Sequence[RatedGame]) -> dict[str, KeptRating]:
        """Return the standings of the players of these games before the first of them."""
        persons = sorted({person for game in games for person in (game.X, game.O)})
        place = games[0].place
        asked = [Statement(sql, (one, *pool, *place)) for one in persons for sql in _LAST]
        found = await self._tables.transact(asked)
        standings = {}
        for number, person in enumerate(persons):
            rows = list(chain(*found[2 * number : 2 * number + 2]))
            if rows:
                _, standings[person] = max((_place(row), _standing(row[3:])) for row in rows)
        return standings


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
