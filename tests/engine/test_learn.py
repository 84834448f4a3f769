"""The lessons of docs/learn: their examples run, and their links lead to positions."""

import doctest
import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from ttt_engine import Position, Rules
from ttt_engine.strategies import names

FOLDER = Path(__file__).parents[2] / "docs" / "learn"
PAGES = sorted(FOLDER.glob("*.md"))
EXPLORE = re.compile(r"\(http://127\.0\.0\.1:8765/explore\?([^)]*)\)")


def test_there_is_a_page_for_each_idea() -> None:
    ideas = ["brute-force", "learning", "minimax", "open-lines", "rules"]
    assert [page.stem for page in PAGES] == ideas


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_links_lead_to_positions_in_which_the_game_goes_on(page: Path) -> None:
    links = EXPLORE.findall(page.read_text(encoding="utf-8"))
    assert links
    for link in links:
        query = parse_qs(link, keep_blank_values=True)
        rules = Rules.parse(query["rules"][0])
        cells = re.findall("[a-s][0-9]+", query["moves"][0])
        position = Position.after(map(rules.parse_cell, cells), rules)
        assert position.outcome() is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_it_says_what_the_idea_cannot_see(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "\n## What it cannot see\n" in text
    for strategy in re.findall(r"--strategy ([a-z]+)", text):
        assert strategy in names()
