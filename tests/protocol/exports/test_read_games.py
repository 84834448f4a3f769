import json
from io import BytesIO, TextIOWrapper
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from tests.protocol.exports.games import games
from ttt_protocol.exports.read_games import InvalidExport, read_games
from ttt_protocol.exports.text_form import as_json, as_text
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import Settings
from ttt_protocol.text import is_clean

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA = json.loads((DOCS / "export.schema.json").read_text())

TEXT = """\
# a comment
Room: den
Game: 3
Board: 7x6x4g
Settings: {"clock": {"initial_s": 300}}
Locked: yes
X: human "ada" id "k3v9"
O: AI "minimax" plays "minimax" level 9
Began: 2026-01-31T12:30:00.500Z

1. X d6 @1.250 [298.750 300.000]
2. O d5 @1.500 [298.750 299.750] "the \\"centre\\""
O offers draw @2.000
X declines draw @2.100
back to 1 @3.000 [298.750 299.000]
nobody won: abandonment @86400.000
"""


def read(text: str) -> list[ExportedGame]:
    return list(read_games(text.splitlines()))


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_to_do_with_another_encoding(errors: str) -> None:
    content = BytesIO(TEXT.replace("ada", "René").encode("latin-1"))
    with pytest.raises(InvalidExport, match="this is not UTF-8; save it as UTF-8"):
        list(read_games(TextIOWrapper(content, "utf-8", errors)))


@settings(max_examples=20)  # of up to three games each
@given(st.lists(games(), max_size=3))
def test_json_comes_back_as_it_was(written: list[ExportedGame]) -> None:
    lines = [as_json(game) for game in written]
    assert list(read_games(lines)) == written
    for line in lines:
        Draft202012Validator(SCHEMA).validate(json.loads(line))


@settings(max_examples=20)  # of up to three games each
@given(st.lists(games(), max_size=3))
def test_text_comes_back_as_it_was(written: list[ExportedGame]) -> None:
    text = "".join(map(as_text, written))
    assert read(text) == written
    assert all(is_clean(line) for line in text.split("\n"))


def test_a_game_as_text() -> None:
    [game] = read(TEXT)
    assert [event.type for event in game.events] == [
        *("started", "played", "played", "offered", "declined", "taken_back", "ended")
    ]
    assert as_text(game) == TEXT.partition("\n")[2] + "\n"


def test_a_game_with_the_usual_settings_has_no_line_of_them() -> None:
    usual = "".join(line for line in TEXT.splitlines(keepends=True) if "Settings" not in line)
    (game,) = read(usual)
    assert game.settings == Settings(rules=game.rules)
    assert "Settings" not in as_text(game)


def test_the_game_of_the_page_is_one() -> None:
    page = (DOCS / "exports.md").read_text()
    text = dedent(page.partition("<!-- game -->")[2].partition("<!-- end -->")[0])
    [game] = read(text)
    assert as_text(game).strip() == text.strip()


def test_what_a_newer_version_adds_to_json_is_ignored() -> None:
    [game] = read(TEXT)
    newer = json.loads(as_json(game)) | {"weather": "sun"}
    assert read(json.dumps(newer)) == [game]


def test_no_games() -> None:
    assert read("") == read("\n# nothing\n") == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("Room: den", "Place: den", "line 2: a game without Room:"),
        ("Room: den", "Room: Den", "line 2: the room's name has capitals"),
        ("Room: den", "Room: d n", "line 2: a room's name is"),
        ("Game: 3", "Game: 3\nGame: 4", "line 4: Game stands twice"),
        ('{"clock"', '{"clock": null, "clock"', "line 5: a key stands twice"),
        ("Game: 3", "Game: three", "line 3: this is no whole number"),
        ("7x6x4g", "7x6", "line 4: a board is COLUMNSxROWSxLINE"),
        ("7x6x4g", "7x6x9", "line 4: in_a_row is longer than the board"),
        ('{"clock"', '{"watch"', "line 5: watch: is not known"),
        ("Locked: yes", "Locked: maybe", "line 6: this is yes or no"),
        ("X: human", "X: robot", "line 7: this is no player"),
        ('"ada"', '"\\q"', "line 7: Invalid"),
        ("0.500Z", "0.500", "line 9: a time ends with Z"),
        ("2026-01-31T", "2026-01-32T", "line 9: day is out of range"),
        ("2026-01-31T", "1926-01-31T", "line 2: the game begins at an impossible time"),
        ("1. X d6", "1. X d7", "line 11: there is no cell d7"),
        ("1. X d6", "1. X z6", "line 11: z6 is no cell"),
        ("1. X d6", "1. X d6 e6", "line 11: this is no event"),
        ("@1.250", "at 1.250", "line 11: this is no event"),
        ("offers draw", "offers tea", "line 13: 'tea' is none of draw, takeback, rematch"),
        ("abandonment", "boredom", "line 16: 'boredom' is none of line, "),
    ],
)
def test_lines_that_are_no_game(before: str, after: str, words: str) -> None:
    assert before in TEXT
    with pytest.raises(InvalidExport) as caught:
        read(TEXT.replace(before, after, 1))
    assert str(caught.value).startswith(words)


def changed(*path: Any, to: Any) -> str:
    """The game as JSON, with one value changed."""
    [game] = read(TEXT)
    document = inner = json.loads(as_json(game))
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return json.dumps(document)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1: Invalid JSON"),
        ("{}", "line 1: room: is missing"),
        (changed("version", to=2), "line 1: version: must be 1"),
        (changed("events", to=[]), "line 1: the first event is not the start"),
        (changed("events", 0, "at", to=-1), "line 1: the game begins at an impossible time"),
        (changed("rules", "columns", to=8), "line 1: the settings are for another board"),
        (changed("start", to=[0]), "line 1: the settings are for another start"),
        (changed("events", 1, "seq", to=9), "line 1: event 2 says that it is 9"),
        (changed("events", 1, "game", to=9), "line 1: event 2 is of another game"),
        (changed("events", 1, "cell", to=42), "line 1: event 2 is off the board"),
        (
            changed("events", 1, to={"type": "started", "seq": 2, "at": 0, "game": 3}),
            "line 1: event 2 starts another game",
        ),
        (
            changed(
                *("events", 1),
                to={"type": "ended", "seq": 2, "at": 0, "game": 3}
                | {"outcome": {"winner": None, "reason": "full", "line": None}},
            ),
            "line 1: event 2 ends the game before its last event",
        ),
        (changed("events", 1, to={"type": "left", "seq": 2, "at": 0, "seat": "X"}), "line 1: eve"),
        ('{"room": "den", "room": "lair"}', "line 1: a key stands twice"),
        (changed("room", to="x" * 2**20), "line 1: it is longer than 1 MiB"),
        (changed("room", to="ä" * 2**20), "line 1: it is longer than 1 MiB"),
    ],
)
def test_json_that_is_no_game(line: str, words: str) -> None:
    with pytest.raises(InvalidExport) as caught:
        read(line)
    assert str(caught.value).startswith(words)
