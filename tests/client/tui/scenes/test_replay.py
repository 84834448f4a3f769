import asyncio
import json

import pytest

from tests.client.tui.pictures import NOW, recording
from ttt_client.play.replay import Recording, recording_of
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.scenes.replay import ReplayScene, draw_replay, step_after
from ttt_protocol.records import GameRecord


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


def game() -> Recording:
    events = [{"type": "started", "game": 2}]
    for ply, cell in enumerate((4, 0, 2)):
        events.append(
            {"type": "played", "game": 2, "ply": ply, "seat": "XO"[ply % 2], "cell": cell}
        )
    numbered = [{"seq": seq, "at": 0, **event} for seq, event in enumerate(events, 1)]
    record = {"room": "den", "game": 2, "rules": {}, "seats": {"X": None, "O": None}}
    return recording_of(GameRecord.model_validate_json(json.dumps(record | {"events": numbered})))


async def test_a_game_is_played_until_its_end_or_a_key() -> None:
    scene = ReplayScene(game(), "here", ascii_only=True)
    assert scene.tick(NOW) is None
    scene.press(" ", NOW)
    assert " 0/3" in scene.draw(Size(80, 24), NOW).text
    assert scene.tick(NOW) == pytest.approx(1.0)
    for step in (1, 2, 3):
        scene.tick(NOW + step)
        assert f" {step}/3" in scene.draw(Size(80, 24), NOW).text
    assert scene.tick(NOW + 9) is None
    scene.press("home", NOW)
    scene.press(" ", NOW)
    scene.press(" ", NOW)
    assert scene.tick(NOW + 9) is None


async def test_another_game_is_asked_for() -> None:
    scene = ReplayScene(game(), "here", ascii_only=True)
    wanted = asyncio.ensure_future(scene.other_game())
    await asyncio.sleep(0)
    scene.press("]", NOW)
    assert await wanted == 3
    wanted = asyncio.ensure_future(scene.other_game())
    await asyncio.sleep(0)
    scene.press("[", NOW)
    assert await wanted == 1
    scene.say("refused: no such game")
    assert "no such game" in scene.draw(Size(80, 24), NOW).text
    scene.press("left", NOW)
    assert "no such game" not in scene.draw(Size(80, 24), NOW).text
