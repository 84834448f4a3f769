"""The catalogues of the page: the same texts in each language, and none outside of them."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from tests.server.web_modules import JS, MODULES, code_of, needed_by
from ttt_engine.strategies import OWN_NAMES

WEB = JS.parent
SCHEMA = Path(__file__).parents[2] / "docs/protocol.schema.json"
LANGUAGES: Final = tuple(sorted(path.stem for path in (WEB / "lang").glob("*.json")))
PARTS: Final = tuple(sorted({path.parent.name for path in (WEB / "lang").glob("*/en.json")}))
"""The texts that only some pages load."""


def texts_of(language: str, part: str | None = None) -> dict[str, Any]:
    folder = WEB / "lang" / part if part else WEB / "lang"
    texts: dict[str, Any] = json.loads((folder / f"{language}.json").read_text())
    return texts


CATALOGUES: Final[dict[str, dict[str, Any]]] = {
    language: {k: v for part in (None, *PARTS) for k, v in texts_of(language, part).items()}
    for language in LANGUAGES
}
ENGLISH = CATALOGUES["en"]
PAGES = sorted(WEB.glob("*.html"))
LOADS = re.compile(r"await (?:loadTexts|addPart)\(([^)]*)\)")

KEY = re.compile(r'\b(?:t|optionalText)\(\s*"([^"]+)"')
FAMILY = re.compile(r"\b(?:t|optionalText)\(\s*`([^`$]+)\$\{")
EITHER = re.compile(r'\bt\([^()]*?\? "([^"]+)" : "([^"]+)"')
HOLE = re.compile(r"\{(\w+)\}")


def codes(name: str) -> list[str]:
    found: list[str] = json.loads(SCHEMA.read_text())["$defs"][name]["enum"]
    return found


def forms(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def keys_in(code: str) -> set[str]:
    return set(KEY.findall(code)) | {key for pair in EITHER.findall(code) for key in pair}


def used_keys() -> set[str]:
    keys = keys_in("\n".join(map(code_of, MODULES)))
    html = "\n".join(page.read_text() for page in PAGES)
    return keys | set(re.findall(r'data-(?:t|label)="([^"]+)"', html))


def families() -> set[str]:
    return {start for module in MODULES for start in FAMILY.findall(code_of(module))}


def test_every_refusal_has_words() -> None:
    assert {f"refused.{code}" for code in codes("RefusalCode")} <= ENGLISH.keys()


def test_every_reason_of_an_end_has_words() -> None:
    assert {f"ended.{reason}" for reason in codes("Reason")} <= ENGLISH.keys()


@pytest.mark.parametrize("kind", codes("OfferKind"))
def test_every_offer_has_words(kind: str) -> None:
    starts = ("offer", "offered", "accept", "decline", "event.offered", "event.declined")
    assert {f"{start}.{kind}" for start in starts} <= ENGLISH.keys()


def test_every_key_that_is_used_has_a_text() -> None:
    assert used_keys() <= ENGLISH.keys()


def test_every_text_is_used() -> None:
    starts = tuple(families())
    quoted = set(re.findall(r'"([\w.]+)"', "\n".join(map(code_of, MODULES))))
    unused = ENGLISH.keys() - used_keys() - quoted
    assert not {key for key in unused if not key.startswith(starts)}


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_language_has_every_key_and_no_other(language: str) -> None:
    for part in (None, *PARTS):
        assert texts_of(language, part).keys() == texts_of("en", part).keys(), part


def test_a_text_is_in_one_part() -> None:
    assert len(ENGLISH) == sum(len(texts_of("en", part)) for part in (None, *PARTS))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_loads_the_texts_that_it_needs(page: Path) -> None:
    """Those of the modules that it loads at once, and of its HTML."""
    html = page.read_text()
    (entry,) = re.findall(r'<script type="module" src="[^"]*web/([\w/]+\.js)"', html)
    parts = [p for each in LOADS.findall(code_of(entry)) for p in re.findall(r'"(\w+)"', each)]
    loaded = {key for part in (None, *parts) for key in texts_of("en", part)}
    code = "\n".join(map(code_of, {entry, *needed_by(entry)}))
    named = keys_in(code) | set(re.findall(r'data-(?:t|label)="([^"]+)"', html))
    assert named <= loaded
    starts = tuple(set(FAMILY.findall(code)))
    assert {key for key in ENGLISH if key.startswith(starts)} <= loaded


@pytest.mark.parametrize("language", [each for each in CATALOGUES if each != "en"])
def test_every_strategy_of_the_engine_is_described(language: str) -> None:
    texts: dict[str, str] = json.loads((WEB / f"lang/ai/{language}.json").read_text())
    assert texts.keys() == OWN_NAMES


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_text_leaves_the_same_holes_in_each_language(language: str) -> None:
    for key, text in CATALOGUES[language].items():
        wanted = {hole for form in forms(ENGLISH[key]) for hole in HOLE.findall(form)}
        assert {hole for form in forms(text) for hole in HOLE.findall(form)} == wanted, key
        if not isinstance(text, str):
            assert {"one", "other"} <= text.keys() <= {"zero", "one", "two", "few", "many", "other"}


class _Texts(HTMLParser):
    """Collects the texts of a page that no key replaces."""

    def __init__(self) -> None:
        super().__init__()
        self.bare: list[str] = []
        self._open: list[dict[str, str | None]] = []
        self._is_without_scripts = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in {"meta", "link", "img", "input"}:
            self._open.append({"tag": tag, **given})
        if "aria-label" in given and "data-label" not in given:
            self.bare.append(str(given["aria-label"]))
        self._is_without_scripts |= tag == "noscript"

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()
        self._is_without_scripts &= tag != "noscript"

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else {}
        is_replaced = "data-t" in inside or inside.get("tag") == "title"
        if re.search(r"\w", data) and not is_replaced and not self._is_without_scripts:
            self.bare.append(data)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_text_of_a_page_is_outside_of_the_catalogues(page: Path) -> None:
    texts = _Texts()
    texts.feed(page.read_text())
    assert texts.bare == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_in_english_says_what_the_catalogue_says(page: Path) -> None:
    shown = re.findall(r'data-t="([^"]+)">([^<]*)<', page.read_text())
    assert all(ENGLISH[key] == text for key, text in shown)
    labels = re.findall(r'data-label="([^"]+)" aria-label="([^"]*)"', page.read_text())
    assert all(ENGLISH[key] == text for key, text in labels)


SENTENCE = re.compile(r'["`>]([A-Z][a-z]+(?: [a-zA-Z]+)*[ …?.!:]?[^"`]*|[a-z]+(?: [a-z]+){2,})["`]')
"""Text between quotes that reads as English."""

ALLOWED = {"model/names.js", "model/language.js"}
"""Modules with names of their own: of animals and colours, and of the languages."""


def test_no_text_of_a_module_is_outside_of_the_catalogues() -> None:
    known = r"^(Arrow\w+|Home|End|Enter|Escape|Bearer .*|XO|Infinity|Q?[A-Z]\d.*|M\d.*)$"
    for module in MODULES:
        if module[3:] not in ALLOWED:
            code = re.sub(r"^import [^;]*;$", "", code_of(module), flags=re.MULTILINE)
            texts = [each for each in SENTENCE.findall(code) if not re.match(known, each)]
            assert texts == [], module
