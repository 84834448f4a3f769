import pytest

from tests.client.tui.pictures import recording
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.scenes.replay import draw_replay, step_after


@pytest.mark.parametrize(
    ("at", "key", "there"),
    [
        (3, "right", 4),
        (3, "left", 2),
        (3, "home", 0),
        (3, "end", 6),
        (6, "l", 6),
        (0, "h", 0),
        (0, "pagedown", 5),
        (3, "step:1", 1),
        (3, "z", 3),
    ],
)
def test_keys_move_through_the_steps(at: int, key: str, there: int) -> None:
    assert step_after(at, key, 7) == there


def test_the_slider_leads_to_every_step() -> None:
    picture = draw_replay(recording(), 3, Size(80, 24))
    leads = [picture.key_at(x, 22) for x in range(80)]
    assert {key for key in leads if key} == {f"step:{number}" for number in range(7)}


def test_a_game_without_moves_has_a_slider_too() -> None:
    assert "● 0/0" in draw_replay(recording()[:1], 0, Size(40, 20)).text.replace("─", "")
