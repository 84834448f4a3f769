"""The picture in the preview of a link: its address is absolute in the pages.

The parts of a page name each other by relative addresses, as a proxy may add a path. Few programs
that preview a link know those of a picture. So the server writes the address that people use:
`--public-url`, or the `Host` of a request that no proxy has passed on.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from websockets.http11 import Request

from ttt_server.transport.responses import Document

_PICTURE: Final = re.compile(rb'(?<=<meta property="og:image" content=")(?:\.\./)*(?=web)')
_PASSED_ON: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via")


class Previews:
    """Writes the absolute address of the picture into pages."""

    def __init__(self, public_url: str | None = None, *, is_encrypted: bool = False) -> None:
        """Remember the address of the server.

        Args:
            public_url: the address that people use; `None` if only requests tell it.
            is_encrypted: whether the server itself speaks TLS.
        """
        self._public_url = None if public_url is None else f"{public_url.rstrip('/')}/"
        self._scheme = "https" if is_encrypted else "http"

    def complete(self, page: Document, request: Request) -> Document:
        """Return a page with the address, if it is known; other documents as they are."""
        if not page.kind.startswith("text/html"):
            return page
        base = self._public_url or self._base_of(request)
        return page if base is None else _with_picture(page, base)

    def _base_of(self, request: Request) -> str | None:
        host = request.headers.get("Host")  # checked before: valid, and harmless characters
        if not host or any(name in request.headers for name in _PASSED_ON):
            return None
        return f"{self._scheme}://{host}/"


@lru_cache(maxsize=64)
def _with_picture(page: Document, base: str) -> Document:
    body = _PICTURE.sub(base.encode(), page.body)
    return page if body == page.body else replace(page, body=body, tag=Document.of(body).tag)
