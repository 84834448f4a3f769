"""Events on the page: made, joined, played from game to game, organised, and on the wall."""

import asyncio
import os
import re
from contextlib import suppress
from typing import Any

from playwright.async_api import Error, Page, expect

from tests.integration.attendees import Attendee, Hold
from tests.integration.programs import ServerProcess, eventually
from tests.integration.web.browser import Windows, assert_fits, choose_form, press
from tests.integration.web.test_web_event_page import unfold_tools
from ttt_client.play.seat_links import Terms, tables
from ttt_protocol.codes import Opening
from ttt_protocol.state import ClockSetting, Rules

LONG_MS = 60_000
"""For what takes several pages, pauses and games."""
WALL: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}, "reduced_motion": "reduce"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
DESK: dict[str, Any] = {}
FIRST_OF_ROUND_2 = 16


async def make(windows: Windows, server: ServerProcess, form: str) -> Page:
    """Make an event from the front page; the organiser's page."""
    page = await windows.visit(server, "/events/friday-club#new")
    await choose_form(page, form)
    await unfold_tools(page)
    await page.get_by_label("Title").fill("Friday club")
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Friday club").wait_for()
    await unfold_tools(page)
    return page


async def test_a_class_plays_a_swiss(windows: Windows, server: ServerProcess) -> None:
    organiser = await make(windows, server, "swiss")
    wall = await windows.visit(server, "/events/friday-club/wall", **WALL)
    await expect(wall.locator("#address")).to_contain_text("/join")
    await wall.locator(".qr").wait_for()
    children = [await windows.visit(server, "/events/friday-club", **it) for it in (PHONE, DESK)]
    for child, name in zip(children, ("Ada", "ADA"), strict=True):
        await child.get_by_label("Your name").fill(name)
        await press(child, "Take part")
        await child.get_by_text("You are in").wait_for()
    await children[1].get_by_text(re.compile("You are in, .?ADA 2")).wait_for()
    hold = Hold(FIRST_OF_ROUND_2)
    pupils = [Attendee(server, "friday-club", f"pupil {n}", hold=hold) for n in range(3, 30)]
    await asyncio.gather(*(pupil.enter() for pupil in pupils))
    await organiser.get_by_label("The AI that plays").select_option("Computer: Fair")
    await press(organiser, "Add an AI")
    await expect(organiser.locator(".standings tbody tr")).to_have_count(30)
    await organiser.get_by_label("Announcement").fill("Welcome!")
    await press(organiser, "Announce")
    await wall.get_by_text("Welcome!").wait_for()
    await look(wall, "wall-before")
    await make_seat_links(organiser)
    await press(organiser, "Start")
    first = []
    for child in children:
        await child.wait_for_url("**/rooms/friday-club-*", timeout=LONG_MS)  # by itself
        first.append(child.url)
        await resign(child)
        await expect(child.get_by_role("button", name="Rematch")).to_have_count(0)
    await expect(wall.locator(".boards .card").first).to_be_visible()
    await organiser.get_by_role("button", name="Next round").click(timeout=LONG_MS)
    await expect(wall.get_by_role("status")).to_contain_text("Round 2 of 5", timeout=LONG_MS)
    await expect(wall.locator("#waiting")).to_contain_text("of 15 games over.")
    await look(wall, "wall-running")
    # Back to the event, and from there to the next game, by itself.
    for child, url in zip(children, first, strict=True):
        await child.wait_for_url(
            re.compile(rf"/rooms/friday-club-(?!{url.rpartition('club-')[2]}$)"), timeout=LONG_MS
        )
    await server.restart_after_kill()
    await asyncio.gather(*map(resign, children))
    hold.release()
    await organiser.get_by_role("button", name="Next round").click(timeout=LONG_MS)
    await expect(organiser.get_by_role("status")).to_contain_text("Round 3 of 5", timeout=LONG_MS)
    await press(organiser, "End")
    await press(organiser, "End the event now? Open games will not count.")
    await expect(wall.get_by_role("status")).to_have_text(await outcome(server))
    await look(wall, "wall-after")
    await expect(organiser.locator(".standings .rating").first).to_contain_text("±")
    assert all("WebSocket" in each or "net::ERR" in each for each in windows.complaints), (
        windows.complaints
    )
    windows.complaints.clear()
    for pupil in pupils:
        await pupil.go()


async def test_an_event_is_on_the_front_page_if_its_organiser_wants_it(
    windows: Windows, server: ServerProcess
) -> None:
    front = await windows.visit(server, "/")
    await front.locator(".own summary").wait_for()
    await expect(front.locator("#open-events")).to_be_hidden()
    organiser = await windows.visit(server, "/events/club#new")
    await choose_form(organiser, "swiss")
    await unfold_tools(organiser)
    await organiser.get_by_label("Title").fill("Friday club")
    await organiser.get_by_label("Show it on the front page").check()
    await press(organiser, "Make the event")
    await organiser.get_by_role("heading", name="Friday club").wait_for()
    await front.reload()
    card = front.locator("#open-events .card")
    await expect(card).to_contain_text("Friday club")
    await expect(card).to_contain_text("In rounds")
    await expect(card).to_contain_text("Not started, 0 players")
    await front.get_by_role("link", name="Join Friday club").click()
    await front.get_by_label("Your name").wait_for()


async def test_a_simul_goes_from_board_to_board(windows: Windows, server: ServerProcess) -> None:
    organiser = await make(windows, server, "simul")
    host = await windows.visit(server, "/events/friday-club")
    await host.get_by_label("Your name").fill("Ada")
    await press(host, "Take part")
    await host.get_by_text("You are in").wait_for()
    pupils = [Attendee(server, "friday-club", f"pupil {n}") for n in range(3)]
    for pupil in pupils:
        await pupil.enter()
    await press(organiser, "Start")
    await host.wait_for_url("**/rooms/friday-club-*", timeout=LONG_MS)  # by itself

    boards = set()

    async def is_over() -> bool:
        """Play wherever the page goes; one board has three moves or more of the host."""
        boards.add(host.url)
        with suppress(Error):  # the page is on its way
            await host.locator('.cell[aria-disabled="false"]').first.click(timeout=500)
        return host.url.endswith("/events/friday-club")

    await eventually(is_over, 60)
    assert len({url for url in boards if "/rooms/" in url}) == len(pupils)
    _, event = await server.get("/api/events/friday-club")
    assert event["status"] == "finished"
    assert {game["reason"] for game in event["games"]} <= {"line", "full"}
    for pupil in pupils:
        await pupil.go()


async def test_two_links_seat_two_players(windows: Windows, server: ServerProcess) -> None:
    web = server.address.replace("ws", "http", 1)
    clock = ClockSetting(initial_s=60, increment_s=2)
    terms = Terms(Rules(columns=4, rows=4), clock, opening=Opening.PIE)
    (table,) = tables(web, [("Ada", "Bob")], terms)
    x, o = [await windows.open(link) for link in table.links]
    for page, mark, name in ((x, "X", "Ada"), (o, "O", "Bob")):
        await expect(page.locator(f".seat.{mark}")).to_contain_text(name)
        await expect(page.locator(f".seat.{mark}")).to_contain_text("you")
    await expect(x.locator(".seat.O")).to_contain_text("Bob")
    assert table.room in x.url
    assert "#" not in x.url
    thief = await windows.open(table.links[0])
    await expect(thief.get_by_role("alert")).to_contain_text("taken")
    _, room = await server.get(f"/api/rooms/{table.room}")
    assert room["settings"]["rules"]["columns"] == 4
    assert room["settings"]["clock"] == {"initial_s": 60, "increment_s": 2}
    assert room["settings"]["public"] is False
    assert room["settings"]["opening"] == "pie"


async def outcome(server: ServerProcess) -> str:
    """How the wall tells the end: with a winner, if one player alone is first, and why."""

    async def is_over() -> bool:
        _, event = await server.get("/api/events/friday-club")
        return bool(event["status"] == "finished")

    await eventually(is_over)
    _, event = await server.get("/api/events/friday-club")
    first = [row["name"] for row in event["standings"] if row["rank"] == 1]
    first = ["Computer (Fair)" if name == "guard" else name for name in first]
    assert event["ended_early"] == "organiser"
    return f"{first[0] + ' won' if len(first) == 1 else 'Over'} (ended by the organiser)"


async def make_seat_links(page: Page) -> None:
    """Make links for a game beside the event, from a pair of names."""
    await page.get_by_text("Links to seats").click()
    pairs = page.get_by_label("Pairs of names")
    await pairs.fill("Eve")
    await press(page, "Make the links")
    await page.get_by_text("Line 1: two names").wait_for()
    await pairs.fill("Eve, Mallory")
    await press(page, "Make the links")
    made = page.get_by_label("Links to the seats")
    await expect(made).to_have_value(
        re.compile(r"\nEve,http\S+#seat=X&name=Eve&rules=3x3x3&clock=120%2B0,Mallory,")
    )


async def resign(page: Page) -> None:
    """Resign; the question is taken back where the buttons change, as when the other one comes."""

    async def has_resigned() -> bool:
        for place in (".fixed", ".bar"):
            button = page.locator(place).get_by_role("button", name="Resign", exact=True)
            with suppress(Error):
                await button.click(timeout=1500)
        return await page.locator("#because", has_text="resignation").is_visible()

    await eventually(has_resigned)


async def look(wall: Page, name: str) -> None:
    """Hold the wall to the window; keep pictures by day and by night, where a folder is named."""
    await assert_fits(wall)
    await wall.set_viewport_size(WALL["viewport"])
    folder = os.environ.get("TTT_SCREENSHOTS")
    if folder is None:
        return
    for scheme in ("light", "dark"):
        await wall.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for size in (WALL, PHONE):
            await wall.set_viewport_size(size["viewport"])
            await wall.screenshot(path=f"{folder}/{name}-{scheme}-{size['viewport']['width']}.png")
    await wall.set_viewport_size(WALL["viewport"])
