import math

import pytest

from tests.bench import report
from tests.bench.report import Column, Table
from tests.bench.rows import Machine, Row, read

TABLE = Table(
    "Speed", (Column("speed", "m/s", 1), Column("weight", "g", scale=1000)), "speed", ("by", "foot")
)


def row(by: str, round_: int, speed: float, km: int = 1, **more: float) -> Row:
    return Row("speed", {"km": km, "by": by}, round_, {"speed": speed, **more})


def test_a_line_is_a_case_and_tells_of_all_rounds() -> None:
    rows = [
        *(row("foot", 0, 1.0), row("bike", 0, 4.0, weight=0.5)),
        *(row("foot", 1, 2.0), row("bike", 1, 2.0)),
        *(row("foot", 2, 1.5), row("bike", 2, 9.0)),
    ]
    assert report.cells(TABLE, rows) == [
        ["km", "by", "m/s", "g", "times that of “foot”"],
        ["1", "foot", "1.5 (1.0 to 2.0)", "-", "1.00 (1.00 to 1.00)"],
        ["1", "bike", "4.0 (2.0 to 9.0)", "500", "4.00 (1.00 to 6.00)"],
    ]


def test_only_what_is_otherwise_the_same_is_compared() -> None:
    rows = [row("foot", 0, 1.0), row("bike", 0, 4.0, km=2), row("foot", 0, 2.0, km=2)]
    assert [line[-1] for line in report.cells(TABLE, rows)[1:]] == ["1.00", "2.00", "1.00"]


@pytest.mark.parametrize("base", [[], [row("foot", 1, 1.0)], [row("foot", 0, math.nan)]])
def test_without_the_same_round_of_the_base_there_is_no_ratio(base: list[Row]) -> None:
    assert report.ratios("speed", [row("bike", 0, 1.0)], base) == []


def test_a_table_without_a_base_has_no_ratios() -> None:
    table = Table("Speed", (Column("speed", "m/s"),))
    assert report.cells(table, [row("foot", 0, 1234.5)])[1:] == [["1", "foot", "1 234"]]


def test_a_table_on_a_terminal() -> None:
    assert report.plain("Speed", [["by", "m/s"], ["foot", "1"]]) == "Speed\n  by    m/s\n  foot  1"


def test_a_table_on_a_page() -> None:
    lines = [["by", "m/s"], ["foot", "1"]]
    assert report.markdown(lines) == "| by | m/s |\n|---|---|\n| foot | 1 |"


def test_a_page_gets_new_tables_in_their_places() -> None:
    page = "a\n<!-- play -->\nold\nold\n<!-- end -->\nb\n<!-- ai -->\n<!-- end -->\nc\n"
    once = report.renewed(page, {"play": "| \\1 |", "other": "none"})
    assert once == page.replace("old\nold\n", "\n| \\1 |\n\n")
    assert report.renewed(once, {"play": "| \\1 |"}) == once


def test_tables_are_in_their_usual_order() -> None:
    rows = [Row(name, {"of": 1}, 0, {}) for name in reversed(report.TABLES)]
    assert list(report.by_table(rows)) == list(report.TABLES)
    assert report.by_table([]) == {}


def test_rows_come_back_from_their_lines() -> None:
    machine = Machine("a processor", 2, "a system", "a Python", {"uvloop": "1"})
    known = row("foot", 0, 1.0)
    half_known = row("bike", 0, math.nan, weight=1.0)
    rows, where = read([machine.line(), known.line(), half_known.line()])
    assert where == machine
    assert where.text() == "2 processors (a processor), a system, a Python, uvloop 1."
    assert rows == [known, Row("speed", {"km": 1, "by": "bike"}, 0, {"weight": 1.0})]
