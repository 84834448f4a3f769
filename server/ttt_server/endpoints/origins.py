"""Which pages may use the server, by `Host` and `Origin` of a request. Pure."""

import re
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_server.transport.responses import HttpError

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~-]+)(?::[0-9]{1,5})?")
_WHOLE_URL = re.compile(r"https?://([^/?#]*)(.*)", re.IGNORECASE)
_PORTS = {"http": ":80", "https": ":443"}
"""The port that an origin of the scheme leaves out (RFC 6454, section 6.2)."""


class OriginPolicy(NamedTuple):
    """Decides from which pages a browser may connect. Other programs send no `Origin`."""

    origins: frozenset[str] = frozenset()
    """Origins of other sites that may connect."""
    hosts: frozenset[str] = frozenset()
    """Names of this server; only checked if `is_local`."""
    is_local: bool = False
    """Whether only this machine can reach the server.

    Another site may then let its own name lead here, so that its page has the server's origin.
    """

    def check_host(self, request: Request) -> str:
        """Return the name or address in `Host`, in lower case; empty for HTTP/1.0 without one.

        Raises:
            HttpError: 400 if it is missing, there twice, or no host.
        """
        sent = request.headers.get_all("Host")
        if not sent and request.protocol == "HTTP/1.0":
            return ""
        host = _host(sent[0]) if len(sent) == 1 else None
        if host is None:
            raise HttpError(400, "a request must have exactly one valid Host")
        return host

    def check_name(self, request: Request, *, is_proxied: bool = False) -> None:
        """Keep other sites from reading here through a name that they let resolve to this machine.

        A browser sends no `Origin` with a plain request of a page to its own site.

        Args:
            request: one with a good `Host`.
            is_proxied: whether it comes from a trusted proxy.

        Raises:
            HttpError: 403 where the name is none of the server's.
        """
        host = self.check_host(request)
        if host and self.is_local and not is_proxied and not self._is_own(host):
            words = "this server does not answer to that host name: add it with --allow-host"
            raise HttpError(403, words)

    def check_origin(self, request: Request, *, is_proxied: bool = False) -> None:
        """Keep other sites from connecting with a visitor's browser.

        Args:
            request: one with a good `Host`.
            is_proxied: whether it comes from a trusted proxy.

        Raises:
            HttpError: 403 for an `Origin` that is neither the server's own nor in `origins`.
        """
        sent = request.headers.get_all("Origin")
        if not sent or (len(sent) == 1 and sent[0] in self.origins):
            return
        own = [
            f"{scheme}://{host.removesuffix(port)}"
            for host in request.headers.get_all("Host")
            for scheme, port in _PORTS.items()
        ]
        is_own_host = not self.is_local or is_proxied or self._is_own(self.check_host(request))
        if len(sent) != 1 or sent[0] not in own or not is_own_host:
            raise HttpError(403, "pages of other sites may not connect")

    def _is_own(self, host: str) -> bool:
        """Return whether no other site can let this name resolve to this machine."""
        if host in self.hosts or host == "localhost" or host.endswith(".localhost"):
            return True
        return is_address(host)


def in_origin_form(request: Request) -> Request:
    """Return a request with a path for its target: the host of a whole URL becomes its `Host`.

    RFC 9112, section 3.2.2. An invalid `Host` is left in place, for `check_host` to reject.
    """
    url = _WHOLE_URL.fullmatch(request.path)
    if url is None:
        return request
    host, path = url.groups()
    headers = Headers()
    for name, value in request.headers.raw_items():
        is_replaced = name.lower() == "host" and _host(value) is not None
        headers[name] = host if is_replaced else value
    if request.protocol == "HTTP/1.0" and "Host" not in headers:
        headers["Host"] = host
    return replace(request, path=path if path.startswith("/") else f"/{path}", headers=headers)


@lru_cache(64)
def _host(sent: str) -> str | None:
    """Return the name or address in a `Host`; `None` if it is invalid."""
    host = _HOST.fullmatch(sent)
    return None if host is None else host[1].lower()


def is_address(host: str) -> bool:
    """Return whether a host is an address, such as `127.0.0.1` or `[::1]`, and not a name."""
    try:
        ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether only the same machine can reach a server that listens there."""
    if is_address(host):
        return ip_address(host).is_loopback
    return host == "localhost"
