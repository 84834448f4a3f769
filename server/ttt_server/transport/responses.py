"""HTTP responses: documents that a browser may keep, and errors."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from gzip import compress
from hashlib import sha256
from http import HTTPStatus
from typing import Final, Self

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.telemetry.build import SERVER


def policy(frame_ancestors: Iterable[str] = ()) -> str:
    """Return the `Content-Security-Policy` of a document.

    Nothing from elsewhere and nothing inline; no text ever becomes markup or a script.
    `frame_ancestors` are the origins of other sites' pages that may show the document in a frame.
    """
    ancestors = " ".join(frame_ancestors)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {ancestors or NOWHERE}; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


NOWHERE: Final = "'none'"
POLICY: Final = policy()

METHODS: Final = ("GET", "HEAD")

REVALIDATED: Final = "no-cache"
"""Kept by a browser, and requested again each time: a 304 is cheap."""

LASTING: Final = "max-age=31536000, immutable"
"""Kept for a year, and not requested again: the content has an address of its own, so that it
needs no tag. Other sites may have it, too."""

PRIVATE: Final = "private, no-store"
"""For the reader alone, who has shown a secret."""

RETRY_AFTER_S: Final = 5
"""The time after which a client may come back, in a 503."""


@dataclass(frozen=True, slots=True)
class Document:
    """A body as it is sent."""

    body: bytes
    kind: str
    """The `Content-Type`."""
    tag: str | None
    """A strong `ETag`, of the body; `None` for what no cache keeps."""
    caching: str = REVALIDATED
    """The `Cache-Control`."""
    policy: str | None = POLICY
    """The `Content-Security-Policy`; `None` for what is never a document, as a script."""
    is_packed: bool = False
    """Whether it is sent compressed where the client can read that. For what seldom changes: it is
    compressed once, and kept."""

    @classmethod
    def of(cls, body: bytes, kind: str = "application/json") -> Self:
        """Make a document, and its tag."""
        return cls(body, kind, f'"{sha256(body).hexdigest()[:32]}"')

    @classmethod
    def once(cls, body: bytes, kind: str = "application/json") -> Self:
        """Make a document for one client alone, without a tag: 500 kB take 0.3 ms to digest."""
        return cls(body, kind, None, PRIVATE)


class HttpError(Exception):
    """A request is answered with this status and these words."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


def document_response(
    document: Document, request: Request, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """Answer with the document, or with 304 if the browser has it as it is."""
    is_packed = document.is_packed and _reads_gzip(request)
    # Each encoding has a tag of its own: a strong one is of the bytes that are sent.
    tag = document.tag
    if is_packed and tag is not None:
        tag = f'{tag[:-1]}-gzip"'
    headers = Headers(
        {"Cache-Control": document.caching, "X-Content-Type-Options": "nosniff"},
    )
    if document.caching != LASTING:  # a page has forty lasting files, whose headers weigh, too
        headers["Server"] = SERVER
        if tag is not None:
            headers["ETag"] = tag
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if document.policy is not None:
        headers["Content-Security-Policy"] = document.policy
        headers["Referrer-Policy"] = "no-referrer"
    if document.is_packed:
        headers["Vary"] = "Accept-Encoding"
    if status is HTTPStatus.OK and tag is not None and _has(request, tag):
        return _response(HTTPStatus.NOT_MODIFIED, headers, b"")
    body = _packed(document.body) if is_packed else document.body
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    headers["Content-Type"] = document.kind
    headers["Content-Length"] = str(len(body))
    return _response(status, headers, b"" if request.method == "HEAD" else body)


def error_response(error: HttpError, *, is_head: bool = False) -> Response:
    """Answer a request that failed, without the words if `is_head`. The connection ends with it."""
    body = f"{error.words}\n".encode()
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if error.status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if error.status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    if error.status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(METHODS)
    return _response(error.status, headers, b"" if is_head else body)


def may_follow(request: Request) -> bool:
    """Return whether the client may send another request on the connection (RFC 9112, 9.3, 9.6).

    None follows one that asks for another protocol (RFC 9110, section 7.8).
    """
    options = ",".join(request.headers.get_all("Connection")).lower().split(",")
    return (
        "Upgrade" not in request.headers
        and request.protocol == "HTTP/1.1"
        and "close" not in {option.strip() for option in options}
    )


def end_connection(response: Response) -> None:
    """Let a response say that the connection ends with it, unless it says more than that."""
    if "Connection" not in response.headers:
        response.headers["Connection"] = "close"


@lru_cache(maxsize=512)  # more than the page has files
def _packed(body: bytes) -> bytes:
    return compress(body, mtime=0)


def _reads_gzip(request: Request) -> bool:
    """Tell whether the client takes gzip: `Accept-Encoding`, RFC 9110, section 12.5.3."""
    weights: dict[str, str] = {}
    for part in ",".join(request.headers.get_all("Accept-Encoding")).split(","):
        coding, _, weight = part.partition(";")
        weights[coding.strip().lower()] = weight.strip()
    weight = weights.get("gzip", weights.get("*", "q=0"))
    return not re.fullmatch(r"q=0(\.0*)?", weight)


def _has(request: Request, tag: str) -> bool:
    """Tell whether `If-None-Match` names the tag; a proxy that compresses may weaken it."""
    given = ",".join(request.headers.get_all("If-None-Match"))
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return tag in tags or "*" in tags


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    return Response(status.value, status.phrase, headers, body)
