"""The web page's files, read once: what a browser gets for `/`, `/rooms/…` and `/web/…`."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from importlib import resources
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_protocol.state import parse_room_name
from ttt_server import SERVER

_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing from elsewhere and nothing inline; no text ever becomes markup or a script."""


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent. `tag`: a strong `ETag`, of the content."""

    body: bytes
    kind: str
    tag: str


def load_files() -> Mapping[str, File]:
    """The files of `ttt_server/web`, by name."""
    folder = resources.files("ttt_server") / "web"
    return {
        file.name: _file(file.name, file.read_bytes())
        for file in folder.iterdir()
        if _suffix(file.name) in _KINDS
    }


def page_at(path: str, files: Mapping[str, File]) -> File | None:
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


def send(file: File, request: Request) -> Response:
    """The file, or 304 to a browser that has it as it is."""
    headers = Headers(
        {
            "Server": SERVER,
            "Connection": "close",
            "ETag": file.tag,
            "Cache-Control": "no-cache",  # kept, and asked for anew each time: a 304 is cheap
            "Content-Security-Policy": POLICY,
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if _has(request, file.tag):
        return _response(HTTPStatus.NOT_MODIFIED, headers, b"")
    headers["Content-Type"] = file.kind
    headers["Content-Length"] = str(len(file.body))
    return _response(HTTPStatus.OK, headers, b"" if request.method == "HEAD" else file.body)


def _file(name: str, body: bytes) -> File:
    return File(body, _KINDS[_suffix(name)], f'"{sha256(body).hexdigest()[:32]}"')


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


def _has(request: Request, tag: str) -> bool:
    """Whether `If-None-Match` names the tag; a proxy that compresses may have made it weak."""
    given = ",".join(request.headers.get_all("If-None-Match"))
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return tag in tags or "*" in tags


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    return Response(status.value, status.phrase, headers, body)
