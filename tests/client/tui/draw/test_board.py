"""Boards that are larger than the window, and hints on them."""

from dataclasses import replace
from typing import Literal

import pytest

from tests.client.conftest import build_room
from tests.client.tui.pictures import FIFTEEN, draw, screen_of
from ttt_client.tui.model.input import InputState
from ttt_protocol.messages import Hint

SHOWN = screen_of(build_room(rules=FIFTEEN, moves=(112, 97)))


def letters(text: str) -> str:
    return next(line for line in text.splitlines() if " e f g " in line)


def test_a_large_board_in_a_small_window_says_where_columns_go_on() -> None:
    first = draw(SHOWN, 60, 20, inputs=InputState(cursor=0))
    assert letters(first.text).split()[-1] == "m▶"
    assert first.origin == (0, 0)
    last = draw(SHOWN, 60, 20, inputs=InputState(cursor=14))
    assert letters(last.text).split()[0] == "◀c"
    assert "▲" not in draw(SHOWN, 120, 40).text
    assert "<" in letters(draw(SHOWN, 60, 20, inputs=InputState(cursor=14), ascii_only=True).text)


def test_the_view_stands_still_while_the_cursor_moves_in_it() -> None:
    inputs, seen = InputState(cursor=7 * 15), []
    for column in [*range(15), *range(14, -1, -1)]:
        inputs = replace(inputs, cursor=7 * 15 + column)
        picture = draw(SHOWN, 60, 20, inputs=inputs)
        inputs = replace(inputs, origin=picture.origin)
        seen.append(None if picture.origin is None else picture.origin[0])
    assert seen == [0] * 13 + [1] + [2] * 14 + [1] + [0]


def test_an_answer_in_sight_moves_nothing() -> None:
    inputs = InputState(cursor=112, follow=True, origin=(1, 0))
    assert draw(SHOWN, 60, 20, inputs=inputs).origin == (1, 0)


def test_a_hint_on_a_large_board_marks_the_few_best_and_known_cells() -> None:
    values: dict[str, Literal[-1, 0, 1] | None] = {
        str(cell): None for cell in range(225) if cell not in {112, 97}
    }
    values |= {"98": 1, "0": -1}
    hint = Hint(best=(96, 98), values=values, reason="depth 4")
    shown = replace(SHOWN, hint=hint)
    text = draw(shown, 120, 40).text
    assert "?  " not in text.replace("? help", "")
    assert (text.count("*?*"), text.count("*+*"), text.count(" - ")) == (1, 1, 1)
    assert "hint: g7 or i7" in text


def test_a_hint_of_many_equal_cells_marks_eight() -> None:
    cells = tuple(cell for cell in range(225) if cell not in {112, 97})
    hint = Hint(best=cells, values={str(cell): None for cell in cells}, reason="")
    text = draw(replace(SHOWN, hint=hint), 120, 40).text
    assert text.count("*?*") == 8
    assert "c1 and 220 more looks best" in text


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        (80, "r resign  d draw  t takeback  Tab chat  ? help  q quit"),
        (54, "r resign  d draw  t takeback  ? help  q quit"),
        (40, "r resign  d draw  ? help  q quit"),
        (26, "r resign  ? help  q quit"),
        (20, "? help  q quit"),
    ],
)
def test_the_key_bar_drops_chat_before_resign(columns: int, kept: str) -> None:
    text = draw(screen_of(build_room()), columns, 12).text
    assert text.splitlines()[-1].strip() == kept
