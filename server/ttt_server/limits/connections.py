"""The open connections, and what each address has used of its limits."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ttt_protocol.codes import CloseCode
from ttt_server.limits.client_address import (
    NO_PROXIES,
    NOWHERE,
    NoAddress,
    Proxies,
    Source,
    parse_address,
    source_of,
)
from ttt_server.limits.token_bucket import TokenBucket

_REMEMBERED = 10_000
"""Accounts without a connection that are kept; the one left longest ago is dropped."""

_SLACK = 16
"""Connections beyond the limit that may wait to send their request."""


@dataclass(frozen=True, slots=True)
class AddressLimits:
    """The limits of all connections from one address together."""

    connections: int
    """At once."""
    connects_per_s: float
    connect_burst: float
    commands_per_s: float
    command_burst: float
    guesses_per_s: float
    """Wrong tokens and passwords."""
    guess_burst: float


class AddressAccount:
    """The connections of one address, and its token buckets."""

    def __init__(self, source: Source, limits: AddressLimits, now: float) -> None:
        self.source = source
        self.known = 0
        """Its connections, with those that have not asked for anything yet."""
        self.let_in = 0
        self.connects = TokenBucket(limits.connects_per_s, limits.connect_burst, now)
        self.commands = TokenBucket(limits.commands_per_s, limits.command_burst, now)
        self.guesses = TokenBucket(limits.guesses_per_s, limits.guess_burst, now)


class Caller(Protocol):
    """A connection, as the table sees it."""

    host: str
    """The address of its other end; empty if it has none."""
    number: int
    """Its number, of all connections since the start."""
    account: AddressAccount
    is_proxied: bool
    """Whether it comes from a trusted proxy."""

    @property
    def has_asked(self) -> bool: ...

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None) -> None: ...

    def cut(self) -> None: ...


class ConnectionTable:
    """Counts connections, in all and by address. A refused connection takes no place."""

    def __init__(
        self,
        limit: int,
        limits: AddressLimits,
        clock: Callable[[], float],
        proxies: Proxies = NO_PROXIES,
    ) -> None:
        self._limit = limit
        self._limits = limits
        self._proxies = proxies
        self._clock = clock
        self._accounts: dict[Source, AddressAccount] = {}
        self._idle: OrderedDict[Source, AddressAccount] = OrderedDict()
        """Accounts without a connection; the one left longest ago comes first."""
        self._let_in: set[Caller] = set()
        self.peers: set[Caller] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self.opened = 0
        """Connections since the start."""
        self.cuts = 0
        """Connections that were cut, since the start."""

    def open(self, peer: Caller) -> bool:
        """Enter a connection from its first byte on, so that it can be cut.

        False if there are too many, or too many that have not asked for anything yet: then the
        connection is to be turned away.
        """
        self.peers.add(peer)
        self._empty.clear()
        self.opened += 1
        peer.number = self.opened
        account = self._enter(peer, ())
        peer.is_proxied = self._is_proxy(peer)
        if len(self.peers) > self._limit + _SLACK:
            return False
        if peer.is_proxied:
            return True
        if account.known - account.let_in > self._limits.connections + _SLACK:
            return False
        return account.connects.spend(self._clock())

    def let_in(self, peer: Caller, forwarded_for: Iterable[str] = ()) -> bool:
        """Count a connection that has sent its request; False if there are too many.

        Args:
            peer: a connection that was opened.
            forwarded_for: its headers `X-Forwarded-For`, in order.
        """
        if peer not in self.peers:
            return False  # it was closed while its request was read
        if peer in self._let_in:
            return True
        account = peer.account
        if peer.is_proxied:
            self._leave(account)
            account = self._enter(peer, forwarded_for)
            if not account.connects.spend(self._clock()):
                return False
        if len(self._let_in) >= self._limit or account.let_in >= self._limits.connections:
            return False
        account.let_in += 1
        self._let_in.add(peer)
        return True

    def close(self, peer: Caller) -> None:
        self.peers.remove(peer)
        if peer in self._let_in:
            self._let_in.remove(peer)
            peer.account.let_in -= 1
        self._leave(peer.account)
        if not self.peers:
            self._empty.set()

    def dismiss_all(self, code: CloseCode, retry_after_s: float) -> None:
        """Say goodbye to every connection; cut those that have not asked for anything yet."""
        for connection in self.peers:
            connection.dismiss(code, retry_after_s=retry_after_s)
            if not connection.has_asked:
                connection.cut()

    def cut_all(self) -> None:
        """End every connection with a reset."""
        for connection in self.peers:
            connection.cut()

    async def drained(self) -> None:
        """Wait until no connection is open."""
        await self._empty.wait()

    def _is_proxy(self, peer: Caller) -> bool:
        try:
            return self._proxies.trusts(parse_address(peer.host))
        except NoAddress:
            return False

    def _enter(self, peer: Caller, forwarded_for: Iterable[str]) -> AddressAccount:
        try:
            source = source_of(self._proxies.client(peer.host, forwarded_for))
        except NoAddress:
            source = NOWHERE
        account = self._accounts.get(source)
        if account is None:
            account = self._accounts[source] = AddressAccount(source, self._limits, self._clock())
        self._idle.pop(source, None)
        account.known += 1
        peer.account = account
        return account

    def _leave(self, account: AddressAccount) -> None:
        account.known -= 1
        if account.known:
            return
        self._idle[account.source] = account
        if len(self._idle) > _REMEMBERED:
            forgotten, _ = self._idle.popitem(last=False)
            del self._accounts[forgotten]
