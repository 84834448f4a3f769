"""Codes that lead somewhere, and those that do not; wide names, and devices that sleep."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.integration.attendees import make_event
from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    cell,
    moves_next,
    press,
    shows,
)

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}

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
    await page.get_by_text("This link is to another server, play.example.net.").wait_for()
    assert page.url.endswith("/events")


async def test_a_picture_that_is_pasted_for_a_code(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("Code").evaluate(PASTE)
    await page.get_by_text("That is a picture. Type the code you can read in it.").wait_for()


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
    await page.get_by_text("Events that you run or take part in appear here.").wait_for()
    await page.goto(page.url + "/club")
    await page.get_by_label("Your name").fill("Ada")
    await press(page, "Take part")
    await page.get_by_text("You are in").wait_for()
    await page.get_by_role("link", name="Events").click()
    await expect(page.locator(".event-card")).to_contain_text("Not started, 1 player")


async def test_the_code_of_an_event_that_is_over(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "4821", "arena")
    await organiser.tell("finish")
    page = await windows.visit(server, "/join", **PHONE)
    await page.get_by_label("Code").fill("4821")
    await press(page, "Enter")
    await shows(page, "Over (ended by the organiser)")
    await expect(page.get_by_role("button", name="Take part")).to_have_count(0)


async def test_an_event_that_is_full(windows: Windows, server: ServerProcess) -> None:
    await make_event(server, "club", "match", max_players=2)
    pages = [await windows.visit(server, "/events/club", **PHONE) for _ in range(3)]
    for page, name in zip(pages, ("Ada", "Bob", "Cy"), strict=True):
        await page.get_by_label("Your name").fill(name)
    for page in pages[:2]:
        await press(page, "Take part")
        await page.get_by_text("You are in").wait_for()
    await press(pages[2], "Take part")
    await pages[2].get_by_role("alert").get_by_text("The event is full.").wait_for()
    await pages[2].get_by_role("button", name="Take part").wait_for()


@pytest.mark.parametrize("name", ["W" * 24, "\u05de\u05e9\u05d7\u05e7\u05ea \u05e2\u05dd X"])
async def test_names_that_are_wide_or_read_from_the_right(
    windows: Windows, server: ServerProcess, dial: Dial, name: str
) -> None:
    clock = {"initial_s": 600, "increment_s": 0}
    for mark in ("ada", name):
        await (await dial(server, "wide")).join(name=mark, settings={"clock": clock})
    for width, height in ((320, 568), (844, 390), (1280, 800)):
        page = await windows.visit(
            server, "/rooms/wide", viewport={"width": width, "height": height}
        )
        seat = page.locator(".seat.O")
        await expect(seat.locator(".name")).to_have_text(name)
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        boxes = [await seat.locator(part).bounding_box() for part in (".name", ".clock")]
        texts, clocks = [box for box in boxes if box]
        is_beside = texts["x"] + texts["width"] <= clocks["x"] + 1
        assert is_beside or texts["y"] + texts["height"] <= clocks["y"] + 1


async def test_a_phone_that_slept_is_back_at_once(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "nap")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/nap#seat", **PHONE)
    await moves_next(page, "X")
    # While a device sleeps, nothing of the page runs, and its clock goes on.
    slept = "performance.now = ((now) => () => now() + 60_000)(performance.now.bind(performance))"
    async with page.expect_websocket():
        await page.evaluate(f"{slept}; dispatchEvent(new Event('visibilitychange'))")
    await ada.play(0, 4)
    await cell(page, "b2, X").wait_for()
    await cell(page, "a1, empty").click()
    await cell(page, "a1, O").wait_for()


async def test_a_projector_that_loses_the_network_goes_on(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    wall = await windows.visit(server, "/events/club/wall")
    await expect(wall.get_by_role("status")).to_contain_text("Not started, 0 players")
    await wall.context.set_offline(True)
    await wall.get_by_text("Connection lost.").wait_for()
    await organiser.tell("announce", text="A break until one")
    await wall.context.set_offline(False)
    await wall.get_by_text("A break until one").wait_for()
    await expect(wall.get_by_text("Connection lost.")).to_be_hidden()
    windows.complaints.clear()  # of the connections that failed
