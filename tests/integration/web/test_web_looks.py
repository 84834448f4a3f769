"""What a visitor chooses for the eyes, kept in the browser: boards, marks or stones."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, cell, own_panel, shows


async def style(part: Locator, name: str) -> str:
    found: str = await part.evaluate(f"it => getComputedStyle(it).{name}")
    return found


async def choose(page: Page, look: str) -> None:
    panel = await own_panel(page)
    await panel.get_by_role("radio", name=look).check()
    await page.keyboard.press("Escape")


async def test_a_board_of_slate_stays(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    ground = page.locator("#first .ground")
    paper = await style(ground, "fill")
    await choose(page, "Slate")
    slate = await style(ground, "fill")
    assert slate != paper
    await cell(page, "b2, empty").click()
    await shows(page, "Your turn")
    board = page.locator("#board")
    assert await style(board.locator(".ground"), "fill") == slate
    await choose(page, "Paper")
    assert await style(board.locator(".ground"), "fill") == paper


async def test_marks_or_stones(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    tile = page.locator(".tile-card")
    plain, large = tile.first.locator(".stone").first, tile.last.locator(".stone").first
    assert [await style(each, "display") for each in (plain, large)] == ["none", "inline"]
    await choose(page, "Stones")
    assert [await style(each, "display") for each in (plain, large)] == ["inline", "inline"]
    await choose(page, "Marks")
    assert [await style(each, "display") for each in (plain, large)] == ["none", "none"]
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-marks", "marks")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_panel_is_for_all(windows: Windows, server: ServerProcess, scheme: str) -> None:
    small = {"width": 320, "height": 568}
    page = await windows.visit(server, "/", viewport=small, color_scheme=scheme)
    await choose(page, "Contrast")
    panel = await own_panel(page)
    await panel.wait_for()
    await assert_accessible(page)
    box = await panel.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= small["width"]
    await page.mouse.click(10, 560)
    await expect(panel).to_be_hidden()
