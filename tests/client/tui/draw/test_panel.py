"""Persons in the seats: the mark of a kept name, and the rating."""

from dataclasses import replace
from typing import Any

import pytest

from tests.client.conftest import build_room
from tests.client.tui.pictures import CLOCK, NOW, draw, screen_of
from ttt_client.tui.draw.panel import absence
from ttt_client.tui.model.screen import ScreenState
from ttt_protocol.messages import Presence
from ttt_protocol.state import BySeat, PersonId

ADA = {"kind": "human", "id": "ida", "name": "ada", "connected": True, "person": "pa"}
BOB = {"kind": "human", "id": "idb", "name": "bob", "connected": True}


def seated(name: str = "ada", *, rating: str | None = None, **more: Any) -> ScreenState:
    screen = screen_of(build_room(seats={"X": ADA | {"name": name}, "O": BOB}, **more))
    return screen if rating is None else replace(screen, ratings={PersonId("pa"): rating})


def test_a_kept_name_has_a_tick_and_a_guest_has_none() -> None:
    text = draw(seated()).text
    assert "X ada ✓ (you)" in text
    assert "O bob\n" in text
    assert text.count("✓") == 1


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 20), (20, 8)])
def test_a_terminal_without_unicode_has_a_plus(columns: int, rows: int) -> None:
    text = draw(seated(), columns, rows, ascii_only=True).text
    assert "X ada +" in text
    assert text.isascii()


@pytest.mark.parametrize(("columns", "rows"), [(60, 20), (80, 24), (40, 20), (20, 20)])
def test_a_long_name_is_cut_before_its_mark(columns: int, rows: int) -> None:
    screen = seated("a" * 24, rating="1582?", clock=CLOCK)
    lines = draw(screen, columns, rows).text.splitlines()
    assert all(len(line) <= columns for line in lines)
    line = next(line for line in lines if "X aa" in line or "X a…" in line)
    assert "✓ " in line
    assert "1:05" in line


@pytest.mark.parametrize(
    ("columns", "words"),
    [(60, "1582?, human, here"), (40, "X ada ✓ 1582? (you)"), (20, "X ada ✓ (you)")],
)
def test_a_rating_stands_beside_the_seat_where_it_fits(columns: int, words: str) -> None:
    assert words in draw(seated(rating="1582?"), columns, 20).text
    assert "1582" not in draw(seated(), columns, 20).text


@pytest.mark.parametrize(
    ("settings", "moves", "words"),
    [
        ({}, (4,), "bob away 70 s: C claims, F seats an AI"),
        ({}, (), "bob away 70 s: F seats an AI"),
        ({"rated": True}, (4,), "bob away 70 s: C claims"),
        ({"rated": True}, (), "bob away 70 s"),
        ({"clock": None, "days": 3}, (4,), "bob away 70 s"),
    ],
)
def test_what_may_be_done_about_an_absence_depends_on_the_room(
    settings: dict[str, object], moves: tuple[int, ...], words: str
) -> None:
    timed = {"rules": {}, "clock": {"initial_s": 600, "increment_s": 0}, **settings}
    gone = Presence(seats=BySeat[bool](X=True, O=False), spectators=0)
    screen = screen_of(build_room(moves=moves, settings=timed)).hear(gone, NOW)
    assert absence(screen, NOW + 70) == words
