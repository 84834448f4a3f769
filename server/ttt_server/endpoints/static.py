"""The web page's files, read once: what a browser gets for `/`, `/rooms/…` and `/web/…`."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final, Self

from ttt_server.endpoints.urls import HttpUrl, room_name, tournament_name
from ttt_server.transport.responses import Document

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


_PAGES_OF_ROOMS: Final = ("room.html", "game.html")
_DEEPER: Final = "deeper/"
_LOST: Final = "lost.html"
_DEEPEST: Final = 16
"""The slashes in a path beyond which it is no mistyped one."""


class StaticFiles:
    """The files of `ttt_server/web`, by their paths in it: `js/net/address.js`."""

    def __init__(self, files: Mapping[str, Document]) -> None:
        self.files = files

    @classmethod
    def load(cls) -> Self:
        """Read the files."""
        files = dict(_files_in(resources.files("ttt_server") / "web", ""))
        deeper = {f"{_DEEPER}{name}": _one_level_deeper(files[name]) for name in _PAGES_OF_ROOMS}
        return cls(files | deeper)

    def find(self, url: HttpUrl) -> Document | None:
        """Return the file that a URL means; `None` if the page has no such file.

        Raises:
            HttpError: 404 for the page of a room or event with an impossible name.
        """
        match url.parts:
            case [""]:
                return self.files["index.html"]
            case ["rooms", room]:
                room_name(room)
                return self.files["room.html"]
            case ["rooms", room, ""]:
                room_name(room)
                return self.files[f"{_DEEPER}room.html"]
            case ["rooms", room, "games", _]:
                room_name(room)
                return self.files["game.html"]
            case ["rooms", room, "games", _, ""]:
                room_name(room)
                return self.files[f"{_DEEPER}game.html"]
            case ["events", event]:
                tournament_name(event)
                return self.files["event.html"]
            case ["events", event, "wall"]:
                tournament_name(event)
                return self.files["wall.html"]
            case ["web", *parts]:
                return self.files.get("/".join(parts))
            case _:
                return None

    def lost(self, url: HttpUrl) -> Document | None:
        """Return the page that says that nothing is at a path; `None` at one that is no mistake."""
        depth = url.path.count("/") - 1
        if url.parts[:1] == ["api"] or not 0 <= depth <= _DEEPEST:
            return None
        page, up = self.files[_LOST], b"../" * depth
        body = page.body.replace(b'="web/', b'="%bweb/' % up).replace(b'="./"', b'="./%b"' % up)
        return Document.of(body, page.kind)


def _files_in(folder: Traversable, prefix: str) -> Iterator[tuple[str, Document]]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _files_in(entry, f"{path}/")
        elif _suffix(path) in _KINDS:
            yield path, Document.of(entry.read_bytes(), _KINDS[_suffix(path)])


def _one_level_deeper(page: Document) -> Document:
    """Return the page for its address with a slash at the end: relative links go one up more."""
    return Document.of(page.body.replace(b'="../', b'="../../'), page.kind)


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
