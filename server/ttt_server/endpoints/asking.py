"""A plain request, as the endpoints see it: its path and query, its client, and its route."""

import re
from collections.abc import Callable, Iterable
from typing import Final, Generic, NamedTuple, Self, TypeVar
from urllib.parse import parse_qsl

from websockets.http11 import Request

from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_protocol.tournament import settings
from ttt_server.limits.client_address import Source
from ttt_server.transport.responses import HttpError

_MOST_FIELDS: Final = 8

H = TypeVar("H")
"""A handler."""


class HttpUrl(NamedTuple):
    """The target of a request."""

    path: str
    query: str

    @property
    def parts(self) -> list[str]:
        """The path between its slashes."""
        return self.path.split("/")[1:]


class Route(NamedTuple, Generic[H]):
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


def read_fields(query: str) -> dict[str, str]:
    """Return the fields of a query.

    Raises:
        HttpError: 400 for too many.
    """
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise HttpError(400, "too many fields") from None


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


def tournament_name(text: str) -> settings.TournamentName:
    """Return the name of an event in a path.

    Raises:
        HttpError: 404 if no event can have this name.
    """
    try:
        return settings.parse_tournament_name(text)
    except settings.InvalidTournamentName as error:
        raise HttpError(404, str(error)) from None


class Client(NamedTuple):
    """Who sends a request."""

    address: Source
    """The address to count limits for."""
    may_guess: Callable[[], bool]
    """Count a wrong token; return False after too many from this address."""
    identity: str | None = None
    """Whom a trusted proxy names."""


class Ask(NamedTuple):
    """A plain request, reduced to what its answer depends on."""

    url: HttpUrl
    token: str | None
    """The secret in `Authorization: Bearer …`."""
    client: Client
    body: bytes = b""


def bearer(request: Request) -> str | None:
    """Return the bearer token of a request; `None` unless there is exactly one."""
    given = request.headers.get_all("Authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else None
