"""The picture in the preview of a link."""

import re

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_server.endpoints.asking import HttpUrl, parse_url
from ttt_server.endpoints.static import Previews, StaticFiles
from ttt_server.transport.responses import Document

PAGES = ["/", "/rooms/den", "/rooms/den/", "/rooms/den/games/1", "/rooms/den/games/1/"]


@pytest.fixture(scope="module")
def files() -> StaticFiles:
    return StaticFiles.load()


def found(files: StaticFiles, path: str) -> Document:
    url = parse_url(path)
    assert isinstance(url, HttpUrl)
    document = files.find(url)
    assert document is not None
    return document


def asked(*headers: tuple[str, str], host: str | None = "play.example.org:8765") -> Request:
    return Request("/", Headers([*([("Host", host)] if host else []), *headers]))


def picture(page: Document) -> str:
    found = re.search(rb'<meta property="og:image" content="([^"]+)"', page.body)
    assert found
    return found[1].decode()


@pytest.mark.parametrize("path", PAGES)
def test_the_address_is_that_of_the_request(files: StaticFiles, path: str) -> None:
    page = found(files, path)
    here = Previews().complete(page, asked())
    assert picture(here) == f"http://play.example.org:8765/{files.folder}/preview.png"
    assert here.tag == Document.of(here.body).tag
    assert here == page._replace(body=here.body, tag=here.tag)
    safe = Previews(is_encrypted=True).complete(page, asked(host="play.example.org"))
    assert picture(safe) == f"https://play.example.org/{files.folder}/preview.png"


@pytest.mark.parametrize("url", ["https://play.example.org/ttt", "https://play.example.org/ttt/"])
def test_the_address_that_people_know_comes_first(files: StaticFiles, url: str) -> None:
    page = found(files, "/rooms/den")
    for request in (asked(), asked(("X-Forwarded-For", "1.2.3.4")), asked(host=None)):
        known = Previews(url).complete(page, request)
        assert picture(known) == f"https://play.example.org/ttt/{files.folder}/preview.png"


@pytest.mark.parametrize(
    "request_",
    [asked(host=None), asked(("X-Forwarded-For", "1.2.3.4")), asked(("Forwarded", "for=1.2.3.4"))],
)
def test_an_address_that_is_not_known_stays_relative(files: StaticFiles, request_: Request) -> None:
    page = found(files, "/rooms/den")
    assert Previews().complete(page, request_) is page


def test_other_documents_stay_as_they_are(files: StaticFiles) -> None:
    for path in ("/web/js/pages/room.js", "/web/not_found.html"):
        document = found(files, path)
        assert Previews().complete(document, asked()) is document
