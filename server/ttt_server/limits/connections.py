"""Who is connected, and how much each address may ask for."""

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
"""Addresses with nobody connected whose budgets are kept; the one unseen longest is forgotten."""

_SLACK = 16
"""So many more than may be let in may be about to ask for it."""


@dataclass(frozen=True, slots=True)
class AddressLimits:
    """What all connections from one address may do together."""

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
    """What one address has used of its limits."""

    def __init__(self, source: Source, limits: AddressLimits, now: float) -> None:
        self.source = source
        self.known = 0
        """Its connections, those that have not asked for anything yet among them."""
        self.let_in = 0
        self.connects = TokenBucket(limits.connects_per_s, limits.connect_burst, now)
        self.commands = TokenBucket(limits.commands_per_s, limits.command_burst, now)
        self.guesses = TokenBucket(limits.guesses_per_s, limits.guess_burst, now)


class Caller(Protocol):
    """What is to be known of a peer here."""

    host: str
    """The address of its socket; empty if it has none."""
    number: int
    """Of all connections since the start."""
    account: AddressAccount
    is_proxied: bool
    """Whether a proxy that is trusted speaks for it."""

    @property
    def has_asked(self) -> bool: ...

    def dismiss(self, code: CloseCode, retry_after_s: float | None = None) -> None: ...

    def cut(self) -> None: ...


class ConnectionTable:
    """Counts peers, in all and by address. One that is refused takes no place."""

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
        """Those with nobody connected, the one that was left longest ago first."""
        self._let_in: set[Caller] = set()
        self.peers: set[Caller] = set()
        self.on_empty: Callable[[], None] = lambda: None
        """Called when the last peer has gone."""
        self.opened = 0
        """Since the start."""
        self.cuts = 0
        """Of those, the ones that were cut off."""

    def open(self, peer: Caller) -> bool:
        """From its first byte a peer is known, so that it can be cut off.

        False if too many come, or wait to say what they want: this one is not to be heard.
        """
        self.peers.add(peer)
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
        """Counts a peer that has said what it wants; false if there are too many.

        Args:
            peer: one that is known.
            forwarded_for: its headers `X-Forwarded-For`, in order.
        """
        if peer not in self.peers:
            return False  # it went while its request was read
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
            self.on_empty()

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
