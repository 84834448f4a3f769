"""What an organiser does on the page of an event, and what the wall shows of it."""

import asyncio
import re
from contextlib import suppress
from typing import Any

from playwright.async_api import Dialog, Error, Locator, Page, expect

from tests.integration.attendees import Attendee, Hold, make_event
from tests.integration.programs import ServerProcess, eventually
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    assert_fits,
    choose_form,
    press,
)
from tests.integration.web.test_web_event_page import LONG_MS, organise, unfold_menu, unfold_tools

WALL: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
RUNNING = "under way"
ENDS = "End the event now? Open games will not count."


async def _players(server: ServerProcess, *names: str, pace_s: float = 0) -> list[Attendee]:
    players = [Attendee(server, "club", name, pace_s=pace_s) for name in names]
    for player in players:
        await player.enter()
    return players


async def test_a_result_of_an_arena_is_corrected_after_the_game(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    players = await _players(server, "Ada", "Bob")
    await press(page, "Start")
    game = page.locator("#games li").filter(has_not_text=RUNNING).last
    await game.wait_for(timeout=LONG_MS)
    for player in players:
        await player.go()
    label = re.compile("^Correct\u2026 (Ada \u2013 Bob|Bob \u2013 Ada)$")
    await expect(game.get_by_label(label)).to_have_count(1)
    for result in ("0 : 1", "\u00bd : \u00bd"):
        await game.get_by_label("Correct").select_option(result)
        await expect(game).not_to_contain_text(f" {result} (corrected)")
        await game.get_by_role("button", name=f"Make it {result}?").click()
        await expect(game).to_contain_text(f" {result} (corrected)")


async def test_an_event_that_is_over_offers_nothing_that_would_be_refused(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    hold = Hold(2)
    players = [Attendee(server, "club", name, hold=hold) for name in ("Ada", "Bob", "Cy", "Di")]
    for player in players:
        await player.enter()
    await press(page, "Start")
    games = page.locator("#games li")
    await expect(games.filter(has_not_text=RUNNING)).to_have_count(1, timeout=LONG_MS)
    await press(page, "End")
    await press(page, ENDS)
    await expect(games.filter(has_text="broken off")).to_have_count(1)
    for name in ("Restart the game", "Excuse", "Add an AI"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    for player in players:
        await player.go()


async def test_the_front_page_has_the_events_of_this_browser(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    players = await _players(server, "Ada", "Bob", pace_s=600)
    await press(page, "Start")
    await page.get_by_role("heading", name="Games are under way").wait_for()
    await page.goto(page.url.partition("/events")[0])
    await page.set_viewport_size({"width": 320, "height": 640})
    yours = page.get_by_role("region", name="Your events")
    await expect(yours.get_by_role("listitem")).to_contain_text("Arena \u00b7 Games are under way")
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await assert_accessible(page)
    await yours.get_by_role("link", name="Organise club").click()
    await page.get_by_role("heading", name="Organise").wait_for()
    await page.get_by_role("button", name="End").wait_for()
    for player in players:
        await player.go()


async def test_an_event_begins_with_two_players_and_says_so(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    start = page.get_by_role("button", name="Start", exact=True)
    why = page.get_by_text("An event needs at least two players")
    (ada,) = await _players(server, "Ada")
    await page.get_by_role("row", name="Ada").wait_for()
    await expect(start).to_be_disabled()
    await why.wait_for()
    (bob,) = await _players(server, "Bob")
    await expect(why).to_be_hidden()
    await start.click()
    await page.get_by_role("heading", name="Games are under way").wait_for()
    for player in (ada, bob):
        await player.go()


async def test_the_next_round_begins_when_the_organiser_says_so(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/events/club#new", viewport={"width": 320, "height": 640})
    switch = page.get_by_label("The next round begins when I say")
    await expect(switch).to_be_hidden()
    await choose_form(page, "swiss")
    await page.get_by_text("5 rounds. You begin each round.").wait_for()
    await unfold_tools(page)
    await expect(switch).to_be_checked()
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Organise").wait_for()
    await expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    ada, bob, cy = await _players(server, "Ada", "Bob", "Cy")
    await press(page, "Start")
    await page.get_by_role("heading", name="Round 1 is over").wait_for(timeout=LONG_MS)
    following = page.get_by_role("button", name="Next round")
    await expect(following).to_be_enabled()
    away = ada if await _has_played(server, "Ada") else bob
    await away.go()
    await page.get_by_text(re.compile(f"Not here, so not paired: .?{away.name}")).wait_for()
    await page.wait_for_timeout(5_000)  # who left just now may be on the way from page to page
    await assert_accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await following.click()
    await page.get_by_role("heading", name=re.compile("Round 2")).wait_for()
    _, event = await server.get("/api/events/club")
    assert not any(
        game["round"] == 2 and away.name in (game["X"], game["O"]) for game in event["games"]
    )
    for player in (ada, bob, cy):
        await player.go()


async def _has_played(server: ServerProcess, name: str) -> bool:
    _, event = await server.get("/api/events/club")
    return any(name in (game["X"], game["O"]) for game in event["games"])


async def test_the_page_and_the_wall_tell_of_the_last_games(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena", minutes=1)
    players = await _players(server, "Ada", "Bob", pace_s=600)
    await organiser.tell("start")
    for address in ("/events/club", "/events/club/wall"):
        page = await windows.visit(server, address)
        await page.get_by_role("heading", name="Games are under way").wait_for()
        told = page.get_by_role("heading", name="Time is over: last games")

        async def is_told(page: Page = page, told: Locator = told) -> bool:
            """Let a minute pass; a state that comes meanwhile sets the clock right again."""
            await page.evaluate("Date.now = ((now) => () => now + 61_000)(Date.now())")
            with suppress(Error):
                await told.wait_for(timeout=1_000)
            clock = await page.locator("#clock").text_content()
            return await told.is_visible() and clock == "0:00"

        await eventually(is_told)
    for player in players:
        await player.go()


async def test_a_player_gets_another_name(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    (ada,) = await _players(server, "Ada")
    asked = []

    async def answer(dialog: Dialog) -> None:
        asked.append((re.sub("[\u2068\u2069]", "", dialog.message), dialog.default_value))
        await dialog.accept(f"{dialog.default_value} Lovelace")

    page.on("dialog", answer)
    await unfold_menu(page, "Ada")
    await press(page, "Rename")
    await page.get_by_text("Ada Lovelace").wait_for()
    await press(page, "Rename")
    await page.get_by_text("Ada Lovelace Lovelace").wait_for()
    assert asked == [("New name of Ada", "Ada"), ("New name of Ada Lovelace", "Ada Lovelace")]
    await ada.go()


async def test_announcements_are_taken_away(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    away = page.get_by_role("button", name="Remove the announcements")
    await expect(away).to_be_hidden()
    await page.get_by_label("Announcement").fill("A break until one")
    await press(page, "Announce")
    await page.get_by_text("A break until one").wait_for()
    await away.click()
    await expect(page.get_by_text("A break until one")).to_have_count(0)
    await expect(away).to_be_hidden()


async def test_words_that_could_not_be_sent_stay(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    words = page.get_by_label("Announcement")
    await page.context.set_offline(True)
    await page.get_by_text("Connection lost.").wait_for()
    await words.fill("A break until one")
    await press(page, "Announce")
    await page.get_by_text("Not sent: no connection.").wait_for()
    await page.context.set_offline(False)
    await expect(page.get_by_text("Connection lost.")).to_be_hidden()
    await expect(words).to_have_value("A break until one")
    await press(page, "Announce")
    await page.get_by_role("listitem").get_by_text("A break until one").wait_for()
    await expect(words).to_have_value("")
    windows.complaints.clear()  # of the connections that failed


async def test_an_event_says_how_many_players_are_not_shown(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    wall = await windows.visit(server, "/help", **WALL)
    await wall.clock.install()
    await wall.goto(wall.url.replace("help", "events/club/wall"))
    players = await _players(server, *(f"Player {n}" for n in range(1, 53)), pace_s=600)
    await page.get_by_text("and 2 more").wait_for()
    # The wall has them all, on pages that turn, whatever comes meanwhile.
    names = wall.locator(".names li")
    await expect(names).to_have_count(26)
    for number in ("1", "2"):
        await wall.get_by_text(f"{number} / 2").wait_for()
        await organiser.tell("announce", text=f"Page {number}")
        await wall.get_by_text(f"Page {number}").wait_for()
        await wall.clock.fast_forward(8_000)
    await expect(names).to_have_count(26)
    for player in players:
        await player.go()


async def test_the_organisers_links_are_seen_as_far_as_there_is_room(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    await page.get_by_role("region", name="Link to the event").wait_for()
    await expect(page.get_by_text("to a friend")).to_have_count(0)
    await page.get_by_text("Link for the organiser").click()
    await press(page, "Link for a second organiser")
    links = page.get_by_role("textbox", name="Link for the organiser")
    await expect(links).to_have_count(2)
    await expect(links.first).to_be_visible()
    for link in await links.all():
        assert await link.evaluate("it => it.scrollWidth <= it.clientWidth")


async def test_the_wall_shows_all_who_have_come_in_and_the_way_in_for_those_who_are_late(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    wall = await windows.visit(server, "/events/club/wall", **WALL)
    await wall.get_by_text("only works on this computer").wait_for()
    players = await _players(server, *(f"Bartholomä{n}" for n in range(10, 50)), pace_s=600)
    names = wall.locator(".names li")
    await expect(names).to_have_count(40)
    await assert_fits(wall)
    await organiser.tell("start")
    await expect(wall.locator(".boards .card")).to_have_count(8)
    await expect(names).to_have_count(40)
    await assert_fits(wall)
    await assert_accessible(wall)
    await expect(wall.locator("#address")).to_be_visible()
    await organiser.tell("doors", open=False)
    await expect(wall.locator("#address")).to_be_hidden()
    for player in players:
        await player.go()


async def test_the_boards_of_a_wall_are_seen_whole_on_a_small_projector(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    players = await _players(server, *(f"Player number {n}" for n in range(1, 13)), pace_s=0.3)
    await organiser.tell("start")
    wall = await windows.visit(server, "/events/club/wall")  # 1280 by 720
    boards = wall.locator(".boards .card")
    await expect(boards).to_have_count(6)  # all of twelve players
    await assert_fits(wall)
    for player in players:
        await player.go()


async def _below(locator: Locator) -> float:
    """Where an element ends, in pixels from the top."""
    await locator.wait_for()
    box = await locator.bounding_box()
    assert box is not None
    bottom: float = box["y"] + box["height"]
    return bottom


async def test_the_head_of_a_game_of_an_event_is_low_on_a_phone(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "class-7b", "arena")
    bob = Attendee(server, "class-7b", "Bob", pace_s=600)
    await bob.enter()
    page = await windows.visit(server, "/events/class-7b", **PHONE)
    await page.get_by_label("Your name").fill("Ada")
    await press(page, "Take part")
    await page.get_by_text(re.compile("You are in, .?Ada")).wait_for()
    await organiser.tell("start")
    await page.wait_for_url("**/rooms/class-*", timeout=LONG_MS)
    await page.get_by_role("link", name="Back to class-7b").wait_for()
    await page.locator(".seat.X").wait_for()
    assert await _below(page.locator(".top")) < 120
    await bob.go()


async def test_equals_share_a_step_of_the_podium(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "arena")
    players = await _players(server, "Ada", "Bob", pace_s=0.1)
    wall = await windows.visit(server, "/events/club/wall")
    await organiser.tell("start")
    await expect(wall.locator(".names b").first).to_have_text(re.compile("[1-9½]"), timeout=LONG_MS)
    await expect(wall.locator(".names .up, .names .down")).to_have_count(0)  # no round was before
    confetti = wall.locator(".confetti .glyph.X + .glyph.O").first
    falls = asyncio.create_task(confetti.wait_for())  # for some seconds
    await organiser.tell("finish")
    await falls
    podium = wall.get_by_role("list", name="The first three")
    await podium.wait_for()
    steps = await podium.get_by_role("listitem").all_inner_texts()
    assert sorted(word for step in steps for word in step.split() if word in {"Ada", "Bob"}) == [
        "Ada",
        "Bob",
    ]
    for player in players:
        await player.go()
