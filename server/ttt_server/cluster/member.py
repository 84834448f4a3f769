"""This server as one of many: its lease, its rooms, and the way to those of the others.

At the start it checks that the advertised address leads to it.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote
from uuid import UUID

from websockets.http11 import Request, Response

from ttt_protocol.base import FromServer, Plain
from ttt_protocol.codec import BadMessage, encode_message
from ttt_protocol.state import RoomName
from ttt_server.cluster.dial import PeerSilent, PeerUnreachable, ask
from ttt_server.cluster.lease import Lease
from ttt_server.cluster.maintenance import Directory, Maintenance
from ttt_server.cluster.ownership import Adoption, Ownership
from ttt_server.cluster.relay import Relay
from ttt_server.cluster.siblings import ALONE, Siblings
from ttt_server.cluster.signature import CLIENT, RELAY, Relayed, Signer
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.lobby.matchmaker import QUICK_MATCH
from ttt_server.lobby.room_list import PublicRooms
from ttt_server.rooms.admission import HOLD_S
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import Elsewhere
from ttt_server.storage.base import CannotOpen, StorageFailed
from ttt_server.storage.postgres import statements
from ttt_server.storage.postgres.store import PostgresStore
from ttt_server.tournaments.log import is_tournament
from ttt_server.tournaments.public_list import encode_events
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.transport.responses import Document, HttpError, document_response, end_connection

logger = logging.getLogger(__name__)

T = TypeVar("T")

WHO: Final = "/cluster/server"
"""The path at which a server identifies itself to the others."""

_LOOKS: Final = 50
_AGAIN_S: Final = 0.1
"""The processes of a parent that was killed are waited for so often, and after such a pause."""

_ROOMS: Final = "/cluster/rooms/"
"""The path, before the name of a log, at which a server shows a room or event to others."""

_GIVE: Final = "/cluster/give/"
"""The path, before a server's number and the name of a room, that asks for the room."""

_ASKS: Final = 3
"""How often to ask for a room whose owner changes meanwhile."""

EVENTS: Final = "/cluster/events"
HEALTH: Final = "/cluster/health"
METRICS: Final = "/cluster/metrics"
"""The paths at which a process tells the others of its server how it does."""

_HEALTHY: Final = b"ok"

_SLACK_S: Final = 2.0
"""A claimed room is kept a little longer than a client may take to join."""


class Who(NamedTuple):
    """What a server says about itself."""

    number: UUID
    group: str = ""
    """Of its processes; empty if it is one."""

    @property
    def answer(self) -> bytes:
        """The answer to `WHO`."""
        return json.dumps({"server": str(self.number), "group": self.group}).encode()

    def is_same(self, other: "Who") -> bool:
        """Return whether the other is this server, or another process of it."""
        return self.number == other.number or (self.group != "" and self.group == other.group)


class ClusterMember:
    """This server among those on the same database."""

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        store: PostgresStore,
        hub: Hub,
        tournaments: TournamentRegistry,
        listed: PublicRooms,
        secret: bytes,
        *,
        seeking: Callable[[], bytes],
        connections: Callable[[], int],
        lease_s: float,
        join_timeout_s: float,
        siblings: Siblings = ALONE,
    ) -> None:
        """Join nothing yet.

        Args:
            store: of this server.
            hub: of this server.
            tournaments: of this server.
            secret: of the installation.
            seeking: returns what is sought here, as `Matchmaker.seeking`.
            connections: returns the number of clients.
            lease_s: how long this server may be silent.
            join_timeout_s: for clients.
            siblings: the other processes of this server.
        """
        self.siblings = siblings
        self._store = store
        self._hub = hub
        self._tournaments = tournaments
        self._seeking_here = seeking
        self._tasks = TaskOwner()
        self._maintaining = TaskOwner()
        self._signer = Signer(secret)
        self._lease = Lease(
            store.target,
            lease_s,
            lambda: (len(hub.registry.all), connections(), self.directory.listed),
            self._lost,
        )
        hold_s = max(join_timeout_s, HOLD_S) + _SLACK_S
        self._ownership = Ownership(store.readers, self._lease, hold_s, siblings)
        self._adoption = Adoption(self._ownership, self._adopt, self._take)
        self.directory = Directory(
            hub.registry, hub.log, listed, self._lease, store.readers, self._adoption
        )
        self._maintenance = Maintenance(
            store,
            hub.registry,
            self._lease,
            self._ownership,
            self.directory,
            needs=self._needs,
            adoption=self._adoption,
            on_gone=self._gone,
        )
        self.relay = Relay(self._ownership, self._signer, self._tasks, self._lease.shared_time)
        store.require(self._lease)
        hub.registry.share(self)
        tournaments.share(self)

    # Start and stop

    async def start(self, address: str, *, is_given: bool = True) -> None:
        """Join the others. The server already listens, and answers with `answer_probe`.

        Args:
            address: where the others reach this server.
            is_given: whether the operator chose it.

        Raises:
            CannotOpen: with one line for the operator.
        """
        await self._lease.start(self.siblings.address(address))
        try:
            await self._introduce(address, is_given=is_given)
        except BaseException:
            await self._lease.close()
            raise
        self._maintaining.start(self._maintenance.run())
        self._maintaining.start(self._adoption.run())

    async def _introduce(self, address: str, *, is_given: bool) -> None:
        """Check that the address leads to this server, and those of the others do not.

        `is_given`: whether the operator chose the address. If not, a server of several processes
        goes on where others cannot reach it: it is one of one machine.

        Raises:
            CannotOpen: with one line for the operator.
        """
        me = self._me
        try:
            who = await self._who_is_at(address)
        except PeerUnreachable as error:
            if is_given or not me.group:
                raise CannotOpen(f"--advertise: {error}") from None
            words = "servers on other machines cannot reach this one (%s): --advertise"
            logger.warning(words, error)
            who = me
        if who is None or not me.is_same(who):
            what = "another server" if who else "something else"
            raise CannotOpen(f"--advertise: {address} leads to {what}, not to this server")
        try:
            rows = await self._store.readers.fetch(statements.SERVERS)
        except StorageFailed as error:
            raise CannotOpen(str(error)) from None
        for row in rows:
            other, where = row["id"], row["address"]
            if other != me.number and row["is_alive"] and not self.siblings.have(where):
                await self._require_apart(me, other, where)

    async def _require_apart(self, me: Who, other: UUID, address: str) -> None:
        """Check that the address of another server does not lead to this one."""
        fetch = self._store.readers.fetch
        with suppress(PeerUnreachable):
            who = await self._who_is_at(address)
            if who is None or not me.is_same(who):
                return
            for _ in range(_LOOKS if "#" in address else 1):
                await fetch(statements.REAP_UNLOCKED, me.number)
                if all(row["id"] != other for row in await fetch(statements.SERVERS)):
                    return  # it is gone; this server or another has just removed it
                await asyncio.sleep(_AGAIN_S)
            raise CannotOpen(
                f"another server advertises {address}, which leads to this one: give each server an"
                " --advertise of its own"
            )

    async def _who_is_at(self, address: str) -> Who | None:
        """Return which server is at an address; `None` if it is none of this installation.

        Raises:
            PeerUnreachable: if there is no answer.
        """
        answer = await self._ask(address, WHO)
        with suppress(ValueError, KeyError, TypeError):
            about = json.loads(answer)
            return Who(UUID(about["server"]), about.get("group", ""))
        return None

    async def warn_of_risks(self) -> None:
        """Log what in the database's settings may lose moves that were told."""
        with suppress(StorageFailed):
            for risk in await self._store.risks():
                logger.warning("%s", risk)

    async def hand_over(self) -> None:
        """Hand the rooms and events over to the others: this server stops."""
        await self._maintaining.close()  # or it would adopt what it has just released
        self._tournaments.give_up()
        self._hub.eviction.give_up()
        try:
            await self._ownership.hand_over()
        except StorageFailed as error:
            logger.warning("could not hand over the rooms before the lease ends: %s", error)
        await self._lease.close()

    async def close(self) -> None:
        """Stop everything."""
        self._ownership.close()
        await self._maintaining.close()
        await self._tasks.close()
        await self._lease.close()

    # For the hub: `rooms.registry.RoomOwnership`

    def has(self, name: RoomName) -> bool:
        """Return whether a room may be opened here."""
        return self._ownership.has(name)

    async def acquire(self, name: RoomName) -> None:
        """Claim a room for this server.

        Raises:
            Elsewhere: if another server owns it.
        """
        if await self._ownership.locate(name) is not None:
            raise Elsewhere

    async def take(self, name: RoomName) -> bool:
        """Claim a room for this server; ask the server that has it to give it up.

        Return whether another had it.

        Raises:
            StorageFailed: if it does not answer, or the database cannot tell.
        """
        asked = 0
        while (address := await self._ownership.locate(name)) is not None:
            if asked == _ASKS:
                raise StorageFailed(f"room {name}: another server has it")
            asked += 1
            with suppress(PeerUnreachable):
                await self._ask(address, f"{_GIVE}{self._lease.number}/{name}")
        return asked > 0

    def hand_on(self, name: RoomName) -> None:
        """Leave a room to the other servers: this one cannot read its log."""
        self._tasks.start(self._ownership.hand_on(name))

    async def read(self, name: RoomName, decode: Callable[[bytes], T]) -> T | None:
        """Ask the owner of a room or event for its state; `None` if there is no answer."""
        path, before = f"{_ROOMS}{quote(name)}", None
        while (address := await self._ownership.look_up(name)) not in (None, before):
            try:
                return decode(await self._ask(address, path))
            except (PeerUnreachable, BadMessage) as error:
                logger.debug("reading %s from its log instead: %s", name, error)
                self._ownership.forget(name)  # where it was remembered to be
                before = address
        return None

    async def seeking(self) -> bytes:
        """Return what is sought at the server at which all seek; nothing without an answer.

        Raises:
            StorageFailed: if the database cannot tell which one that is.
        """
        if self.has(QUICK_MATCH):
            return self._seeking_here()
        return await self.read(QUICK_MATCH, _sought) or b"[]"

    async def read_events(self) -> list[bytes]:
        """Return the public events of each other process of this server, as they encode them."""
        return [each for each in await self._ask_siblings(EVENTS) if each]

    # For the gateway

    async def locate(self, name: RoomName) -> str | None:
        """Return the address of a room's owner, claiming it if it has none; `None` for this server.

        Where a room of another server is, is remembered until it proves wrong.

        Raises:
            StorageFailed: if the database cannot tell.
        """
        return await self._ownership.find(name)

    def relayed(self, request: Request) -> Relayed | None:
        """Return what another server says about a request, if one relays it."""
        headers = request.headers
        return self._signer.check(
            request.path, headers.get_all(CLIENT), headers.get_all(RELAY), self._lease.shared_time()
        )

    def is_peer(self, host: str) -> bool:
        """Return whether another server has this address."""
        return host in self._maintenance.peers or (host == "" and self.siblings.group != "")

    @property
    def peers(self) -> frozenset[str]:
        """The hosts of other servers."""
        return self._maintenance.peers

    def may_relay(self, visit_host: str, address: str) -> bool:
        """Return whether a request that another server relays goes on to a process of this one.

        `visit_host`: where it comes from; empty for a process of this server.
        """
        return visit_host != "" and self.siblings.have(address)

    async def answer_probe(self, request: Request, host: str) -> Response:
        """Answer another server: which server this is, or the state of a room or event.

        `host`: its address; empty for a process of this server.

        Raises:
            HttpError: 404 for another path, and for what is not in memory here.
        """
        body = await self._answer(request.path, may_relay=host != "")
        response = document_response(Document.once(body), request)
        end_connection(response)  # a server of an older release reads to the end
        return response

    async def _answer(self, path: str, *, may_relay: bool) -> bytes:
        if path == WHO:
            return self._me.answer
        if path == METRICS:
            return self.siblings.report()
        if path == EVENTS:
            return encode_events(self._tournaments.public)
        if path == HEALTH:
            return _HEALTHY if self.directory.is_healthy else b"fails"
        if path.startswith(_GIVE):
            return await self._give(path, may_relay=may_relay)
        name = RoomName(unquote(path.removeprefix(_ROOMS)) if path.startswith(_ROOMS) else "")
        state: FromServer | Plain | None
        if name == QUICK_MATCH and self.has(name):
            return self._seeking_here()
        if is_tournament(name):
            state = await self._tournaments.in_memory(name)
        else:
            state = self._hub.reader.in_memory(name)
        if state is not None:
            return encode_message(state)
        return await self._ask_owner(name, path, may_relay=may_relay)

    async def _give(self, path: str, *, may_relay: bool) -> bytes:
        """Give a room of this server, which is not an event, to the server that asks."""
        number, _, name = path.removeprefix(_GIVE).partition("/")
        room = RoomName(name)
        if is_tournament(room) or not self._ownership.has(room):
            return await self._ask_owner(room, path, may_relay=may_relay)
        try:
            give = partial(self._ownership.give, room, UUID(number))
            await self._hub.eviction.let_go(room, give)
        except (ValueError, StorageFailed) as error:
            raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
        return b""

    async def _ask_owner(self, name: RoomName, path: str, *, may_relay: bool) -> bytes:
        """Ask the process of this server that has a room, if another process relays the request.

        Raises:
            HttpError: 404, if there is none.
        """
        owner = await self._ownership.look_up(name) if may_relay and self.siblings.group else None
        if owner is not None and self.siblings.have(owner):
            with suppress(PeerUnreachable):
                return await self._ask(owner, path)
        raise HttpError(HTTPStatus.NOT_FOUND, "there is nothing here")

    # For /healthz and /metrics of a server of several processes

    async def is_healthy(self) -> bool:
        """Return whether all processes of this server that run can keep moves."""
        if not self.directory.is_healthy:
            return False
        return all(answer in {_HEALTHY, None} for answer in await self._ask_siblings(HEALTH))

    async def metrics(self) -> list[bytes]:
        """Return the metrics of each process of this server that answers."""
        others = await self._ask_siblings(METRICS)
        return [self.siblings.report(), *(each for each in others if each)]

    async def _ask_siblings(self, path: str) -> list[bytes | None]:
        """Return the answers of the other processes: `None` where none runs, empty if it hangs."""

        async def answer(door: str) -> bytes | None:
            try:
                return await self._ask(door, path)
            except PeerSilent:
                return b""
            except PeerUnreachable:
                return None

        return await asyncio.gather(*map(answer, self.siblings.doors))

    async def _ask(self, address: str, path: str) -> bytes:
        """Ask another server, or another process of this one.

        Raises:
            PeerUnreachable: if there is no answer in time.
        """
        headers = self._signer.headers("probe", path, "", self._lease.shared_time())
        return await ask(self.siblings.reach(address), path, headers)

    @property
    def _me(self) -> Who:
        return Who(self._lease.number, self.siblings.group)

    def _needs(self, name: RoomName) -> bool:
        if name in self._adoption.waiting or name == QUICK_MATCH:
            return True
        return (self._tournaments if is_tournament(name) else self._hub.eviction).needs(name)

    async def _adopt(self, name: RoomName) -> None:
        await (self._tournaments if is_tournament(name) else self._hub.upkeep).adopt(name)

    def _take(self, name: RoomName) -> None:
        """Run a room's clock from now, though the room is not in memory."""
        self._hub.log.take(name, self._hub.registry.now())

    def _gone(self, addresses: frozenset[str]) -> None:
        self._ownership.leave(addresses)
        self.relay.leave(addresses)

    def _lost(self) -> None:
        self._adoption.give_up()
        self._ownership.give_up()
        self._tournaments.give_up()
        self._hub.eviction.give_up()


def _sought(answer: bytes) -> bytes:
    """Return the answer of the server at which all seek.

    Raises:
        BadMessage: if it does not know what is sought, as one of an older release.
    """
    if not answer.startswith(b"["):
        raise BadMessage("this is not what is sought")
    return answer
