"""The drawing, compared with golden files that a person has looked at.

After a change that is meant, `TTT_RENEW_SCREENS=1 pytest tests/client/tui` writes them anew.
"""

import os
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.client.conftest import build_room
from tests.client.tui.pictures import FOUR, GOMOKU, PICTURES, draw, event_screen, screen_of
from ttt_client.tui.draw.canvas import width
from ttt_client.tui.model.input import InputState
from ttt_client.tui.model.screen import Occasion
from ttt_protocol.tournament.settings import Form, TournamentSettings

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", PICTURES)
def test_it_looks_as_it_should(name: str) -> None:
    kept = GOLDEN / f"{name}.txt"
    shown = PICTURES[name]().text.rstrip("\n") + "\n"
    if os.environ.get("TTT_RENEW_SCREENS"):
        kept.write_text(shown)
    assert shown == kept.read_text()


def test_there_is_no_screen_that_nothing_draws() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(PICTURES)


@pytest.mark.parametrize("name", [name for name in PICTURES if name.endswith("ascii")])
def test_ascii_is_ascii(name: str) -> None:
    assert PICTURES[name]().text.isascii()


@pytest.mark.parametrize("rules", [{}, FOUR, GOMOKU], ids=["3x3", "7x6g", "19x19"])
def test_no_line_is_wider_than_the_window_and_none_is_missing(rules: dict[str, int]) -> None:
    shown = screen_of(build_room(rules=rules))
    for columns, rows in product((1, 7, 19, 20, 33, 59, 60, 80, 300), (1, 7, 8, 13, 24, 100)):
        lines = draw(shown, columns, rows).lines
        assert len(lines) == rows
        assert {sum(width(text) for _, text in line) for line in lines} == {columns}


def test_an_event_by_correspondence_says_how_long_a_move_may_take() -> None:
    settings = TournamentSettings(form=Form.ROUND_ROBIN, days=3)
    shown = event_screen(130, 20, role="watcher", settings=settings)
    assert "3 days a move" in shown.text


@pytest.mark.parametrize("columns", [40, 55, 80])
def test_what_becomes_of_the_seat_is_never_cut_off(columns: int) -> None:
    shown = screen_of(build_room())
    asked = InputState(asking="quit")
    assert "leave? your seat is kept" in draw(shown, columns, inputs=asked).text
    in_event = replace(shown, occasion=Occasion("Friday"))
    assert "leave? lost after 60 s away" in draw(in_event, columns, inputs=asked).text


@pytest.mark.parametrize("rules", [{}, FOUR, GOMOKU], ids=["3x3", "7x6g", "19x19"])
def test_cells_are_twice_as_wide_as_high_and_grow(rules: dict[str, int]) -> None:
    shown, steps = screen_of(build_room(rules=rules)), []
    for rows in range(8, 120, 7):
        targets = [t for t in draw(shown, 3 * rows, rows).targets if t.key.startswith("cell:")]
        assert {(t.columns, t.rows) for t in targets} == {(2 * targets[0].rows, targets[0].rows)}
        steps.append(targets[0].rows)
    assert steps == sorted(steps)
    assert steps[-1] > steps[0]
