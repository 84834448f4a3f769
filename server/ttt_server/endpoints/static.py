"""The web page's files, read once: what a browser gets for `/`, `/rooms/…` and `/web/…`."""

from collections.abc import Mapping
from importlib import resources
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
    """The files of `ttt_server/web`, by name."""
    folder = resources.files("ttt_server") / "web"
    return {
        file.name: Document.of(file.read_bytes(), _KINDS[_suffix(file.name)])
        for file in folder.iterdir()
        if _suffix(file.name) in _KINDS
    }


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
        case ["web", name]:
            return files.get(name)
        case _:
            return None


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
