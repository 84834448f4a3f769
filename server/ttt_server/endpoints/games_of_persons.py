"""Lists of a person's games: `/api/me/games?state=turn&rules=3x3x3&opponent=Ben&after=…`."""

from typing import Any

from pydantic import Field

from ttt_engine import EngineError
from ttt_protocol.base import FromServer
from ttt_protocol.state import PersonId
from ttt_server.endpoints.ladder import ShownRating
from ttt_server.endpoints.studies import read_fields, read_rules
from ttt_server.people.games import MOST, STATES, Cursor, GamesWish, listed, page
from ttt_server.people.ratings import Ratings
from ttt_server.storage.people import PeopleTables
from ttt_server.transport.responses import HttpError


class GamesPage(FromServer):
    """Games of a person: those that wait for a move, those that run, those that are over."""

    games: list[dict[str, Any]]
    next: str | None
    """For `after`, to read on; null at the end."""


class RatingOfPerson(FromServer):
    """How strong a person is on a board at a pace."""

    board: str
    pace: str
    rating: float
    deviation: float
    provisional: bool
    games: int


class PersonPage(GamesPage):
    """A person, as everybody may see them, with games of public rooms."""

    name: str
    since: int
    """Since when the name is kept, in Unix ms."""
    ratings: list[RatingOfPerson] = Field(default_factory=list)


def read_games_wish(query: str) -> GamesWish:
    """Return the games that a query asks for.

    Raises:
        HttpError: 400 for an impossible value.
    """
    given = read_fields(query)
    state, limit = given.get("state"), given.get("limit", str(MOST))
    if state is not None and state not in STATES:
        raise HttpError(400, f"state is one of {', '.join(STATES)}")
    if not (limit.isascii() and limit.isdigit() and 1 <= int(limit[:9]) <= MOST):
        raise HttpError(400, f"limit must be a number from 1 to {MOST}")
    try:
        board = str(read_rules(given)) if "rules" in given else None
    except EngineError as error:
        raise HttpError(400, f"rules: {error}") from None
    try:
        after = Cursor.parse(given["after"]) if "after" in given else None
    except ValueError:
        raise HttpError(400, "after is what a page gave as next") from None
    return GamesWish(
        next((each for each in STATES if each == state), None),
        board,
        given.get("opponent"),
        after,
        int(limit),
    )


async def read_games(
    tables: PeopleTables, person: PersonId, wish: GamesWish, *, is_for_all: bool = False
) -> GamesPage:
    """Return a page of a person's games.

    `is_for_all`: only what everybody may know.

    Raises:
        StorageFailed: if they could not be read.
    """
    statements = page(person, wish, is_for_all=is_for_all)
    found = await tables.transact(statements) if statements else []
    games = listed(row for rows in found for row in rows)
    last = games[wish.limit - 1].cursor if len(games) > wish.limit else None
    shown = [game.fields for game in games[: wish.limit]]
    return GamesPage(
        games=list(map(_for_all, shown)) if is_for_all else shown,
        next=None if last is None else str(last),
    )


async def read_ratings(tables: PeopleTables, person: PersonId) -> list[RatingOfPerson]:
    """Return the ratings of a person, the one of most games first.

    Raises:
        StorageFailed: if they could not be read.
    """
    return [
        RatingOfPerson.model_validate(
            {"board": board, "pace": pace, **ShownRating.fields_of(shown)}
        )
        for (board, pace), shown in (await Ratings(tables).of(person)).items()
    ]


def _for_all(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a game as others see it: whose turn it is, and until when, is for the players."""
    private = {"falls_at", "days", "public", "delayed"}
    if fields.get("delayed"):
        private |= {"ply", "board", "at"}
    shown = {name: value for name, value in fields.items() if name not in private}
    return shown | ({"state": "running"} if shown["state"] == "turn" else {})
