"""Plain HTTP requests, one after another on one connection (RFC 9112, sections 2.2, 6.3 and 9).

A request has no body here, so it ends with its head (6.3), and the next one begins behind it. The
requests of a client are answered in their order, one at a time (9.3.2).
"""

from typing import Final

from websockets.http11 import Request, Response

MOST_BEHIND: Final = 1 << 14
"""The bytes of further requests that may come before the answer; more are a flood."""

_HEAD_END: Final = b"\r\n\r\n"


class HeadSplitter:
    """Finds the end of a request's head, in whatever pieces it comes."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last = b""
        """The last bytes before the next piece, fewer than the end of a head has."""

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the part of `data` that belongs to the head, and what is behind it."""
        known = len(self._last)
        seen = self._last + data
        end = seen.find(_HEAD_END)
        if end < 0:
            self._last = seen[1 - len(_HEAD_END) :]
            return data, b""
        end += len(_HEAD_END) - known
        return data[:end], data[end:]


class PlainRequests:
    """The requests of a connection beside the one that it answers."""

    __slots__ = ("_behind", "_is_last", "may_begin")

    def __init__(self) -> None:
        self.may_begin = False
        """Whether what comes now belongs to another request."""
        self._is_last = False
        """Whether the connection takes no request after the present one."""
        self._behind = b""
        """Bytes that came behind a request, before its answer."""

    def begin(self, request: Request) -> None:
        """Take note of a request that is to be answered."""
        self.may_begin = is_plain(request)
        self._is_last = self._is_last or not persists(request)

    def end(self) -> None:
        """Take no request after the present one."""
        self._is_last = True

    def may_follow(self, response: Response) -> bool:
        """Tell whether a request may follow the response, which may say that none does (9.6)."""
        return not self._is_last and response.headers.get("Connection") != "close"

    def hold(self, data: bytes) -> bool:
        """Keep what came before the answer; return False if that is too much."""
        self._behind += data
        return len(self._behind) <= MOST_BEHIND

    def next(self, data: bytes) -> bytes:
        """Return what has come of the next request, with `data`: without empty lines (2.2)."""
        self.may_begin = False
        behind, self._behind = self._behind, b""
        return (behind + data).lstrip(b"\r\n")


def is_plain(request: Request) -> bool:
    """Tell whether HTTP follows the request: it asks for no other protocol (RFC 9110, 7.8)."""
    return "Upgrade" not in request.headers


def persists(request: Request) -> bool:
    """Tell whether the client may send another request on the connection (9.3, 9.6)."""
    options = ",".join(request.headers.get_all("Connection")).lower().split(",")
    return (
        is_plain(request)
        and request.protocol == "HTTP/1.1"
        and "close" not in {option.strip() for option in options}
    )


def end_connection(response: Response) -> None:
    """Let a response say that the connection ends with it, unless it says more than that."""
    if "Connection" not in response.headers:
        response.headers["Connection"] = "close"
