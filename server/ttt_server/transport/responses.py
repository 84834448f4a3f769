"""What a plain request gets: a whole body, which a browser may keep and ask for again."""

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


@dataclass(frozen=True, slots=True)
class Document:
    """A body as it is sent. `tag`: a strong `ETag`, of the content."""

    body: bytes
    kind: str
    tag: str

    @classmethod
    def of(cls, body: bytes, kind: str = "application/json") -> Self:
        """The body with its tag."""
        return cls(body, kind, f'"{sha256(body).hexdigest()[:32]}"')


def send(document: Document, request: Request) -> Response:
    """The document, or 304 to a browser that has it as it is."""
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "ETag": document.tag,
            "Cache-Control": "no-cache",  # kept, and asked for anew each time: a 304 is cheap
            "Content-Security-Policy": POLICY,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if _has(request, document.tag):
        return _response(HTTPStatus.NOT_MODIFIED, headers, b"")
    headers["Content-Type"] = document.kind
    headers["Content-Length"] = str(len(document.body))
    return _response(HTTPStatus.OK, headers, b"" if request.method == "HEAD" else document.body)


def _has(request: Request, tag: str) -> bool:
    """Whether `If-None-Match` names the tag; a proxy that compresses may have made it weak."""
    given = ",".join(request.headers.get_all("If-None-Match"))
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return tag in tags or "*" in tags


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    return Response(status.value, status.phrase, headers, body)
