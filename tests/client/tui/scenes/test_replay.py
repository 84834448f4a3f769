import asyncio
import json

import pytest

from tests.client.tui.pictures import NOW, recording, replay
from ttt_client.model.study import AnalysedMove, Analysis
from ttt_client.model.variants import turn_at
from ttt_client.play.replay import Recording, recording_of
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.scenes.replay import ReplayScene, screens, step_after
from ttt_client.tui.scenes.scene import Stage
from ttt_protocol.records import GameRecord
from ttt_protocol.state import Rules

STAGE = Stage(lambda: None, lambda: NOW, ascii_only=True)


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
    picture = replay(recording(), 3, 80, 24)
    leads = [picture.key_at(x, 22) for x in range(80)]
    assert {key for key in leads if key} == {f"step:{number}" for number in range(7)}


def test_a_game_without_moves_has_a_slider_too() -> None:
    assert "● 0/0" in replay(recording()[:1], 0, 40, 20).text.replace("─", "")


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
    scene = ReplayScene(game(), "here", STAGE)
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


def weighed(ply: int, cell: int, worth: int | None, **values: int | None) -> AnalysedMove:
    known = {int(name[1:]): value for name, value in values.items()}
    return AnalysedMove(ply, turn_at(Rules(), ply), cell, worth, known, is_mistake=worth == -1)


async def test_an_analysis_stands_on_the_board_and_under_it() -> None:
    moves = (
        weighed(0, 4, 0, c0=0, c4=0),
        weighed(1, 0, -1, c0=-1, c1=0),
        weighed(2, 2, 1, c2=1, c3=None),
    )
    analysis = Analysis(moves, thrown_away_at=1, winner=None)
    scene = ReplayScene(game(), "here", STAGE, analysis)
    scene.press("home", NOW)
    assert scene.draw(Size(80, 24), NOW).text.count("draw") == 2
    scene.press("right", NOW)
    second = scene.draw(Size(80, 24), NOW).text
    assert "1. X 5 draws" in second
    assert "loss" in second
    scene.press("right", NOW)
    third = scene.draw(Size(80, 24), NOW).text
    assert "2. O 1 loses, a mistake; 2 draws" in third
    assert ("win" in third, "?" in third) == (True, False)


def test_moves_that_were_taken_back_have_no_analysis() -> None:
    analysis = Analysis((weighed(0, 8, 0, c8=0),), thrown_away_at=None, winner=None)
    assert [shown.hint is None for shown in screens(game(), "here", analysis)] == [
        False,
        *[True] * 3,
    ]


async def test_another_game_is_asked_for() -> None:
    scene = ReplayScene(game(), "here", STAGE)
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
