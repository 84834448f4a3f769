"""HTTP responses: documents that a browser may keep, and errors."""

from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from typing import Final, Self

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server import SERVER

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing from elsewhere and nothing inline; no text ever becomes markup or a script."""

METHODS: Final = ("GET", "HEAD")

REVALIDATED: Final = "no-cache"
"""Kept by a browser, and requested again each time: a 304 is cheap."""

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
    tag: str
    """A strong `ETag`, of the body."""
    caching: str = REVALIDATED
    """The `Cache-Control`."""

    @classmethod
    def of(cls, body: bytes, kind: str = "application/json") -> Self:
        """Make a document, and its tag."""
        return cls(body, kind, f'"{sha256(body).hexdigest()[:32]}"')


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
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "ETag": document.tag,
            "Cache-Control": document.caching,
            "Content-Security-Policy": POLICY,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if status is HTTPStatus.OK and _has(request, document.tag):
        return _response(HTTPStatus.NOT_MODIFIED, headers, b"")
    headers["Content-Type"] = document.kind
    headers["Content-Length"] = str(len(document.body))
    return _response(status, headers, b"" if request.method == "HEAD" else document.body)


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


def _has(request: Request, tag: str) -> bool:
    """Tell whether `If-None-Match` names the tag; a proxy that compresses may weaken it."""
    given = ",".join(request.headers.get_all("If-None-Match"))
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return tag in tags or "*" in tags


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    return Response(status.value, status.phrase, headers, body)
