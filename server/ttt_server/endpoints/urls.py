"""Routes, and the parts of paths and queries."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_protocol.tournament.settings import (
    InvalidTournamentName,
    TournamentName,
    parse_tournament_name,
)
from ttt_server.transport.responses import HttpError

H = TypeVar("H")
"""A handler."""


@dataclass(frozen=True, slots=True)
class HttpUrl:
    """The target of a request."""

    path: str
    query: str

    @property
    def parts(self) -> list[str]:
        """The path between its slashes."""
        return self.path.split("/")[1:]


@dataclass(frozen=True, slots=True)
class Route(Generic[H]):
    """A path, and its handler."""

    pattern: re.Pattern[str]
    handler: H

    @classmethod
    def to(cls, path: str, handler: H) -> Self:
        """Make a route. Each `{name}` in the path becomes an argument of the handler."""
        return cls(re.compile(re.sub(r"{\w+}", "([^/]*)", path)), handler)


def find_route(routes: Iterable[Route[H]], path: str) -> tuple[H, tuple[str, ...]] | None:
    """Return the handler of a path and its arguments; `None` if no route leads there."""
    for route in routes:
        if match := route.pattern.fullmatch(path):
            return route.handler, match.groups()
    return None


def parse_url(target: str) -> HttpUrl:
    """Split the target of a request. Nothing is decoded, and any target is accepted."""
    path, _, query = target.partition("?")
    return HttpUrl(path, query)


def read_flag(query: str, name: str) -> bool:
    """Return whether a query sets a flag with `name=1`; `name=0` is the default.

    Raises:
        HttpError: 400 for another value.
    """
    given = dict(part.partition("=")[::2] for part in query.split("&"))
    value = given.get(name, "0")
    if value not in ("0", "1"):
        raise HttpError(400, f"{name} must be 0 or 1")
    return value == "1"


def room_name(text: str) -> RoomName:
    """Return the name of a room in a path.

    Raises:
        HttpError: 404 if no room can have this name.
    """
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise HttpError(404, str(error)) from None


def tournament_name(text: str) -> TournamentName:
    """Return the name of an event in a path.

    Raises:
        HttpError: 404 if no event can have this name.
    """
    try:
        return parse_tournament_name(text)
    except InvalidTournamentName as error:
        raise HttpError(404, str(error)) from None
