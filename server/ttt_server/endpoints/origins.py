"""Whose pages may speak to the server: what a request's `Host` and `Origin` must be. Pure."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address

from websockets.http11 import Request

from ttt_server.endpoints.urls import HttpError

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~-]+)(?::[0-9]{1,5})?")
_SCHEMES = ("http", "https")


@dataclass(frozen=True, slots=True)
class OriginPolicy:
    """From which pages a browser may come; terminals and programs send no `Origin`."""

    origins: frozenset[str] = frozenset()
    """Of other sites' pages."""
    hosts: frozenset[str] = frozenset()
    """Names that are ours, where `is_local`."""
    is_local: bool = False
    """Whether only this machine can reach the server.

    A site may then let its own name lead here, so that its page looks like ours to a browser.
    """

    def check_host(self, request: Request) -> str:
        """The name or address in `Host`, in lower case; empty for an old client that sends none.

        Raises:
            Rejected: 400 if it is missing, there twice, or no host.
        """
        sent = request.headers.get_all("Host")
        if not sent and request.protocol == "HTTP/1.0":
            return ""
        host = _HOST.fullmatch(sent[0]) if len(sent) == 1 else None
        if host is None:
            raise HttpError(HTTPStatus.BAD_REQUEST, "a request has one Host")
        return host[1].lower()

    def check_origin(self, request: Request, *, is_proxied: bool = False) -> None:
        """A page from elsewhere may not use a visitor's browser to speak to us.

        Args:
            request: one with a good `Host`.
            is_proxied: whether it comes from a proxy that is trusted.

        Raises:
            Rejected: 403 for an `Origin` that is neither our own nor in `origins`.
        """
        sent = request.headers.get_all("Origin")
        if not sent or (len(sent) == 1 and sent[0] in self.origins):
            return
        own = [
            f"{scheme}://{host}" for host in request.headers.get_all("Host") for scheme in _SCHEMES
        ]
        is_ours = not self.is_local or is_proxied or self._is_ours(self.check_host(request))
        if len(sent) != 1 or sent[0] not in own or not is_ours:
            raise HttpError(HTTPStatus.FORBIDDEN, "pages from elsewhere may not connect")

    def _is_ours(self, host: str) -> bool:
        """Whether no other site can make its name lead here."""
        if host in self.hosts or host == "localhost" or host.endswith(".localhost"):
            return True
        return is_address(host)


def is_address(host: str) -> bool:
    """Whether a host is an address, `127.0.0.1` or `[::1]`, and no name."""
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a server that listens there is reached from its own machine alone."""
    if is_address(host):
        return ip_address(host).is_loopback
    return host == "localhost"
