"""The address a connection counts for: an IPv4 address, or an IPv6 /64. Pure."""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, NewType

Source = NewType("Source", str)
"""Connections of one source share limits: `203.0.113.7`, `2001:db8:1:2::/64`."""

NOWHERE = Source("local")
"""The source of a socket without an address."""

_SHARED_BITS = 64
"""A network gets a whole IPv6 /64, and its clients choose the other bits freely."""

_REMEMBERED = 1000
"""Parsed addresses in the cache, as most clients come back."""


class NoAddress(ValueError):
    """The text is not an IPv4 or IPv6 address."""


@lru_cache(_REMEMBERED)
def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Parse an address with or without brackets, a port or a zone, as proxies write it.

    IPv4 within IPv6 is IPv4.

    Raises:
        NoAddress: if it is not an address.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        raise NoAddress(text) from None
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(_REMEMBERED)
def source_of(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Source:
    """Return the source that the address counts for."""
    if isinstance(address, ipaddress.IPv4Address):
        return Source(str(address))
    return Source(str(ipaddress.IPv6Network((address, _SHARED_BITS), strict=False)))


class Proxies(NamedTuple):
    """The proxies whose `X-Forwarded-For` the operator trusts."""

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "Proxies":
        """Parse addresses and networks: `127.0.0.1`, `10.0.0.0/8`, `::1`.

        Raises:
            ValueError: for any other text.
        """
        return cls(tuple(map(_parse_network, texts)))

    def trusts(self, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
        return any(address in network for network in self.networks)

    def client(
        self, peer: str, forwarded_for: Iterable[str]
    ) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        """Return the address of the client behind the proxies.

        From right to left, each address was added by the proxy before it. The first one that is
        not trusted is the client's. A text that is not an address ends the search, as no trusted
        proxy wrote the rest.

        Args:
            peer: the remote address of the socket.
            forwarded_for: the headers `X-Forwarded-For`, in order.

        Raises:
            NoAddress: if `peer` is not an address.
        """
        address = parse_address(peer)
        if not self.networks:
            return address  # as on most servers
        written = [entry for header in forwarded_for for entry in header.split(",")]
        while written and self.trusts(address):
            try:
                address = parse_address(written.pop())
            except NoAddress:
                break
        return address


NO_PROXIES = Proxies()


def _parse_network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ValueError(f"{text!r} is no address and no network such as 10.0.0.0/8") from None
