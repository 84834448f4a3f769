"""Links to the seats of rooms for others."""

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ttt_client.cli.main import parse
from ttt_client.model.options import InvalidOption
from ttt_client.net.session import Ending
from ttt_client.play.seat_links import Table, Terms, pairs_of, run_seats, show_seats, tables
from ttt_protocol.codes import Opening
from ttt_protocol.state import ClockSetting, Rules, parse_room_name

WEB = "https://example.org/ttt"


class Lines:
    """An output that keeps what it is told to say."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def only(terms: Terms) -> Table:
    (table,) = tables(WEB, [("Ada", "Zoë B")], terms)
    return table


def test_a_link_has_the_seat_the_name_and_the_settings() -> None:
    terms = Terms(
        Rules(columns=7, rows=6, in_a_row=4, gravity=True),
        ClockSetting(initial_s=300, increment_s=2),
        60,
        Opening.PIE,
    )
    table = only(terms)
    x, o = map(urlsplit, table.links)
    assert x.path == o.path == f"/ttt/rooms/{table.room}"
    same = {"rules": ["7x6x4g"], "clock": ["300+2"], "delay": ["60"], "opening": ["pie"]}
    assert parse_qs(x.fragment) == {"seat": ["X"], "name": ["Ada"]} | same
    assert parse_qs(o.fragment) == {"seat": ["O"], "name": ["Zoë B"]} | same
    assert " " not in table.links[1]


def test_every_room_has_a_name_of_its_own() -> None:
    rooms = {table.room for table in tables(WEB, [("a", "b")] * 50, Terms())}
    assert len(rooms) == 50
    assert all(parse_room_name(room) == room for room in rooms)


def test_pairs_are_read_from_lines() -> None:
    pairs = [("Ada", "Bob"), ("Cy, Dee", "Eve")]
    assert pairs_of(b'Ada, Bob\n\n"Cy, Dee",Eve\n', "f") == pairs


@pytest.mark.parametrize(("text", "line"), [("a,b\nAda", 2), ("a,b,c", 1), (f"{'x' * 25},b", 1)])
def test_a_line_without_two_names_is_named(text: str, line: int) -> None:
    with pytest.raises(InvalidOption, match=rf"^f\.csv, line {line}: "):
        pairs_of(text.encode(), "f.csv")


@pytest.mark.parametrize(
    "words", ["seats", "seats a", "seats a b c", "seats a b --pairs p.csv", f"seats {'a' * 25} b"]
)
def test_names_that_are_no_pair_are_wrong_usage(words: str) -> None:
    end = run_seats(parse(words.split()), Lines())  # type: ignore[arg-type]
    assert end.code == 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file or directory"),
        (b"a,b\n\xff,c", "this is not UTF-8 but perhaps Latin-1; save it as CSV in UTF-8"),
        ("a,b".encode("utf-16"), "this is UTF-16; save it as CSV in UTF-8"),
        (b"\n\n", "has no pairs"),
    ],
)
def test_a_file_without_pairs_is_named_with_the_reason(
    tmp_path: Path, content: bytes | None, why: str
) -> None:
    file = tmp_path / "pairs.csv"
    if content is not None:
        file.write_bytes(content)
    end = run_seats(parse(["seats", "--pairs", str(file)]), Lines())  # type: ignore[arg-type]
    assert end == Ending(1, f"{file}: {why}")


def test_a_name_in_the_csv_is_no_formula() -> None:
    (table,) = tables(WEB, [("=1+1", "Bob")], Terms())
    csv = Lines()
    show_seats([table], csv, json_lines=False)  # type: ignore[arg-type]
    assert csv.lines[1].startswith("'=1+1,https://")


def test_the_links_are_csv_or_json() -> None:
    table = only(Terms())
    csv, lines = Lines(), Lines()
    show_seats([table], csv, json_lines=False)  # type: ignore[arg-type]
    show_seats([table], lines, json_lines=True)  # type: ignore[arg-type]
    assert csv.lines == ["X,link of X,O,link of O", f"Ada,{table.links[0]},Zoë B,{table.links[1]}"]
    assert json.loads(lines.lines[0]) == {
        "room": table.room,
        "X": {"name": "Ada", "link": table.links[0]},
        "O": {"name": "Zoë B", "link": table.links[1]},
    }
