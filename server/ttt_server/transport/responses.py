"""HTTP responses: documents that browsers may cache, and errors."""

import re
from collections.abc import Iterable
from functools import lru_cache
from gzip import compress
from hashlib import sha256
from http import HTTPStatus
from typing import Final, NamedTuple, Self

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.telemetry.build import SERVER

NOWHERE: Final = "'none'"


def policy(frame_ancestors: Iterable[str] = (), trusted_types: str = NOWHERE) -> str:
    """Return the `Content-Security-Policy` of a document.

    Nothing is loaded from other sites or inline, and no text becomes markup or a script, except by
    the policy that `trusted_types` names. `frame_ancestors` are the origins of other sites that may
    embed the document.
    """
    ancestors = " ".join(frame_ancestors)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {ancestors or NOWHERE}; "
        f"require-trusted-types-for 'script'; trusted-types {trusted_types}"
    )


POLICY: Final = policy()

METHODS: Final = ("GET", "HEAD")
METHODS_WITH_BODY: Final = ("POST", "PATCH", "DELETE")

REVALIDATED: Final = "no-cache"
"""Cached, and revalidated each time: a 304 is cheap."""

LASTING: Final = "max-age=31536000, immutable"
"""Cached for a year without revalidation: the address is of this content alone, so it needs no
tag. Other sites may load it, too."""

PRIVATE: Final = "private, no-store"
"""Only for this reader, who has shown a secret."""

_NAME: Final = SERVER.partition("/")[0]
"""For `Server`, which says nothing of the version."""

_PERMISSIONS: Final = "camera=(), geolocation=(), microphone=()"
"""What no page of ours may ask for."""

TLS_ONLY: Final = "max-age=31536000"
"""`Strict-Transport-Security` of answers over TLS."""

RETRY_AFTER_S: Final = 5
"""`Retry-After` of a 503 and a 429."""


class Document(NamedTuple):
    """A response body and how to send it."""

    body: bytes
    kind: str
    """The `Content-Type`."""
    tag: str | None
    """A strong `ETag` of the body; `None` if no cache may keep it."""
    caching: str = REVALIDATED
    """The `Cache-Control`."""
    policy: str | None = POLICY
    """The `Content-Security-Policy`; `None` for scripts and the like, which are never a page."""
    is_packed: bool = False
    """Whether to compress it for clients that accept that. The compressed form is cached, so this
    is for what seldom changes."""

    @classmethod
    def of(cls, body: bytes, kind: str = "application/json") -> Self:
        """Make a document with its tag."""
        return cls(body, kind, f'"{sha256(body).hexdigest()[:32]}"')

    @classmethod
    def once(cls, body: bytes, kind: str = "application/json") -> Self:
        """Make a document for one client, without a tag: hashing 500 kB takes 0.3 ms."""
        return cls(body, kind, None, PRIVATE)


class HttpError(Exception):
    """The answer to a request is this status and text."""

    def __init__(self, status: int, words: str, allow: tuple[str, ...] = METHODS) -> None:
        """`allow`: the methods of the path, for a 405."""
        super().__init__(words)
        self.status = HTTPStatus(status)
        self.words = words
        self.allow = allow


def document_response(
    document: Document, request: Request, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """Return the response with the document, or a 304 if the browser has it already."""
    is_packed = document.is_packed and _reads_gzip(request)
    # Each encoding has its own tag: a strong tag is of the bytes that are sent.
    tag = document.tag
    if is_packed and tag is not None:
        tag = f'{tag[:-1]}-gzip"'
    headers = Headers({"Cache-Control": document.caching, "X-Content-Type-Options": "nosniff"})
    if document.caching != LASTING:  # a page has forty lasting files, and their headers add up
        headers["Server"] = _NAME
        if tag is not None:
            headers["ETag"] = tag
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if document.policy is not None:
        headers["Content-Security-Policy"] = document.policy
        headers["Referrer-Policy"] = "no-referrer"
        headers["Permissions-Policy"] = _PERMISSIONS
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
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
    """Return the response to a failed request, without a body if `is_head`. It is the last one."""
    body = f"{error.words}\n".encode()
    headers = Headers(
        {
            "Server": _NAME,
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
        headers["Allow"] = ", ".join(error.allow)
    return _response(error.status, headers, b"" if is_head else body)


def may_follow(request: Request) -> bool:
    """Return whether another request may follow on the connection (RFC 9112, 9.3 and 9.6).

    None may follow an upgrade (RFC 9110, section 7.8).
    """
    options = ",".join(request.headers.get_all("Connection")).lower().split(",")
    return (
        "Upgrade" not in request.headers
        and request.protocol == "HTTP/1.1"
        and "close" not in {option.strip() for option in options}
    )


def end_connection(response: Response) -> None:
    """Mark a response as the last of its connection, unless it has a `Connection` header."""
    if "Connection" not in response.headers:
        response.headers["Connection"] = "close"


@lru_cache(maxsize=512)  # more than the page has files
def _packed(body: bytes) -> bytes:
    return compress(body, mtime=0)


def _reads_gzip(request: Request) -> bool:
    """Return whether the client accepts gzip (`Accept-Encoding`, RFC 9110, section 12.5.3)."""
    weights: dict[str, str] = {}
    for part in ",".join(request.headers.get_all("Accept-Encoding")).split(","):
        coding, _, weight = part.partition(";")
        weights[coding.strip().lower()] = weight.strip()
    weight = weights.get("gzip", weights.get("*", "q=0"))
    return not re.fullmatch(r"q=0(\.0*)?", weight)


def _has(request: Request, tag: str) -> bool:
    """Return whether `If-None-Match` names the tag; a compressing proxy may weaken it."""
    given = ",".join(request.headers.get_all("If-None-Match"))
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return tag in tags or "*" in tags


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    return Response(status.value, status.phrase, headers, body)
