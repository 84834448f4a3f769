"""The ladder: people by their rated games, and programs by a file of `ttt-server ladder`."""

import asyncio
import logging
from itertools import starmap
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationError

from ttt_protocol.base import FromServer, absent
from ttt_protocol.notation import board_name, board_of
from ttt_protocol.state import RoomState
from ttt_server.endpoints.asking import read_fields
from ttt_server.people.rating import Pace
from ttt_server.people.ratings import Ratings, Shown
from ttt_server.transport.responses import HttpError

MOST_BYTES: Final = 1 << 20
"""The most bytes to read of the file."""

_USUAL_BOARD: Final = "3x3x3"

_log = logging.getLogger(__name__)

_Count = Annotated[int, Field(ge=0)]


class LadderStanding(FromServer):
    """A program in the ladder."""

    name: Annotated[str, Field(max_length=1000)]
    elo: float
    error: Annotated[float, Field(ge=0)]
    """Half of the 95 % confidence interval, in Elo."""
    wins: _Count
    draws: _Count
    losses: _Count
    forfeits: _Count


class ShownRating(FromServer):
    """A rating, in points."""

    rating: float
    deviation: float
    provisional: bool
    games: int

    @staticmethod
    def fields_of(shown: Shown) -> dict[str, float | bool]:
        """Return the fields of a rating that is kept in thousandths."""
        return {
            "rating": round(shown.points / 1000, 2),
            "deviation": round(shown.deviation / 1000, 2),
            "provisional": shown.is_provisional,
            "games": shown.games,
        }


class LadderPerson(ShownRating):
    """A person in the ladder."""

    name: str


class SeatRating(ShownRating):
    """The rating of the person in a seat."""

    change: Annotated[float | None, Field(exclude_if=absent)] = None
    """What the game changed, in points. Absent until it is counted, and where it does not count."""


class RoomRatings(FromServer):
    """The ratings of the persons in a room. A seat without one is left out."""

    X: Annotated[SeatRating | None, Field(exclude_if=absent)] = None
    O: Annotated[SeatRating | None, Field(exclude_if=absent)] = None  # noqa: E741 - as on the wire


class LadderOf(FromServer):
    """A board and pace, and how many people have a rating there."""

    board: str
    pace: Pace
    people: int


class Ladder(FromServer):
    """The programs of a board, and where people have ratings, the people; the strongest first."""

    rules: Annotated[str, Field(max_length=40)]
    standings: tuple[LadderStanding, ...]
    pace: Annotated[Pace | None, Field(exclude_if=absent)] = None
    people: Annotated[tuple[LadderPerson, ...] | None, Field(exclude_if=absent)] = None
    ladders: Annotated[tuple[LadderOf, ...] | None, Field(exclude_if=absent)] = None


async def read_file(path: Path) -> Ladder:
    """Return the ladder of a file, which may change while the server runs.

    Raises:
        HttpError: 503, it cannot be read, which the log explains.
    """

    def content() -> bytes:
        with path.open("rb") as file:
            return file.read(MOST_BYTES)

    try:
        return Ladder.model_validate_json(await asyncio.to_thread(content))
    except (OSError, ValidationError) as error:
        reason = str(error).partition("\n")[0]
        _log.warning("the ladder %s cannot be read: %s", path, reason)
        raise HttpError(503, "the ladder cannot be read") from None


async def read_ladder(query: str, file: Path | None, ratings: Ratings | None) -> Ladder:
    """Return the ladder of `board=3x3x3&pace=fast`; of the most played ones without these.

    Raises:
        HttpError: 400 for another board or pace, 404 where there is no ladder, 503 if the file
            cannot be read.
        StorageFailed: if the ratings could not be read.
    """
    if ratings is None:
        if file is None:
            raise HttpError(404, "this server has no ladder")
        return await read_file(file)
    fields = read_fields(query)
    board, pace = _board(fields.get("board")), _pace(fields.get("pace"))
    programs = None if file is None else await read_file(file)
    pools = [LadderOf(board=name, pace=Pace(at), people=n) for name, at, n in await ratings.pools()]
    boards = [pool.board for pool in pools] + ([] if programs is None else [programs.rules])
    board = board or next(iter(boards), _USUAL_BOARD)
    pace = pace or next((pool.pace for pool in pools if pool.board == board), Pace.FAST)
    if programs is not None and programs.rules not in boards[:-1]:
        pools.append(LadderOf(board=programs.rules, pace=Pace.FAST, people=0))
    is_theirs = programs is not None and programs.rules == board
    return Ladder(
        rules=board,
        standings=programs.standings if programs is not None and is_theirs else (),
        pace=pace,
        people=tuple(starmap(_person, await ratings.ladder(board, pace))),
        ladders=tuple(pools),
    )


async def read_room_ratings(room: RoomState, ratings: Ratings) -> RoomRatings:
    """Return how strong the persons in a room are, on its board at its pace.

    Raises:
        StorageFailed: if it could not be read.
    """
    seats = {}
    for mark, found in (await ratings.in_room(room)).items():
        change = None if found.gained is None else round(found.gained / 1000, 2)
        seats[mark.value] = {**ShownRating.fields_of(found.shown), "change": change}
    return RoomRatings.model_validate(seats)


def _person(name: str, shown: Shown) -> LadderPerson:
    return LadderPerson.model_validate({"name": name, **ShownRating.fields_of(shown)})


def _board(text: str | None) -> str | None:
    try:
        return None if text is None else board_name(board_of(text))
    except ValueError:
        raise HttpError(400, "write a board as 7x6x4g") from None


def _pace(text: str | None) -> Pace | None:
    try:
        return None if text is None else Pace(text)
    except ValueError:
        known = ", ".join(Pace)
        raise HttpError(400, f"a pace is one of {known}") from None
