import pyte
import pytest

from tests.client.tui.pictures import EMPTY, draw
from ttt_client.tui.terminal import first_frame


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (43, 8), (300, 100)])
def test_the_first_frame_is_the_one_that_follows(
    columns: int, rows: int, *, ascii_only: bool
) -> None:
    terminal = pyte.Screen(columns, rows)
    frame = first_frame(EMPTY.place, EMPTY.server, columns, rows, ascii_only=ascii_only)
    pyte.Stream(terminal).feed(frame)
    shown = "\n".join(line.rstrip() for line in terminal.display)
    drawn = draw(EMPTY, columns, rows, ascii_only=ascii_only)
    assert shown.rstrip() == drawn.text.replace(" q quit", "").rstrip()


def test_a_window_that_is_too_small_begins_empty() -> None:
    assert first_frame("room42", "127.0.0.1:8765", 20, 8, ascii_only=False) == ""
