import json
import re

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from tests.server.web_modules import needed_by
from ttt_server.endpoints.asking import HttpUrl
from ttt_server.endpoints.static import StaticFiles, _hash
from ttt_server.transport.responses import Document, HttpError, document_response

PAGE = StaticFiles.load()
FILES = PAGE.files
PICTURES = ".png"
PAGES = ("index.html", "room.html", "game.html", "not_found.html")
LANGUAGES = ("en", "de", "fr", "es")
MOST_BYTES = 70_000
"""Of a first load."""


def find(path: str) -> Document | None:
    return PAGE.find(HttpUrl(path, ""))


def text(name: str) -> str:
    """A file, with links to the folder as it is on disk."""
    return FILES[name].body.decode().replace(f"{PAGE.folder}/", "web/")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "index.html"),
        ("/join", "events.html"),
        ("/events", "events.html"),
        ("/help", "help.html"),
        ("/explore", "explore.html"),
        ("/learn", "learn.html"),
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
    folder = f"{to_root}{PAGE.folder}/"
    homes = {f"{to_root}{each}" for each in ("./", "./#live", "learn", "events")}
    assert {each for each in addresses if PAGE.folder not in each} == homes
    assert all(each.startswith(folder) for each in addresses if each not in homes)


def test_the_page_of_the_ladder_is_there_where_the_server_has_one() -> None:
    assert find("/ladder") is None
    page = StaticFiles.load(has_ladder=True)
    assert page.find(HttpUrl("/ladder", "")) is page.files["ladder.html"]


def test_the_pages_of_persons_are_there_where_people_may_keep_a_name() -> None:
    assert find("/me") is None
    assert find("/people/Ann") is None
    page = StaticFiles.load(has_persons=True)
    assert page.find(HttpUrl("/me", "")) is page.files["me.html"]
    assert page.find(HttpUrl("/people/Ann%20Lee", "")) is page.files["person.html"]
    assert all(b'<html lang="en" data-persons="yes">' in page.files[name].body for name in PAGES)
    known = StaticFiles.load(has_persons=True, knows_persons=True).files["me.html"]
    assert b' data-persons="known">' in known.body
    assert b'name="robots" content="noindex"' in page.files["person.html"].body


@pytest.mark.parametrize("name", ["index.html", "events.html", "help.html"])
def test_a_page_says_which_server_it_is_of(name: str) -> None:
    assert re.search(rb' id="version"[^>]*>ttt-rooms/\d+\.\d+', FILES[name].body)


def test_the_lobby_links_the_ladder_where_the_server_has_one() -> None:
    is_hidden = b'<span id="ladder" hidden><a href="ladder"'
    assert is_hidden in PAGE.files["index.html"].body
    body = StaticFiles.load(has_ladder=True).files["index.html"].body
    assert is_hidden.replace(b" hidden", b"") in body


def test_a_page_names_the_files_of_its_own_version() -> None:
    assert re.fullmatch("web-[0-9a-f]{12}", PAGE.folder)
    for name in (*PAGES, "deeper/room.html"):
        links = re.findall(rb'"(?:\.\./)*(web[^/"]*)/', FILES[name].body)
        assert set(links) == {PAGE.folder.encode()}


def test_a_file_of_this_version_is_kept_for_a_year() -> None:
    kept = find(f"/{PAGE.folder}/js/pages/room.js")
    assert kept is not None
    assert "immutable" in kept.caching
    assert find(f"/{PAGE.folder}/none.js") is None


def test_a_file_for_people_to_read_is_not_kept() -> None:
    other = find("/web/js/pages/room.js")
    assert other is FILES["js/pages/room.js"]
    assert other.caching == "no-cache"


@pytest.mark.parametrize("folder", ["web-", "web-x", "webs", "WEB", "web-0123456789ab"])
def test_no_other_folder_is_the_page(folder: str) -> None:
    assert find(f"/{folder}/icon.svg") is None


def test_the_folder_is_named_for_the_contents() -> None:
    changed = dict(FILES) | {"icon.svg": Document.of(b"<svg/>", "image/svg+xml")}
    assert _hash(FILES) == _hash({name: FILES[name] for name in reversed(list(FILES))})
    assert _hash(FILES) != _hash(changed)


def test_the_page_may_be_shown_in_frames_of_named_sites_alone() -> None:
    framed = StaticFiles.load(["https://a.example", "https://b.example:8443"]).files
    for name in (*PAGES, "deeper/game.html"):
        assert "frame-ancestors 'none';" in str(FILES[name].policy)
        rule = "frame-ancestors https://a.example https://b.example:8443;"
        assert rule in str(framed[name].policy)
    assert "frame-ancestors 'none';" in str(framed["icon.svg"].policy)
    assert framed["js/pages/room.js"].policy is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", sorted(each for each in FILES if re.fullmatch(r"\w+\.html", each)))
def test_the_first_load_is_light(page: str, language: str) -> None:
    """Bytes over the wire, headers and the texts of one language with them."""
    linked = r'(?:src|rel="(?:icon|stylesheet|modulepreload)" href)="[./]*web/([^"]+\.\w+)"'
    names = re.findall(linked, text(page))
    (entry,) = re.findall(r'<script type="module" src="[./]*web/([^"]+)"', text(page))
    (parts,) = re.findall(r"await loadTexts\(([^)]*)\)", text(entry))
    texts = ["", *(f"{part}/" for part in re.findall(r'"(\w+)"', parts))]
    names += [f"lang/{part}{language}.json" for part in texts]
    documents = [FILES[page], *(PAGE.lasting[name] for name in set(names))]
    request = Request("/", Headers({"Accept-Encoding": "gzip, deflate, br, zstd"}))
    answers = [document_response(document, request).serialize() for document in documents]
    assert sum(map(len, answers)) <= MOST_BYTES


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


def test_a_file_names_no_other_site() -> None:
    for name in FILES:
        if not name.endswith(PICTURES):
            sites = set(re.findall(r"\w+://[^\s\"'`]*", text(name)))
            assert sites <= {"http://www.w3.org/2000/svg"}, name


def test_the_page_can_be_installed() -> None:
    manifest = json.loads(text("manifest.webmanifest"))
    assert {each["src"] for each in manifest["icons"]} <= set(FILES)
    assert all('rel="manifest"' in text(name) for name in PAGES)


@pytest.mark.parametrize("name", ["index.html", "room.html", "game.html", "learn.html"])
def test_a_link_to_a_page_has_a_preview(name: str) -> None:
    named = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]+)"', text(name)))
    assert {"description", "og:title", "og:description", "og:image"} <= named.keys()
    assert named["og:image"].endswith("web/preview.png")


@pytest.mark.parametrize("name", [*PAGES, "explore.html", "learn.html", "me.html", "person.html"])
def test_a_page_names_all_that_it_needs(name: str) -> None:
    """A browser need not read a file before it knows what to read next."""
    page = text(name)
    to_root = {"room.html": "../", "game.html": "../../../", "person.html": "../"}.get(name, "")
    addresses = re.findall(r'(?:src|href)="((?!(?:\.\./)*api/)[^"]*\.\w+)"', page)
    assert all(each.startswith(f"{to_root}web/") for each in addresses)
    linked = {each.removeprefix(f"{to_root}web/") for each in addresses}
    assert linked <= set(FILES)
    (entry,) = re.findall(r'<script type="module" src="[^"]*web/([\w/]+\.js)"', page)
    first = "reload.js"
    assert {each for each in linked if each.endswith(".js")} == {first, entry} | needed_by(entry)
    assert page.index(first) < page.index('rel="stylesheet"')


def test_no_line_of_french_begins_with_a_colon() -> None:
    texts = "".join(PAGE.lasting[name].body.decode() for name in FILES if "fr.json" in name)
    assert re.findall(r'[^\s"] [:;?!»](?=[\s",.)]|$)|« ', texts) == []
