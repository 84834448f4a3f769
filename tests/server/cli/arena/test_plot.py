from xml.etree import ElementTree as ET

from tests.server.cli.arena.test_report import THREE, TWO, table
from ttt_engine.arena.match import Match
from ttt_engine.arena.ratings import Record
from ttt_server.cli.arena.report import as_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314 - ours


def test_the_cross_table_has_a_cell_for_each_two() -> None:
    svg = as_svg(THREE)
    assert [word for word in texts(svg) if word in {"random", "rules", "perfect"}] == [
        "perfect",
        "rules",
        "random",
    ]
    assert {"55", "95", "45", "80", "5", "20"} <= set(texts(svg))
    assert len(list(ET.fromstring(svg).iter(f"{SVG}circle"))) == 3  # noqa: S314 - ours


def test_names_are_escaped_and_cut() -> None:
    odd = table("<b>&\x1b[31m exec:" + "x" * 60, Match(Record(wins=1)))
    assert "<b>&" in texts(as_svg(odd))
    assert any(word.endswith("…") for word in texts(as_svg(odd)))


def test_a_match_without_losses_still_has_a_picture() -> None:
    assert "NaN" not in as_svg(table("rules random", Match(Record(wins=10))))
    assert "inf" not in as_svg(TWO)
