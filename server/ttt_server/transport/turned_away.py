"""One who comes when there is no place."""

from asyncio import Protocol, Transport
from collections.abc import Callable
from http import HTTPStatus

from ttt_server.endpoints.urls import HttpError, error_response


def turn_away(transport: Transport, on_gone: Callable[[], None]) -> None:
    """Refuses without a look at what they want: that is cheaper by far."""
    transport.set_protocol(_TurnedAway(on_gone))
    full = HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections")
    transport.write(error_response(full).serialize())
    transport.close()


class _TurnedAway(Protocol):
    """Waits until the refusal is written."""

    def __init__(self, on_gone: Callable[[], None]) -> None:
        self._on_gone = on_gone

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        self._on_gone()
