"""The gateway: admits or rejects each request and hands it to its endpoint."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from websockets.http11 import Request, Response

from ttt_protocol.codes import CloseCode
from ttt_protocol.state import RoomName
from ttt_server.cluster.signature import CLIENT, RELAY, Relayed
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.endpoints import asking
from ttt_server.endpoints.lobby import LobbyEndpoint
from ttt_server.endpoints.origins import OriginPolicy, in_origin_form
from ttt_server.endpoints.play import PlayEndpointContext
from ttt_server.endpoints.room import RoomEndpointContext
from ttt_server.endpoints.tournament import TournamentEndpointContext
from ttt_server.limits.connections import ConnectionTable
from ttt_server.lobby.matchmaker import QUICK_MATCH
from ttt_server.lobby.room_list import PageWish
from ttt_server.lobby.watchers import Lobby
from ttt_server.storage.base import StorageFailed
from ttt_server.telemetry.logging import about_connection
from ttt_server.tournaments.log import log_name
from ttt_server.transport.connection import Connection
from ttt_server.transport.responses import METHODS, HttpError, error_response

if TYPE_CHECKING:
    from ttt_server.cluster.member import ClusterMember
    from ttt_server.endpoints.http import HttpApi

logger = logging.getLogger(__name__)

HANDSHAKE_TIMEOUT_S = 10
"""The time for a client to send its request, and for the server to answer it."""

IDLE_TIMEOUT_S = 5
"""The time for a client to begin another request on the same connection."""

_TOO_LATE = HttpError(503, "timed out; try again")
_STORE_FAILS = HttpError(503, "the store fails")
_FAULT = HttpError(500, "internal server error")

Respond = Callable[[], Awaitable[Response]]

_STUDIES: Final = ("/api/trace", "/api/compare")
"""Their answers are for one client only: the work ends when it leaves."""

FOR_OPERATORS = ("/healthz", "/metrics")
"""Answered even by a full server."""


class Visit(NamedTuple):
    """A request for a WebSocket."""

    connection: Connection
    request: Request
    query: str
    relayed: Relayed | None
    """What another server says about it, if one relays it."""


@dataclass(eq=False, slots=True)
class Gateway:
    """Decides whether and by which endpoint each request is answered."""

    table: ConnectionTable[Connection]
    origins: OriginPolicy
    api: "Callable[[], HttpApi]"
    """Returns what answers plain requests."""
    lobby: Lobby
    rooms: RoomEndpointContext
    events: TournamentEndpointContext
    play: PlayEndpointContext
    cluster: "ClusterMember | None" = None
    """`None` for a single server."""
    tasks: TaskOwner = field(default_factory=TaskOwner)
    """The tasks that prepare answers."""
    _is_admitting: bool = True

    def stop_admitting(self) -> None:
        """Open no more WebSockets."""
        self._is_admitting = False

    def on_request(self, connection: Connection, request: Request) -> None:
        """Answer a request, at once or in a task."""
        # In its own context, which names the connection in the log.
        Context().run(self._answer, connection, request)

    def _answer(self, connection: Connection, request: Request) -> None:
        about_connection(connection.number)
        request = in_origin_form(request)
        url = asking.parse_url(request.path)
        found = asking.find_route(_SOCKETS, url.path)
        try:
            relayed = self._relayed(request)
            if relayed is not None and relayed.kind == "probe" and self.cluster is not None:
                answer = partial(self.cluster.answer_probe, request, connection.host)
                self._find(connection, request, answer)
                return
            self._admit(connection, request, relayed, is_plain=found is None)
            is_proxied = relayed is not None or self.table.is_proxy(connection.host)
            request = self.rooms.identities.vetted(request, is_proxied=is_proxied)
            if found is None:
                self._answer_plain(connection, request, url)
            else:
                handler, parts = found
                handler(self, Visit(connection, request, url.query, relayed), *parts)
        except HttpError as error:
            connection.answer(_rejection(error, request))

    def _answer_plain(self, connection: Connection, request: Request, url: asking.HttpUrl) -> None:
        identity = self.rooms.identities.of(request)
        client = asking.Client(connection.account.source, partial(_may_guess, connection), identity)
        finding = self._find(connection, request, lambda: self.api().respond(request, url, client))
        if url.path in _STUDIES:
            connection.on_departure(finding.cancel)

    # The handlers of WebSockets

    def serve_room(self, visit: Visit, room: str) -> None:
        name = asking.room_name(room)
        is_relayed = visit.relayed is not None
        identity = self.rooms.identities.of(visit.request)
        begin = partial(self.rooms.begin, name=name, is_relayed=is_relayed, identity=identity)
        self._serve(visit, name, begin)

    def serve_event(self, visit: Visit, event: str) -> None:
        name = asking.tournament_name(event)
        identity = self.rooms.identities.of(visit.request)
        begin = partial(self.events.begin, name=name, identity=identity)
        self._serve(visit, log_name(name), begin)

    def serve_lobby(self, visit: Visit) -> None:
        wants_changes = asking.read_flag(visit.query, "changes")
        wish = PageWish.parse(visit.query).to_watch
        if not self.lobby.has_place(wish):
            raise HttpError(503, "too many pages are watched")
        connection = visit.connection
        if connection.accept():
            self.lobby.enter(connection, wish, wants_changes=wants_changes)
            connection.attach(LobbyEndpoint(connection, self.lobby))

    def serve_play(self, visit: Visit) -> None:
        self._serve(visit, QUICK_MATCH, self.play.begin)

    def _serve(self, visit: Visit, name: RoomName, begin: Callable[[Connection], None]) -> None:
        """Serve a room or an event with `begin`, here or through the server that owns its log."""
        if self.cluster is not None and not self.cluster.has(name):
            finding = self._find_owner(self.cluster, visit, name, begin)
            self.tasks.start(finding, partial(self._answered, visit.connection, visit.request))
        elif visit.connection.accept():
            begin(visit.connection)

    async def _find_owner(
        self,
        cluster: "ClusterMember",
        visit: Visit,
        name: RoomName,
        begin: Callable[[Connection], None],
    ) -> None:
        connection = visit.connection
        about_connection(connection.number)
        address: str | None = None
        # A room that cannot be found has a `storage_failed` for each join.
        with suppress(StorageFailed):
            address = await cluster.locate(name)
        if address is None:
            if connection.accept():
                begin(connection)
        elif visit.relayed is None or cluster.may_relay(connection.host, address):
            cluster.relay.begin(connection, visit.request, name, address, begin)
        elif connection.accept():
            connection.dismiss(CloseCode.RESTARTING)  # one hop at most

    # Admission

    def _relayed(self, request: Request) -> Relayed | None:
        """Return what another server says about a request; `None` if none relays it."""
        if RELAY not in request.headers and CLIENT not in request.headers:
            return None
        relayed = None if self.cluster is None else self.cluster.relayed(request)
        if relayed is None:
            self.rooms.counters.note_false_relay()
        return relayed

    def _admit(
        self, connection: Connection, request: Request, relayed: Relayed | None, *, is_plain: bool
    ) -> None:
        """Check that a request may be answered.

        Args:
            connection: of the client, or of another server.
            request: the client's.
            relayed: what another server says about it, which has checked it already.
            is_plain: whether it asks for no WebSocket.

        Raises:
            HttpError: the first reason to reject it.
        """
        if relayed is None:
            is_let_in = connection.let_in(request.headers.get_all("X-Forwarded-For"))
        else:
            is_let_in = connection.let_in((), relayed_for=relayed.client)
        if not is_let_in and request.path not in FOR_OPERATORS:
            raise HttpError(503, "the server is full")
        self.origins.check_host(request)
        is_proxied = relayed is not None or self.table.is_proxy(connection.host)
        if is_plain:
            self.origins.check_name(request, is_proxied=is_proxied)
            if request.method not in METHODS:  # it may change something
                self.origins.check_origin(request, is_proxied=is_proxied)
        else:
            self.origins.check_origin(request, is_proxied=is_proxied)
            if not self._is_admitting:
                raise HttpError(503, "service unavailable")
            logger.debug("connected from %s", connection.account.source)

    def _find(
        self, connection: Connection, request: Request, respond: Respond
    ) -> asyncio.Task[None]:
        """Answer a request in a task."""
        answered = partial(self._answered, connection, request)
        return self.tasks.start(self._find_answer(connection, request, respond), answered)

    async def _find_answer(
        self, connection: Connection, request: Request, respond: Respond
    ) -> None:
        about_connection(connection.number)
        try:
            async with asyncio.timeout(HANDSHAKE_TIMEOUT_S):
                response = await respond()
        except HttpError as error:
            response = _rejection(error, request)
        except StorageFailed:
            response = _rejection(_STORE_FAILS, request)
        except TimeoutError:
            response = _rejection(_TOO_LATE, request)
        connection.answer(response)

    def _answered(
        self, connection: Connection, request: Request, error: BaseException | None
    ) -> None:
        """Answer a request whose task failed."""
        if error is not None and not isinstance(error, asyncio.CancelledError):
            context = Context()
            context.run(about_connection, connection.number)
            context.run(logger.error, "a request could not be answered", exc_info=error)
            connection.answer(_rejection(_FAULT, request))


_SOCKETS: Final[tuple[asking.Route[Callable[..., None]], ...]] = (
    asking.Route.to("/ws/rooms/{room}", Gateway.serve_room),
    asking.Route.to("/ws/lobby", Gateway.serve_lobby),
    asking.Route.to("/ws/play", Gateway.serve_play),
    asking.Route.to("/ws/events/{event}", Gateway.serve_event),
)
"""The paths with a WebSocket; `HttpApi` and `StaticFiles` have all others."""


def _may_guess(connection: Connection) -> bool:
    return connection.account.guesses.spend(connection.loop.time())


def _rejection(error: HttpError, request: Request) -> Response:
    logger.debug("rejected with %d", error.status)
    return error_response(error, is_head=request.method == "HEAD")
