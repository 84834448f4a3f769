"""Requests to the port: which socket they are for, if any; and how the others are rejected."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Response
from websockets.typing import Subprotocol

from ttt_protocol.state import SUBPROTOCOL, InvalidRoomName, RoomName, parse_room_name
from ttt_server import SERVER

METHODS = ("GET", "HEAD")

RETRY_AFTER_S = 5
"""When to come back after a 503."""


class HttpError(Exception):
    """The request is answered with this status and these words."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


@dataclass(frozen=True, slots=True)
class RoomUrl:
    """The path `/ws/rooms/{room}`."""

    name: RoomName


@dataclass(frozen=True, slots=True)
class LobbyUrl:
    """The path `/ws/lobby`."""


def parse_url(path: str) -> RoomUrl | LobbyUrl | None:
    """Which socket a request's path (with or without a query) means; null for plain HTTP.

    Raises:
        Rejected: 404 for a room that cannot be.
    """
    # Without the query. Not more than that: a parser of addresses fails at some of them.
    match path.partition("?")[0].split("/")[1:]:
        case ["ws", "lobby"]:
            return LobbyUrl()
        case ["ws", "rooms", text]:
            return RoomUrl(room_name(text))
        case _:
            return None


def select_subprotocol(offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """`ttt.v1` if it is offered; one who offers nothing is served it too.

    Raises:
        NegotiationError: if only others are offered.
    """
    if not offered:
        return None
    if SUBPROTOCOL not in offered:
        raise NegotiationError(f"this server speaks {SUBPROTOCOL}")
    return Subprotocol(SUBPROTOCOL)


def error_response(rejected: HttpError, *, head: bool = False) -> Response:
    """The answer to a request that failed; the connection ends with it. With `head`, no words."""
    body = f"{rejected.words}\n".encode()
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if rejected.status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    if rejected.status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(METHODS)
    return Response(rejected.status.value, rejected.status.phrase, headers, b"" if head else body)


def room_name(text: str) -> RoomName:
    """The name of a room in a path.

    Raises:
        Rejected: 404 for what can be none.
    """
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise HttpError(HTTPStatus.NOT_FOUND, str(error)) from None
