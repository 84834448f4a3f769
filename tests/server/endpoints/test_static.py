import re

import pytest

from tests.server.web_modules import needed_by
from ttt_server.endpoints.static import StaticFiles
from ttt_server.endpoints.urls import HttpUrl
from ttt_server.transport.responses import Document, HttpError

PAGE = StaticFiles.load()
FILES = PAGE.files
PAGES = ("index.html", "room.html", "game.html", "lost.html")


def find(path: str) -> Document | None:
    return PAGE.find(HttpUrl(path, ""))


def text(name: str) -> str:
    return FILES[name].body.decode()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "index.html"),
        ("/rooms/room42", "room.html"),
        ("/rooms/ROOM42", "room.html"),
        ("/rooms/room42/", "deeper/room.html"),
        ("/rooms/room42/games/1", "game.html"),
        ("/rooms/room42/games/1/", "deeper/game.html"),
        ("/web/icon.svg", "icon.svg"),
        ("/web/css/room.css", "css/room.css"),
        ("/web/js/pages/room.js", "js/pages/room.js"),
    ],
)
def test_a_path_names_a_file(path: str, name: str) -> None:
    assert find(path) is FILES[name]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "*",
        "/rooms",
        "/rooms/a/b",
        "/rooms/a/games",
        "/web",
        "/web/",
        "/web/none.js",
        "/web/js",
        "/web/js/pages/",
        "/web/js//pages/room.js",
        "/web/room.js",
        "/web/../http.py",
        "/web/js/../../http.py",
        "/index.html",
        "/api/rooms",
    ],
)
def test_a_path_that_is_no_file_of_the_page(path: str) -> None:
    assert find(path) is None


@pytest.mark.parametrize("path", ["/rooms/", "/rooms/no_underscores", "/rooms/-/games/1"])
def test_the_page_of_an_invalid_room_name(path: str) -> None:
    with pytest.raises(HttpError):
        find(path)


@pytest.mark.parametrize(
    ("path", "to_root"),
    [("/lobby", ""), ("/room/den", "../"), ("/rooms/no_such/games/1", "../../../")],
)
def test_a_path_without_a_page_has_one_that_says_so(path: str, to_root: str) -> None:
    page = PAGE.lost(HttpUrl(path, ""))
    assert page is not None
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.body.decode())
    homes = {f"./{to_root}"}
    assert {each for each in addresses if "web/" not in each} == homes
    assert all(each.startswith(f"{to_root}web/") for each in addresses if each not in homes)


@pytest.mark.parametrize("path", ["/api/room", "*", "/" * 40])
def test_a_path_that_no_person_mistypes_has_no_page(path: str) -> None:
    assert PAGE.lost(HttpUrl(path, "")) is None


def test_each_file_has_its_own_tag() -> None:
    assert len({file.tag for file in FILES.values()}) == len(FILES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_inline_and_nothing_from_elsewhere(name: str) -> None:
    page = text(name)
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for address in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert not re.match(r"[a-z]+:|/", address), address
    assert page.count('role="status"') == 1


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_names_no_other_site(name: str) -> None:
    assert set(re.findall(r"\w+://[^\s\"'`]*", text(name))) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_all_that_it_needs(name: str) -> None:
    """A browser need not read a file before it knows what to read next."""
    page = text(name)
    to_root = {"room.html": "../", "game.html": "../../../"}.get(name, "")
    addresses = re.findall(r'(?:src|href)="([^"]*\.\w+)"', page)
    assert all(each.startswith(f"{to_root}web/") for each in addresses)
    linked = {each.removeprefix(f"{to_root}web/") for each in addresses}
    assert linked <= set(FILES)
    (entry,) = re.findall(r'<script type="module" src="[^"]*web/([\w/]+\.js)"', page)
    assert {each for each in linked if each.endswith(".js")} == {entry} | needed_by(entry)
