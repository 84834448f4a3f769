"""The SQL can be spread over machines by room: what docs/operating.md promises of it."""

import re
from pathlib import Path

import pytest

import ttt_server
from ttt_server.storage.postgres import statements

ALL = {
    name: value
    for name, value in vars(statements).items()
    if name.isupper() and isinstance(value, str)
}
HOT = ("APPEND", "APPEND_MORE", "FIND", "TAIL", "LOAD_NEWEST", "LOAD_AFTER", "LOAD_GAME", "CUT")
"""The statements of a move, a join and a read of a room."""

KEYS = {
    "events": "room",
    "rooms": "name",
    "servers": "id",
    "meta": "key",
    "lessons": "id",
    "learned": "room",
    "deadlines": "room",
}


def test_every_key_begins_with_what_the_table_is_spread_by() -> None:
    tables = dict(re.findall(r"CREATE TABLE (\w+) \((.*?)\n?\);", statements.TABLES, re.DOTALL))
    assert tables.keys() == KEYS.keys()
    for table, columns in tables.items():
        key = re.search(r"PRIMARY KEY \((\w+)", columns) or re.search(
            r'(\w+) \w+(?: COLLATE "C")? PRIMARY KEY', columns
        )
        assert key is not None
        assert key[1] == KEYS[table]


def test_nothing_that_such_engines_lack() -> None:
    words = r"\b(SERIAL|IDENTITY|SEQUENCE|NEXTVAL|REFERENCES|FOREIGN|LISTEN|NOTIFY|TRIGGER)\b"
    for name, statement in ALL.items():
        assert not re.search(words, statement, re.IGNORECASE), name


SPREAD = {"events", "learned"}
"""The tables that may be spread over machines by room."""

WORDS = {
    "a row of one room each": "rows",
    "one room": "room",
    "each part by itself": "parts",
    "on the coordinator": "local",
}
"""The forms as the page names them."""


_ROWS = re.compile(
    r"\s*INSERT INTO \w+ \(room, [\w, ]+\)\s+VALUES \(\$1, [^)]*\)\nON CONFLICT (DO|\(room\b)"
)
_WRITES = re.compile(r"\bINSERT INTO\b|(?<!FOR )\bUPDATE (?!SET\b)\w|\bDELETE FROM\b")


def form(statement: str) -> str:
    """The form of a statement: one of those in `WORDS`, or what is wrong with it."""
    if re.search(r"\bRECURSIVE\b|\bLATERAL\b", statement):
        return "engines that spread tables lack this"
    if len(_WRITES.findall(statement)) > 1:
        return "it writes twice"
    named = re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(\w+)\b(?!\()", statement)
    if not SPREAD.intersection(named):
        return "local"
    if (KEYS.keys() - SPREAD).intersection(named):
        return "it touches tables of both kinds"
    if re.search(r"\bEXISTS\b", statement):
        return "it looks from one room into another"
    if _ROWS.match(statement) and "SELECT" not in statement:
        return "rows"
    parts = re.split(r"\b(?=SELECT\b|UPDATE \w+\n|DELETE FROM)", statement)
    reads = [part for part in parts if re.search(r"\b(FROM|UPDATE) (events|learned)\b", part)]
    if not reads:
        return "its rows are not told apart by the room"
    if all(re.search(r"\bWHERE room = \$1\b", part) for part in reads):
        return "room"
    if len(reads) > 1:
        return "it reads all rooms for each"
    joins = re.findall(r"\bJOIN (.*)", statement)
    if any(not join.startswith("learned ON learned.room = events.room") for join in joins):
        return "it joins rooms"
    if re.search(r"\b(max|min|sum|count)\(", statement) and "GROUP BY room" not in statement:
        return "it counts over all rooms"
    return "parts"


def page() -> dict[str, str]:
    """The form of each statement that docs/operating.md names."""
    text = (Path(__file__).parents[4] / "docs/operating.md").read_text()
    table = text.partition("| statements | form |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return {
        name: WORDS[words.partition(":")[0]]
        for names, words in rows
        for name in re.findall(r"`(\w+)`", names)
    }


def test_the_page_tells_the_form_of_each_statement() -> None:
    """A new statement has its name in the table of docs/operating.md."""
    sent = {
        name: form(text)
        for name, text in ALL.items()
        if not name.startswith("_") and name != "TABLES" and not name.endswith("_0_1")
    }
    assert sent == page()


def test_the_hot_path_reads_one_room_of_one_table() -> None:
    for name in HOT:
        assert form(ALL[name]) in {"rows", "room"}, name
        assert "learned" not in ALL[name]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT 1 FROM events JOIN rooms ON rooms.name = events.room", "tables of both kinds"),
        ("SELECT name FROM rooms WHERE EXISTS (SELECT FROM events)", "tables of both kinds"),
        ("DELETE FROM learned WHERE NOT EXISTS (SELECT FROM events)", "from one room into another"),
        ("WITH a AS (DELETE FROM rooms) INSERT INTO servers SELECT * FROM a", "writes twice"),
        ("WITH RECURSIVE a AS (SELECT room FROM events) SELECT * FROM a", "engines"),
        ("INSERT INTO events (room, seq)\nSELECT * FROM unnest($1, $2)", "not told apart"),
        ("INSERT INTO events (room, seq)\nVALUES ($1, $2)\n", "not told apart"),
        ("SELECT count(*) FROM events", "counts over all"),
        ("SELECT 1 FROM events JOIN learned ON learned.seq = events.seq\n", "joins rooms"),
        ("SELECT 1 FROM events WHERE seq = (SELECT max(seq) FROM events)", "all rooms for each"),
    ],
)
def test_what_cannot_be_spread_is_found(statement: str, words: str) -> None:
    assert words in form(statement)


def test_an_array_is_of_text() -> None:
    for name, statement in ALL.items():
        assert set(re.findall(r"\$\d::(\w+)\[\]", statement)) <= {"text"}, name


def test_rows_are_added_to_a_statement() -> None:
    text = statements.of_rows(statements.APPEND, 3)
    assert "VALUES ($1, $2, $3), ($4, $5, $6), ($7, $8, $9)\nON CONFLICT" in text
    for each in (statements.APPEND, statements.APPEND_MORE, statements.SET_MARKS):
        assert statements.of_rows(each, 1) == each
        assert form(each) == form(statements.of_rows(each, 1)) == "rows"


def test_there_is_no_sql_elsewhere() -> None:
    """Rooms have a file of statements for each store, and people have one for both."""
    folder = Path(ttt_server.__file__).parent
    verb = re.compile(r'"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE) ')
    for path in folder.rglob("*.py"):
        ours = {"sqlite", "people", "statements"}
        if not ours & {*path.parts, path.stem}:
            assert not verb.search(path.read_text()), path
