"""A plain request, as the endpoints see it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from websockets.http11 import Request

from ttt_server.endpoints.urls import HttpUrl
from ttt_server.limits.client_address import Source


class Client(NamedTuple):
    """Who sends a request."""

    address: Source
    """The address to count limits for."""
    may_guess: Callable[[], bool]
    """Count a wrong token; return False after too many from this address."""
    identity: str | None = None
    """Whom a trusted proxy names."""


@dataclass(frozen=True, slots=True)
class Ask:
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
