"""The limits of one connection, and the open connections, counted in all and by address."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from ttt_server.limits import client_address
from ttt_server.limits.census import ALONE, EVERYONE, Census, Countable
from ttt_server.limits.rates import AddressAccount, AddressLimits

_REMEMBERED = 10_000
"""Accounts kept without a connection; the one idle longest is dropped."""

_SLACK = 16
"""Connections beyond the limit that may still send their request."""


C = TypeVar("C", bound=Hashable)
"""A connection."""


class ConnectionLimits(NamedTuple):
    """How much one client may send, and leave unread."""

    max_frame: int
    """Bytes of a message, at least 125."""
    frames_per_s: float
    """Pings and fragments are frames, too."""
    frame_burst: int
    outbox: int
    """Messages that wait for the client."""
    send_timeout_s: float
    """For the client to read something, and to close."""


class ConnectionTable(Generic[C]):
    """Counts connections, in all and by address. A refused connection takes no place."""

    def __init__(
        self,
        limit: int,
        limits: AddressLimits,
        clock: Callable[[], float],
        proxies: client_address.Proxies = client_address.NO_PROXIES,
        is_peer: Callable[[str], bool] = lambda _: False,
        census: Census = ALONE,
    ) -> None:
        """Begin empty.

        Args:
            limit: of all connections.
            limits: of those of one address.
            clock: returns seconds.
            proxies: that are trusted.
            is_peer: tells whether another server of this installation is at an address.
            census: what the other processes of this server have.
        """
        self._census = census
        self._limit = limit
        self._limits = limits
        self._proxies = proxies
        self._is_peer = is_peer
        self._clock = clock
        self._accounts: dict[client_address.Source, AddressAccount] = {}
        self._idle: OrderedDict[client_address.Source, AddressAccount] = OrderedDict()
        """Accounts without a connection, idle longest first."""
        self._open: dict[C, AddressAccount] = {}
        """The account of each connection."""
        self._let_in: set[C] = set()
        self._from_siblings: set[C] = set()
        """Connections that another process of this server passes on, and counts."""
        self._rested: set[C] = set()
        """Connections that have had an answer: each further request counts as a new connection of
        the address."""
        self._empty = asyncio.Event()
        self._empty.set()
        self.opened = 0
        """Connections since the start; also the number of the newest."""
        self.cuts = 0
        """Connections cut since the start."""

    def note_cut(self) -> None:
        self.cuts += 1

    @property
    def all(self) -> Collection[C]:
        """The open connections. They change with every await."""
        return self._open.keys()

    @property
    def count(self) -> int:
        """The open connections, without those that another process of this server counts."""
        return len(self._open) - len(self._from_siblings)

    def open(self, connection: C, host: str) -> AddressAccount | None:
        """Register a connection from its first byte on, so that it can be cut.

        Args:
            connection: a new one.
            host: its remote address; empty if it has none.

        Returns:
            Its account; `None` if there are too many connections, or too many without a request
            yet, and it must be turned away.
        """
        self._empty.clear()
        self.opened += 1
        is_peer = self._is_peer(host)
        if is_peer and not host:  # the socket of a process has no address
            self._from_siblings.add(connection)
        else:
            self._census.add(Countable.OPEN, EVERYONE, 1)
        account = self._enter(connection, host, ())
        if self._known > self._limit + _SLACK:
            return None
        if is_peer or self.is_proxy(host):
            return account
        there, source = self._census.elsewhere, account.source
        silent = account.known - account.relayed - account.let_in
        silent += there(Countable.OPEN, source) - there(Countable.LET_IN, source)
        if silent > self._limits.connections + _SLACK:
            return None
        return account if account.connects.spend(self._clock()) else None

    def let_in(
        self,
        connection: C,
        host: str,
        forwarded_for: Iterable[str] = (),
        *,
        relayed_for: str | None = None,
    ) -> AddressAccount | None:
        """Count a connection that has sent its request.

        Args:
            connection: one that is open.
            host: its remote address.
            forwarded_for: its headers `X-Forwarded-For`, in order.
            relayed_for: the address of a client that another server relays; empty for that server's
                own connection, which has no limit.

        Returns:
            Its account, by the address of the client behind the proxies; `None` if there are too
            many connections.
        """
        account = self._open.get(connection)
        if account is None:
            return None  # closed while its request was read
        if connection in self._let_in:
            return account
        if connection in self._from_siblings:
            self._leave(connection, account)
            return self._enter(connection, relayed_for or "", ())
        if relayed_for is not None:
            self._leave(connection, account)
            account = self._enter(connection, relayed_for, ())
        elif self.is_proxy(host):
            self._leave(connection, account)
            account = self._enter(connection, host, forwarded_for)
            if not account.connects.spend(self._clock()):
                return None
        elif connection in self._rested and not account.connects.spend(self._clock()):
            return None
        # Countable first, so that no two processes give away the same last place.
        account.let_in += 1
        self._let_in.add(connection)
        self._census.add(Countable.LET_IN, EVERYONE, 1)
        self._census.add(Countable.LET_IN, account.source, 1)
        there = self._census.elsewhere
        if len(self._let_in) + there(Countable.LET_IN, EVERYONE) > self._limit or (
            account.let_in + there(Countable.LET_IN, account.source) > self._limits.connections
            and relayed_for != ""  # a server's own connection
        ):
            self._give_up_place(connection, account)
            return None
        return account

    def may_rest(self, connection: C) -> bool:
        """Return whether a connection may wait for another request.

        Half of all places, and of those of its address, stay free.
        """
        account = self._open.get(connection)
        if account is None:
            return False
        known = account.known - account.relayed
        known += self._census.elsewhere(Countable.OPEN, account.source)
        return self._known * 2 <= self._limit and known * 2 <= self._limits.connections

    def rest(self, connection: C, host: str) -> None:
        """Free the place of an answered connection until its next request.

        Args:
            connection: one that is open.
            host: its remote address. The next request through a proxy may be another client's.
        """
        account = self._open[connection]
        self._give_up_place(connection, account)
        self._rested.add(connection)
        if self.is_proxy(host):
            self._leave(connection, account)
            self._enter(connection, host, ())

    def close(self, connection: C) -> None:
        account = self._open.pop(connection)
        self._give_up_place(connection, account)
        self._rested.discard(connection)
        self._leave(connection, account)
        if connection in self._from_siblings:
            self._from_siblings.remove(connection)
        else:
            self._census.add(Countable.OPEN, EVERYONE, -1)
        if not self._open:
            self._empty.set()

    async def drained(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()

    def is_proxy(self, host: str) -> bool:
        """Return whether a trusted proxy is at this address."""
        if not self._proxies.networks:
            return False  # as on most servers
        try:
            return self._proxies.trusts(client_address.parse_address(host))
        except client_address.NoAddress:
            return False

    def _give_up_place(self, connection: C, account: AddressAccount) -> None:
        if connection in self._let_in:
            self._let_in.remove(connection)
            account.let_in -= 1
            self._census.add(Countable.LET_IN, EVERYONE, -1)
            self._census.add(Countable.LET_IN, account.source, -1)

    @property
    def _known(self) -> int:
        """The connections of all processes."""
        return self.count + self._census.elsewhere(Countable.OPEN, EVERYONE)

    def _enter(self, connection: C, host: str, forwarded_for: Iterable[str]) -> AddressAccount:
        try:
            source = client_address.source_of(self._proxies.client(host, forwarded_for))
        except client_address.NoAddress:
            source = client_address.NOWHERE
        account = self._accounts.get(source)
        if account is None:
            account = self._accounts[source] = AddressAccount(source, self._limits, self._clock())
        self._idle.pop(source, None)
        account.known += 1
        self._note(connection, account, 1)
        self._open[connection] = account
        return account

    def _leave(self, connection: C, account: AddressAccount) -> None:
        account.known -= 1
        self._note(connection, account, -1)
        if account.known:
            return
        self._idle[account.source] = account
        if len(self._idle) > _REMEMBERED:
            forgotten, _ = self._idle.popitem(last=False)
            del self._accounts[forgotten]

    def _note(self, connection: C, account: AddressAccount, change: int) -> None:
        """Count a connection of an address, unless another process does."""
        if connection in self._from_siblings:
            account.relayed += change
        else:
            self._census.add(Countable.OPEN, account.source, change)
