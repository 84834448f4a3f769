"""Relatives of the game: the page shows what the server tells of them, and knows no rule."""

from io import BytesIO
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, moves_next, shows
from tests.integration.web.test_web_share import download

Image = pytest.importorskip("PIL.Image")

VANISHING = {"variant": "vanishing", "columns": 3, "rows": 3, "in_a_row": 3}


async def begin(
    windows: Windows, server: ServerProcess, dial: Dial, rules: dict[str, Any]
) -> tuple[Any, Page]:
    """Ada, who has begun nothing yet, and the page of O."""
    ada = await dial(server, "kin")
    await ada.join(name="ada", settings={"rules": rules})
    page = await windows.visit(server, "/rooms/kin#seat")
    await moves_next(page, "X")
    return ada, page


async def test_a_mark_that_vanishes_is_gone_in_the_replay_too(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada, page = await begin(windows, server, dial, VANISHING)
    await expect(page.locator("#rules")).to_contain_text("Vanishing")
    for ply, name in enumerate(("a1", "b1", "b2", "a2", "c1", "c2", "b3")):
        if ply % 2:
            await cell(page, f"{name}, empty").click()
            await cell(page, f"{name}, O").wait_for()
        else:
            await ada.play(ply, "abc".index(name[0]) + 3 * (int(name[1]) - 1))
            await cell(page, f"{name}, X").wait_for()
    await cell(page, "a1, empty").wait_for()  # X has three
    await ada.send("resign", game=1)
    await shows(page, "You won")
    await page.get_by_role("link", name="Analyse").click()
    await cell(page, "b3, X").wait_for()
    await cell(page, "a1, empty").wait_for()
    await page.keyboard.press("ArrowLeft")
    await cell(page, "a1, X").wait_for()
    await page.get_by_role("button", name="Share").click()
    _, moving = await download(page, "Animated picture (GIF)")
    assert Image.open(BytesIO(moving)).n_frames == 8
    windows.complaints.clear()  # what such a game is worth is not known


async def test_the_page_offers_the_cells_that_may_be_played(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada, page = await begin(windows, server, dial, {"variant": "ultimate"})
    await ada.play(0, 0)
    await moves_next(page, "O")
    playable = page.locator(".cell[aria-disabled=false]")
    await expect(playable).to_have_count(8)  # of the small board at the upper left
    await cell(page, "c3, empty, top left board, you may play here").click()
    await cell(page, "c3, O, top left").wait_for()


async def test_both_play_the_same_mark(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    notakto = {"variant": "notakto", "columns": 3, "rows": 3, "in_a_row": 3}
    ada, page = await begin(windows, server, dial, notakto)
    await ada.play(0, 0)
    await moves_next(page, "O")
    await cell(page, "b2, empty").click()
    await cell(page, "b2, X").wait_for()
