"""The web page's files, read once: what a browser gets for `/`, `/rooms/…` and `/web/…`.

The pages name all other files below `/web-HASH/`, where HASH is of the contents: a browser keeps
those for a year, and a page never runs files of two versions, because no server answers for the
hash of another. `/web/` has the same files for people to read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final, Self

from websockets.http11 import Request

from ttt_server.endpoints.asking import HttpUrl, room_name, tournament_name
from ttt_server.telemetry.build import SERVER
from ttt_server.transport.responses import LASTING, Document, policy

_KINDS: Final = {
    ".css": "text/css",  # UTF-8, as the page that links it
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",  # a module is UTF-8 always
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


_PAGES_OF_ROOMS: Final = ("room.html", "game.html")
_DEEPER: Final = "deeper/"
_NOT_FOUND: Final = "not_found.html"
_DEEPEST: Final = 16
"""The slashes in a path beyond which it is no mistyped one."""

_WITH_WORKER: Final = "me.html"
"""The page that may start a service worker: the one of notices."""
_WORKER: Final = "push_worker.js"
_WORKER_POLICY: Final = "push-worker"
"""The name of the page's trusted type for its address."""

_NO_DOCUMENTS: Final = (".css", ".js", ".json")
"""Kinds of files that a browser never shows as a page."""

_PACKED_ALREADY: Final = ".png"

_FOLDER_IN_PAGE: Final = re.compile(rb'="((?:\.\./)*)web/')
_LADDER_LINK: Final = b'<span id="ladder"'
"""In the foot of a page, where it is hidden."""
_ROOT: Final = b'<html lang="en"'
"""Its `data-persons` tells the modules of a page that people may keep a name."""
_VERSION: Final = re.compile(rb'(?<= id="version")([^>]*>)')
"""The place for the version of the server."""


@dataclass(eq=False, slots=True)
class StaticFiles:
    """The files of `ttt_server/web`, by their paths in it: `js/net/address.js`."""

    files: Mapping[str, Document]
    folder: str
    lasting: Mapping[str, Document]
    """Those that a browser keeps, below the path `folder`."""
    has_ladder: bool = False
    has_persons: bool = False

    @classmethod
    def load(
        cls,
        frame_ancestors: Iterable[str] = (),
        *,
        has_ladder: bool = False,
        has_persons: bool = False,
        knows_persons: bool = False,
    ) -> Self:
        """Read the files.

        Args:
            frame_ancestors: the origins of pages that may show these pages in a frame.
            has_ladder: the page of the ladder is there, and the lobby links to it.
            has_persons: people may keep a name: their pages are there, and all pages lead to them.
            knows_persons: a proxy may say who a visitor is, who then needs no token.
        """
        found = dict(_files_in(resources.files("ttt_server") / "web", ""))
        pages = {name: file for name, file in found.items() if _suffix(name) == ".html"}
        others = {name: file for name, file in found.items() if name not in pages}
        folder = f"web-{_hash(others)}"
        framed = policy(frame_ancestors)
        for name, page in pages.items():
            body = _FOLDER_IN_PAGE.sub(rb'="\1%b/' % folder.encode(), page.body)
            body = _VERSION.sub(rb"\1" + SERVER.encode(), body)
            if has_persons:
                known = b"known" if knows_persons else b"yes"
                body = body.replace(_ROOT, b'%b data-persons="%b"' % (_ROOT, known), 1)
            if has_ladder:
                body = body.replace(_LADDER_LINK + b" hidden", _LADDER_LINK)
            allowed = framed if name != _WITH_WORKER else policy(frame_ancestors, _WORKER_POLICY)
            pages[name] = Document.of(body, page.kind)._replace(policy=allowed, is_packed=True)
        deeper = {f"{_DEEPER}{name}": _one_level_deeper(pages[name]) for name in _PAGES_OF_ROOMS}
        lasting = {name: file._replace(caching=LASTING) for name, file in others.items()}
        return cls(others | pages | deeper, folder, lasting, has_ladder, has_persons)

    def find(self, url: HttpUrl) -> Document | None:
        """Return the file that a URL means; `None` if the page has no such file.

        Raises:
            HttpError: 404 for the page of a room or event with an impossible name.
        """
        match url.parts:
            case [""]:
                return self.files["index.html"]
            case ["join"]:
                return self.files["events.html"]
            case ["explore" | "learn" | "events" | "help" as page]:
                return self.files[f"{page}.html"]
            case ["ladder"] if self.has_ladder:
                return self.files["ladder.html"]
            case ["me"] if self.has_persons:
                return self.files[_WITH_WORKER]
            case [file] if file == _WORKER and self.has_persons:
                return self.files[_WORKER]
            case ["people", _] if self.has_persons:
                return self.files["person.html"]
            case ["rooms", room, *end] if end in ([], [""]):
                room_name(room)
                return self.files[f"{_DEEPER if end else ''}room.html"]
            case ["rooms", room, "games", _, *end] if end in ([], [""]):
                room_name(room)
                return self.files[f"{_DEEPER if end else ''}game.html"]
            case ["events", event, *wall] if wall in ([], ["wall"]):
                tournament_name(event)
                return self.files["wall.html" if wall else "event.html"]
            case [self.folder, *parts]:
                return self.lasting.get("/".join(parts))
            case ["web", *parts]:
                return self.files.get("/".join(parts))
            case _:
                return None

    def lost(self, url: HttpUrl) -> Document | None:
        """Return the page that says that nothing is at a path; `None` at one that is no mistake."""
        depth = url.path.count("/") - 1
        if url.parts[:1] == ["api"] or not 0 <= depth <= _DEEPEST:
            return None
        page, up = self.files[_NOT_FOUND], b"../" * depth
        folder = b"%b/" % self.folder.encode()
        body = page.body.replace(b'="%b' % folder, b'="%b%b' % (up, folder))
        return _changed(page, re.sub(rb'="(\./|learn"|events")', rb'="%b\1' % up, body))


def _files_in(folder: Traversable, prefix: str) -> Iterator[tuple[str, Document]]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _files_in(entry, f"{path}/")
        elif _suffix(path) in _KINDS:
            file = Document.of(entry.read_bytes(), _KINDS[_suffix(path)])
            is_document = _suffix(path) not in _NO_DOCUMENTS
            rule = file.policy if is_document else None
            yield path, file._replace(policy=rule, is_packed=_suffix(path) != _PACKED_ALREADY)


def _one_level_deeper(page: Document) -> Document:
    """Return the page for its address with a slash at the end: relative links go one up more."""
    return _changed(page, page.body.replace(b'="../', b'="../../'))


def _changed(page: Document, body: bytes) -> Document:
    """Return the page with another body, and its tag."""
    return page._replace(body=body, tag=Document.of(body).tag)


def _hash(files: Mapping[str, Document]) -> str:
    """Return a name for the contents of all files."""
    tags = "".join(f"{name} {files[name].tag}\n" for name in sorted(files))
    return sha256(tags.encode()).hexdigest()[:12]


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


_PICTURE: Final = re.compile(rb'(?<=<meta property="og:image" content=")(?:\.\./)*(?=web)')
_PASSED_ON: Final = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via")


class Previews:
    """Writes the absolute address of the picture in the preview of a link into pages.

    The parts of a page name each other by relative addresses, as a proxy may add a path. Few
    programs that preview a link know those of a picture. So the server writes the address that
    people use: `--public-url`, or the `Host` of a request that no proxy has passed on.
    """

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
    return page if body == page.body else page._replace(body=body, tag=Document.of(body).tag)
