"""A bare board for other sites: it watches, whatever seat the browser has."""

from playwright.async_api import expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    cell,
    moves_next,
    press,
    resign,
    shows,
)

FRAMES = [(360, 480), (400, 440), (640, 480), (800, 300)]


async def test_a_bare_board(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/final")
    await page.get_by_label("Your name").fill("ada")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    bare = await page.context.new_page()
    await bare.set_viewport_size({"width": 360, "height": 480})
    await bare.goto(f"{page.url}?embed")
    await shows(bare, "ada waits for an opponent")
    bob = await windows.visit(server, "/rooms/final")
    await press(bob, "Take seat O")
    await moves_next(page, "X")  # the bare board took no seat away
    await cell(page, "b2, empty").click()
    await cell(bare, "b2, X").wait_for()
    assert await bare.evaluate("document.documentElement.scrollWidth") <= 360
    await expect(bare.get_by_label("Say something")).to_be_hidden()
    link = bare.get_by_role("link", name="Open the room")
    await expect(link).to_have_attribute("href", page.url)
    await expect(link).to_have_attribute("target", "_blank")
    await assert_accessible(bare)
    await resign(bob)
    await shows(bare, "ada won")
    for width, height in FRAMES:
        await bare.set_viewport_size({"width": width, "height": height})
        for part in (*await bare.locator(".seat").all(), bare.locator(".board .field")):
            await expect(part).to_be_in_viewport(ratio=1)
        for part in (bare.get_by_role("status"), bare.locator("#because"), link):
            await expect(part).to_be_in_viewport(ratio=1)
        box = await bare.locator(".board .field").bounding_box()
        assert box is not None
        assert box["height"] >= 0.45 * height


async def test_a_bare_board_offers_nothing_to_make_or_to_take(
    windows: Windows, server: ServerProcess
) -> None:
    bare = await windows.visit(server, "/rooms/final?embed")
    await shows(bare, "No such room")
    await expect(bare.get_by_role("button")).to_have_count(0)
    await expect(bare.get_by_role("textbox")).to_have_count(0)
    await expect(bare.get_by_role("link")).to_have_text(["Open the room"])
    await assert_accessible(bare)
