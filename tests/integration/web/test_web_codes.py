"""The page of events: codes that lead somewhere, and those that do not."""

import pytest
from playwright.async_api import expect

from tests.integration.attendees import make_event
from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, press

PASTE = """async (field) => {
  const { href } = document.querySelector("link[rel=apple-touch-icon]");
  const picture = await (await fetch(href)).blob();
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([picture], "code.png", { type: "image/png" }));
  const paste = { clipboardData, bubbles: true, cancelable: true };
  field.dispatchEvent(new ClipboardEvent("paste", paste));
}"""


async def test_a_link_that_is_pasted_for_a_code(windows: Windows, server: ServerProcess) -> None:
    await make_event(server, "4821", "arena")
    page = await windows.visit(server, "/join")
    here = server.address.replace("ws", "http", 1)
    for typed in ("4821", " 4821 ", f"{here}/events/4821/wall", f"{here[7:]}/events/4821"):
        await page.goto(f"{here}/join")
        await page.get_by_label("Code").fill(typed)
        await press(page, "Enter")
        await page.wait_for_url("**/events/4821")
    windows.complaints.clear()  # of the questions for what is not there


async def test_a_link_of_another_server(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/events")
    await page.get_by_label("Code").fill("https://play.example.net/events/4821")
    await press(page, "Enter")
    await page.get_by_text("This link is of another server, play.example.net.").wait_for()
    assert page.url.endswith("/events")


async def test_a_picture_that_is_pasted_for_a_code(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("Code").evaluate(PASTE)
    await page.get_by_text("That is a picture. Type the code that stands in it.").wait_for()


async def test_a_server_that_does_not_answer(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/join")
    await page.get_by_label("Code").fill("4821")
    await page.route("**/api/**", lambda route: route.fulfill(status=429))
    await press(page, "Enter")
    await page.get_by_text("too many attempts").wait_for()
    await page.unroute_all()
    await page.route("**/api/**", lambda route: route.abort())
    await press(page, "Enter")
    await page.get_by_text("cannot be reached").wait_for()
    windows.complaints.clear()


@pytest.mark.parametrize("path", ["/events", "/help"])
async def test_pages_for_all(windows: Windows, server: ServerProcess, path: str) -> None:
    for scheme, width in (("light", 1280), ("dark", 320)):
        page = await windows.visit(
            server, path, color_scheme=scheme, viewport={"width": width, "height": 568}
        )
        await expect(page.locator("#version")).to_contain_text("ttt-rooms/")
        await assert_accessible(page)
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


async def test_the_events_of_this_browser(windows: Windows, server: ServerProcess) -> None:
    await make_event(server, "club", "arena")
    page = await windows.visit(server, "/events")
    await page.get_by_text("Events that you run or take part in stand here.").wait_for()
    await page.goto(page.url + "/club")
    await page.get_by_label("Your name").fill("Ada")
    await press(page, "Take part")
    await page.get_by_text("You are in").wait_for()
    await page.get_by_role("link", name="Events").click()
    await expect(page.locator(".event-card")).to_contain_text("Not started, 1 player")
