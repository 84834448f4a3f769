"""Events on the page: made, joined, played from game to game, organised, and on the wall."""

from playwright.async_api import Page, expect

from tests.integration.attendees import Attendee
from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, press

LONG_MS = 60_000
"""For what takes several pages, pauses and games."""
WALL = {"viewport": {"width": 1920, "height": 1080}, "reduced_motion": "reduce"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


async def make(windows: Windows, server: ServerProcess, form: str) -> Page:
    """Make an event from the front page; the organiser's page."""
    page = await windows.visit(server, "/")
    await page.get_by_role("textbox", name="Event").fill("Friday Club!")
    await press(page, "To the event")
    await page.wait_for_url("**/events/friday-club")
    await page.get_by_label("Form").select_option(form)
    await page.get_by_label("Title").fill("Friday club")
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Friday club").wait_for()
    return page


async def test_a_class_plays_a_swiss(windows: Windows, server: ServerProcess) -> None:
    organiser = await make(windows, server, "swiss")
    wall = await windows.visit(server, "/events/friday-club/wall", **WALL)
    await expect(wall.locator("#address")).to_contain_text("/events/friday-club")
    await wall.locator(".qr").wait_for()
    child = await windows.visit(server, "/events/friday-club", **PHONE)
    await child.get_by_label("Your name").fill("Ada")
    await press(child, "Take part")
    await child.get_by_text("You take part as Ada").wait_for()
    attendees = [Attendee(server, "friday-club", f"pupil {number}") for number in range(3)]
    for attendee in attendees:
        await attendee.enter()
    await expect(organiser.locator(".standings tbody tr")).to_have_count(4)
    await organiser.get_by_label("Announcement").fill("Welcome!")
    await press(organiser, "Announce")
    await wall.get_by_text("Welcome!").wait_for()
    await press(organiser, "Start")
    await child.wait_for_url("**/rooms/friday-club-*", timeout=LONG_MS)  # by itself
    await expect(wall.locator(".boards .card").first).to_be_visible()
    first = child.url
    await press(child, "Resign")
    await press(child, "Really resign?")
    await expect(organiser.get_by_role("status")).to_contain_text("Round 2 of 5", timeout=LONG_MS)
    # Back to the event, and from there to the next game, by itself.
    await child.wait_for_url(
        lambda url: "/rooms/friday-club-" in url and url != first, timeout=LONG_MS
    )
    await press(organiser, "End")
    await press(organiser, "End the event now? Open games will not count.")
    await expect(wall.get_by_role("status")).to_contain_text("won")
    for attendee in attendees:
        await attendee.go()
