"""The web page's files, read once: what a browser gets for `/`, `/rooms/…` and `/web/…`."""

from collections.abc import Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from ttt_protocol.state import parse_room_name
from ttt_server.transport.responses import Document

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def load_files() -> Mapping[str, Document]:
    """Read the files of `ttt_server/web`, by their paths in it: `js/net/address.js`."""
    return dict(_files_in(resources.files("ttt_server") / "web", ""))


def _files_in(folder: Traversable, prefix: str) -> Iterator[tuple[str, Document]]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _files_in(entry, f"{path}/")
        elif _suffix(path) in _KINDS:
            yield path, Document.of(entry.read_bytes(), _KINDS[_suffix(path)])


def page_at(path: str, files: Mapping[str, Document]) -> Document | None:
    """The file that a path means; null if the path is none of the page's.

    Raises:
        InvalidRoomName: for the page of a room that cannot be.
    """
    match path.split("/")[1:]:
        case [""]:
            return files["index.html"]
        case ["rooms", room]:
            parse_room_name(room)
            return files["room.html"]
        case ["rooms", room, "games", _]:
            parse_room_name(room)
            return files["game.html"]
        case ["web", *parts]:
            return files.get("/".join(parts))
        case _:
            return None


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
