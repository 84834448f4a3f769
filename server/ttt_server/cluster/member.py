"""This server as one of many: its lease, its rooms, and the ways to those of the others."""

import json
import logging
from collections.abc import Callable
from http import HTTPStatus
from time import time
from typing import Final, TypeVar

from websockets.http11 import Request, Response

from ttt_protocol.base import FromServer, Plain
from ttt_protocol.codec import BadMessage, encode_message
from ttt_protocol.state import RoomName
from ttt_server.cluster.dial import Unreachable, ask
from ttt_server.cluster.directory import Directory
from ttt_server.cluster.lease import Counts, Lease
from ttt_server.cluster.maintenance import Maintenance
from ttt_server.cluster.ownership import Ownership
from ttt_server.cluster.reachability import WHO, introduce
from ttt_server.cluster.relay import Relay
from ttt_server.cluster.signature import CLIENT, RELAY, Kind, Relayed, Signer
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import Elsewhere
from ttt_server.rooms.reservations import HOLD_S
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.tournaments.log import is_tournament
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.transport.responses import Document, HttpError, document_response, end_connection

logger = logging.getLogger(__name__)

T = TypeVar("T")

_ROOMS: Final = "/cluster/rooms/"
"""Before the name of a log: the path at which the state of its room or event is told."""

_SLACK_S: Final = 2.0
"""A room that was asked for is kept a little longer than a client may take to come."""


class ClusterMember:
    """This server among those on the same database."""

    def __init__(
        self,
        store: PostgresStore,
        hub: Hub,
        tournaments: TournamentRegistry,
        secret: bytes,
        *,
        connections: Callable[[], int],
        lease_s: float,
        join_timeout_s: float,
    ) -> None:
        """`connections` counts the clients."""
        self._store = store
        self._hub = hub
        self._tournaments = tournaments
        self._tasks = TaskOwner()
        self._maintaining = TaskOwner()
        self._signer = Signer(secret)
        self._lease = Lease(
            store.target,
            lease_s,
            lambda: Counts(len(hub.rooms), connections()),
            self._lost,
        )
        hold_s = max(join_timeout_s, HOLD_S) + _SLACK_S
        self._ownership = Ownership(store.readers, self._lease, hold_s)
        self.directory = Directory(hub, self._lease)
        self._maintenance = Maintenance(
            store,
            hub,
            self._lease,
            self._ownership,
            self.directory,
            needs=self._needs,
            adopt=self._adopt,
            on_gone=self._gone,
        )
        self.relay = Relay(self._ownership, self._signer, self._tasks)
        store.require(lambda: self._lease.owner)
        hub.registry.share(self)
        tournaments.share(self)

    # The life of this server

    async def start(self, address: str) -> None:
        """Join the others. The server listens already, and answers `answer_probe`.

        Args:
            address: where the others reach this one.

        Raises:
            CannotOpen: with one line for the operator.
        """
        await self._lease.start(address)
        try:
            await introduce(self._store, self._lease, address, self._headers)
        except BaseException:
            await self._lease.close()
            raise
        self._maintaining.start(self._maintenance.run())

    async def hand_over(self) -> None:
        """Leave the rooms and events to the others: this server stops."""
        await self._maintaining.close()  # or it would take over what it has just left
        self._tournaments.give_up()
        self._hub.give_up()
        try:
            await self._ownership.hand_over()
        except StorageFailed as error:
            logger.warning("the rooms wait for the end of the lease: %s", error)
        await self._lease.close()

    async def close(self) -> None:
        """End all that goes on."""
        self._ownership.close()
        await self._maintaining.close()
        await self._tasks.close()
        await self._lease.close()

    # The rooms, as the hub asks

    def has(self, name: RoomName) -> bool:
        """Tell whether a room may be opened here."""
        return self._ownership.has(name)

    async def acquire(self, name: RoomName) -> None:
        """Make a room this server's; see `rooms.registry.Ownership`."""
        if await self._ownership.locate(name) is not None:
            raise Elsewhere

    async def read(self, name: RoomName, decode: Callable[[bytes], T]) -> T | None:
        """Ask the server of a room or event for its state; see `rooms.registry.Ownership`."""
        address, path = await self._ownership.look_up(name), f"{_ROOMS}{name}"
        if address is None:
            return None
        try:
            return decode(await ask(address, path, self._headers("probe", path, "")))
        except (Unreachable, BadMessage) as error:
            logger.debug("%s is read from its log: %s", name, error)
            return None

    # The requests, as the gateway asks

    async def locate(self, name: RoomName) -> str | None:
        """Return the address of a room's owner; `None` if this server is the owner.

        Raises:
            StorageFailed: if that cannot be found out.
        """
        return await self._ownership.locate(name)

    def relayed(self, request: Request) -> Relayed | None:
        """Return what another server says of a request; `None` if no server does."""
        headers = request.headers
        return self._signer.check(
            request.path, headers.get_all(CLIENT), headers.get_all(RELAY), time()
        )

    def is_peer(self, host: str) -> bool:
        """Tell whether another server is at this address."""
        return host in self._maintenance.peers

    async def answer_probe(self, request: Request) -> Response:
        """Tell another server who this is, or the state of a room or event in memory here.

        Raises:
            HttpError: 404 for another path, and for what is not in memory.
        """
        response = document_response(Document.once(await self._answer(request.path)), request)
        end_connection(response)  # a server of an older release reads to the end
        return response

    async def _answer(self, path: str) -> bytes:
        if path == WHO:
            return json.dumps({"server": str(self._lease.number)}).encode()
        name = RoomName(path.removeprefix(_ROOMS) if path.startswith(_ROOMS) else "")
        state: FromServer | Plain | None
        if is_tournament(name):
            state = await self._tournaments.in_memory(name)
        else:
            state = self._hub.reader.in_memory(name)
        if state is None:
            raise HttpError(HTTPStatus.NOT_FOUND, "there is nothing here")
        return encode_message(state)

    def _headers(self, kind: Kind, path: str, client: str) -> tuple[tuple[str, str], ...]:
        return self._signer.headers(kind, path, client, time())

    def _needs(self, name: RoomName) -> bool:
        return self._tournaments.needs(name) if is_tournament(name) else self._hub.needs(name)

    async def _adopt(self, name: RoomName) -> None:
        await (self._tournaments.adopt(name) if is_tournament(name) else self._hub.adopt(name))

    def _gone(self, addresses: frozenset[str]) -> None:
        self.relay.leave(addresses)

    def _lost(self) -> None:
        self._ownership.give_up()
        self._tournaments.give_up()
        self._hub.give_up()
