"""CSV: the list of cases is that of the page, too."""

import json
from pathlib import Path
from typing import Any

import pytest

from ttt_client.model.options import InvalidOption
from ttt_client.play.seat_links import pairs_of
from ttt_client.text.spreadsheet import BadLine, Unreadable, csv_line, decoded, read_pairs

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "spreadsheets.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(("text", "pairs"), CASES["pairs"])
def test_pairs_are_read_however_a_spreadsheet_writes_them(
    text: str, pairs: list[list[str]]
) -> None:
    assert [list(pair.names) for pair in read_pairs(text)] == pairs


@pytest.mark.parametrize(("text", "line"), CASES["bad"])
def test_a_line_that_is_not_two_names_is_named(text: str, line: int) -> None:
    with pytest.raises(InvalidOption, match=f"^f, line {line}: "):
        pairs_of(text.encode(), "f")


def test_the_first_bad_line_is_told() -> None:
    with pytest.raises(BadLine) as bad:
        read_pairs("Ada,Bob\nCy")
    assert bad.value.line == 2


@pytest.mark.parametrize(("cells", "line"), CASES["lines"])
def test_no_text_becomes_a_formula_and_numbers_stay_numbers(cells: list[object], line: str) -> None:
    assert csv_line(cells) == line


@pytest.mark.parametrize("name", ["=1", "'=1", "''+x", "@", "-5", "'tis", 'Al "Ace"', "a,b;c"])
def test_what_is_written_is_read_again(name: str) -> None:
    assert [pair.names for pair in read_pairs(csv_line((name, name)))] == [(name, name)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf_8_is_read(encoding: str) -> None:
    assert read_pairs(decoded("Zoë,Jürgen".encode(encoding)))[0].names == ("Zoë", "Jürgen")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-16-be"])
def test_another_encoding_is_refused_with_what_to_do(encoding: str) -> None:
    with pytest.raises(Unreadable, match="save it as CSV in UTF-8"):
        decoded("Zoë,Bob".encode(encoding))
