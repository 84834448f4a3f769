"""The SQL can be spread over machines by room: what docs/operating.md promises of it."""

import re
from pathlib import Path

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


def test_the_hot_path_touches_events_alone_and_each_row_by_its_room() -> None:
    for name in HOT:
        statement = ALL[name]
        tables = set(re.findall(r"\b(?:FROM|INTO|JOIN|UPDATE) (\w+)", statement))
        assert tables <= {"events", "unnest", "start"}, name
        assert "room" in statement


def test_an_append_looks_at_no_table() -> None:
    for statement in (statements.APPEND, statements.APPEND_MORE):
        assert statement.count("SELECT") == 1
        assert "FROM unnest(" in statement
        assert "ON CONFLICT" in statement


def test_no_statement_looks_from_one_room_into_another() -> None:
    spread = r"(events|learned)"
    for name, statement in ALL.items():
        if re.search(rf"\b{spread}\b", statement) and not name.endswith(("TABLES", "_0_1")):
            assert not re.search(r"\b(RECURSIVE|EXISTS|LATERAL)\b", statement), name
            assert len(re.findall(r"\b(INSERT INTO|UPDATE (?!SET)|DELETE FROM)", statement)) <= 1, (
                name
            )
            for joined in re.findall(rf"JOIN {spread} ON (.*)", statement):
                assert re.match(r"learned\.room = events\.room", joined[1]), name


def test_there_is_no_sql_elsewhere() -> None:
    """Rooms have a file of statements for each store, and people have one for both."""
    folder = Path(ttt_server.__file__).parent
    verb = re.compile(r'"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE) ')
    for path in folder.rglob("*.py"):
        ours = {"sqlite", "people", "statements"}
        if not ours & {*path.parts, path.stem}:
            assert not verb.search(path.read_text()), path
