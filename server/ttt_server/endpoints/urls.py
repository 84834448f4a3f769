"""The paths of requests: `HttpUrl` is for plain HTTP, the others have WebSockets."""

from dataclasses import dataclass
from http import HTTPStatus

from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_protocol.tournament.settings import (
    InvalidTournamentName,
    TournamentName,
    parse_tournament_name,
)
from ttt_server.transport.responses import HttpError


@dataclass(frozen=True, slots=True)
class RoomUrl:
    """The path `/ws/rooms/{room}`."""

    name: RoomName


@dataclass(frozen=True, slots=True)
class LobbyUrl:
    """The path `/ws/lobby`."""

    wants_changes: bool = False
    """Whether changes are asked for, in place of the whole list, by `?changes=1`."""


@dataclass(frozen=True, slots=True)
class TournamentUrl:
    """The path `/ws/events/{event}`."""

    name: TournamentName


@dataclass(frozen=True, slots=True)
class PlayUrl:
    """The path `/ws/play`."""


@dataclass(frozen=True, slots=True)
class HttpUrl:
    """Any other path."""

    path: str
    query: str

    @property
    def parts(self) -> list[str]:
        """The path between its slashes."""
        return self.path.split("/")[1:]


Url = RoomUrl | LobbyUrl | PlayUrl | TournamentUrl | HttpUrl


def parse_url(target: str) -> Url:
    """Parse the target of a request: a path, with or without a query.

    Raises:
        HttpError: 404 for an impossible name of a room or an event, 400 for a wrong flag.
    """
    # Nothing is decoded, and no library splits it: those fail at some targets.
    path, _, query = target.partition("?")
    match path.split("/")[1:]:
        case ["ws", "rooms", name]:
            return RoomUrl(room_name(name))
        case ["ws", "lobby"]:
            return LobbyUrl(read_flag(query, "changes"))
        case ["ws", "play"]:
            return PlayUrl()
        case ["ws", "events", name]:
            return TournamentUrl(tournament_name(name))
        case _:
            return HttpUrl(path, query)


def read_flag(query: str, name: str) -> bool:
    """Return whether a query sets a flag, as `name=1`. Without it, and as `name=0`, it is not set.

    Raises:
        HttpError: 400 for another value.
    """
    given = dict(part.partition("=")[::2] for part in query.split("&"))
    value = given.get(name, "0")
    if value not in ("0", "1"):
        raise HttpError(HTTPStatus.BAD_REQUEST, f"{name} must be 0 or 1")
    return value == "1"


def room_name(text: str) -> RoomName:
    """Return the name of a room in a path.

    Raises:
        HttpError: 404 if no room can have it.
    """
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None


def tournament_name(text: str) -> TournamentName:
    """Return the name of an event in a path.

    Raises:
        HttpError: 404 if no event can have it.
    """
    try:
        return parse_tournament_name(text)
    except InvalidTournamentName as error:
        raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None
