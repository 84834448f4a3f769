"""A position to explore on the screen, with a server that tells what it is told to tell."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.client.tui.pictures import NOW
from ttt_client.model.exploration import Exploration
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.play.explore import Explorer
from ttt_client.tui.draw.canvas import Size
from ttt_client.tui.scenes.explore import ExploreScene
from ttt_client.tui.scenes.scene import Stage
from ttt_protocol.state import Rules

TOLD: dict[str, Any] = {
    "turn": "X",
    "legal": [*range(9)],
    "best": [4],
    "values": {"4": 0, "0": None, "1": -1},
    "reason": "depth 3",
    "over": False,
    "winner": None,
    "line": None,
}
PLAYED = TOLD | {"turn": "O", "legal": [*range(4), *range(5, 9)], "best": [0], "values": {"0": 0}}


class Explored:
    """A scene that runs, with the time as an argument."""

    def __init__(self, scene: ExploreScene, drawn: asyncio.Event) -> None:
        self.scene = scene
        self._drawn = drawn

    async def after(self, *keys: str, now: float = NOW) -> str:
        """Return the picture after keys, once the server has answered."""
        self._drawn.clear()
        for key in keys:
            self.scene.press(key, now)
        await self._drawn.wait()
        return self.scene.draw(Size(80, 24), now).text


@pytest.fixture
def explored(pages: Callable[..., str], answer: Callable[..., bytes]) -> Callable[..., Any]:
    @asynccontextmanager
    async def run(**known: dict[str, Any]) -> AsyncIterator[Explored]:
        told = {f"/api/explore?rules=3x3x3&moves={moves}": body for moves, body in known.items()}
        told = {"/api/explore?rules=3x3x3&moves=": TOLD} | told
        server = parse_server(
            pages({path: answer(json.dumps(body)) for path, body in told.items()})
        )
        drawn = asyncio.Event()
        stage = Stage(drawn.set, asyncio.get_running_loop().time, ascii_only=True)
        scene = ExploreScene(Explorer(server, Exploration(Rules())), "here", stage)
        running = asyncio.ensure_future(scene.run())
        yield Explored(scene, drawn)
        await scene._lines.put("quit")
        assert await running == Ending(0)

    return run


async def test_moves_are_worth_something_and_can_be_tried_and_undone(
    explored: Callable[..., Any],
) -> None:
    async with explored(b2=PLAYED) as it:
        first = await it.after()
        assert "X to move; best: 5 (sees 3 moves ahead)" in first
        assert ("*draw*" in first, "loss" in first, "?" in first.replace("? help", "")) == (
            True,
            True,
            False,
        )
        assert "[1. X 5]" in await it.after("enter")
        assert "5 cannot be played here" in await it.after("5")
        assert "1. X 5" in await it.after("backspace")
        assert "[1. X 5]" in await it.after("pagedown")
        undone = await it.after(*"undo", "enter")
        assert "[1. X 5]" not in undone
        assert "no move was tried" in await it.after("pagedown", "delete")


async def test_a_double_click_tries_one_move(explored: Callable[..., Any]) -> None:
    async with explored(b2=PLAYED, b2a1=TOLD) as it:
        await it.after()
        assert "O to move" in await it.after("cell:4")
        it.scene.press("cell:0", NOW + 0.3)
        it.scene.press("left", NOW + 0.3)
        assert it.scene._lines.empty()
        assert "[2. O 1]" in await it.after("cell:0", now=NOW + 1)


async def test_answers_help_and_faults_are_shown(explored: Callable[..., Any]) -> None:
    async with explored() as it:
        await it.after()
        assert "/explore?rules=3x3x3&moves=" in await it.after(":", *"link", "enter")
        assert "was not understood" in await it.after("x", "y", "enter")
        assert "refused" in await it.after("3"), "the server tells nothing of this"
        it.scene.press("?", NOW)
        assert "undo is back" in it.scene.draw(Size(80, 24), NOW).text
        assert it.scene.press("q", NOW), "any key closes the help"
        it.scene.press("s", NOW)
        it.scene.paste("et b2 x")
        assert ": set b2 x" in it.scene.draw(Size(40, 12), NOW).text
        it.scene.press("escape", NOW)
        assert "too small" in it.scene.draw(Size(19, 8), NOW).text
        assert it.scene.title == "explore - ttt"
        assert not it.scene.press("q", NOW)
