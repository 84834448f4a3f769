"""The page of an event: what it shows after a click, and how a player leaves it, or is removed."""

import asyncio
import os
import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.integration.attendees import Attendee, Visitor, make_event
from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, press, shows

LONG_MS = 60_000
"""For what takes several pages and games."""
WITHDRAW = "Really withdraw? A game under way is lost."


async def organise(windows: Windows, server: ServerProcess, organiser: Visitor) -> Page:
    """Open the page of the organiser in a window."""
    token = organiser.you["token"]
    page = await windows.visit(server, f"/events/{organiser.event}#organise={token}")
    await page.get_by_role("heading", name="Organise").wait_for()
    await unfold_tools(page)
    return page


async def unfold_tools(page: Page) -> None:
    await page.get_by_text("More", exact=True).click()


async def unfold_menu(page: Page, player: str) -> None:
    """Unfold what an organiser can do about a player."""
    await page.get_by_label(re.compile(f"About .?{player}")).click()


async def take_part(windows: Windows, server: ServerProcess, name: str) -> Page:
    page = await windows.visit(server, "/events/club")
    await page.get_by_label("Your name").fill(name)
    await press(page, "Take part")
    await page.get_by_text(re.compile(f"You are in, .?{name}")).wait_for()
    return page


async def reaches_a_game(page: Page) -> None:
    await page.wait_for_url("**/rooms/club-*", timeout=LONG_MS)  # by itself


async def test_the_links_to_seats_lead_into_a_game(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "swiss")
    page = await organise(windows, server, organiser)
    await page.get_by_text("Links to seats").click()
    await page.get_by_label("Pairs of names").fill("Ann, Ben")
    await press(page, "Make the links")
    line = (await page.get_by_label("Links to the seats").input_value()).splitlines()[1]
    _, x_link, _, o_link = line.split(",")
    x, o = await windows.open(x_link), await windows.open(o_link)
    for each, mark, name in ((x, "X", "Ann"), (o, "O", "Ben")):
        await expect(each.locator(f".seat.{mark}")).to_contain_text(name)
        await expect(each.locator(f".seat.{mark}")).to_contain_text("you")
    await x.get_by_role("button", name="b2, empty", exact=True).click()
    await o.get_by_role("button", name="b2, X", exact=True).wait_for()


async def test_the_tables_go_on_after_a_click_into_them(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "match")
    page = await organise(windows, server, organiser)
    players = [Attendee(server, "club", name) for name in ("Ada", "Bob")]
    for player in players:
        await player.enter()
    ada = page.locator(".standings tbody tr", has_text="Ada")
    await ada.click()
    await unfold_menu(page, "Ada")
    await ada.get_by_role("button", name="Rename").focus()
    await organiser.tell("start")
    await organiser.status("finished", LONG_MS / 1000)
    await expect(page.locator("#games li")).not_to_contain_text("under way")
    await expect(page.locator(".standings tbody tr").first).to_contain_text(re.compile("^1"))
    await expect(ada.get_by_role("button", name="Rename")).to_be_focused()
    for player in players:
        await player.go()


async def test_a_player_is_removed_for_good_after_a_question(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    ada = await take_part(windows, server, "Ada")
    row = page.locator(".standings tbody tr", has_text="Ada")
    await unfold_menu(page, "Ada")
    await row.get_by_role("button", name="Remove").click()
    await row.get_by_role("button", name="Rename").focus()  # the question is taken back
    await row.get_by_role("button", name="Remove").click()
    await expect(row).to_have_count(1)
    await row.get_by_role("button", name="Remove for good?").click()
    await expect(row).to_contain_text("removed")
    await expect(row.get_by_role("button", name="Rename")).to_have_count(0)
    removed = ada.get_by_text("The organiser has removed you from this event.")
    await removed.wait_for()
    await expect(ada.get_by_role("button", name="Withdraw")).to_have_count(0)
    await ada.reload()
    await removed.wait_for()
    await press(ada, "Come back")
    await expect(ada.get_by_role("button", name="Come back")).to_have_count(0)
    await ada.reload()
    await removed.wait_for()
    await page.reload()
    await row.get_by_role("button", name="Let in again").click()
    await expect(row).to_contain_text("may come back")
    for width in (1280, 390, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        await look(page, f"event-removed-{width}")
        assert await page.evaluate(BROKEN) == [], width
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await ada.reload()
    await ada.get_by_text(re.compile("You are in, .?Ada")).wait_for()
    await unfold_menu(page, "Ada")
    await expect(row.get_by_role("button", name="Rename")).to_have_count(1)
    await expect(row).not_to_contain_text("removed")


async def test_a_player_who_may_return_comes_back_by_a_press_alone(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    ada = await take_part(windows, server, "Ada")
    await organiser.until(lambda: organiser.state["standings"])
    await organiser.tell("remove", player=organiser.state["standings"][0]["id"])
    await ada.get_by_text("The organiser has removed you").wait_for()
    await ada.reload()
    await ada.get_by_text("The organiser has removed you").wait_for()
    assert not organiser.state["standings"]
    await press(ada, "Come back")
    await ada.get_by_text(re.compile("You are in, .?Ada")).wait_for()
    await organiser.until(lambda: organiser.state["standings"])


async def test_a_player_who_is_removed_from_a_game_stays_out(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await organise(windows, server, organiser)
    ada, bob = [await take_part(windows, server, name) for name in ("Ada", "Bob")]
    await press(page, "Start")
    await reaches_a_game(ada)
    await reaches_a_game(bob)
    row = page.locator(".standings tbody tr", has_text="Ada")
    await unfold_menu(page, "Ada")
    await row.get_by_role("button", name="Remove").click()
    await row.get_by_role("button", name="Remove for good?").click()
    await ada.wait_for_url("**/events/club", timeout=LONG_MS)  # by itself
    await ada.get_by_text("The organiser has removed you from this event.").wait_for()
    await expect(row.get_by_role("button", name="Let in again")).to_have_count(1)
    watcher = await windows.visit(server, "/events/club")
    await expect(watcher.locator(".standings tbody tr")).to_have_count(1)


async def test_a_withdrawal_asks_first(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "arena")
    ada = await take_part(windows, server, "Ada")
    await press(ada, "Withdraw")
    await ada.get_by_role("button", name=WITHDRAW).wait_for()
    await organiser.tell("announce", text="The question stays over news")
    await ada.get_by_text("The question stays over news").wait_for()
    await press(ada, WITHDRAW)
    await press(ada, "Come back")
    await ada.get_by_role("button", name="Withdraw", exact=True).wait_for()


async def test_an_organiser_takes_part(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "simul")
    page = await organise(windows, server, organiser)
    await page.get_by_text("Take part yourself").click()
    await page.get_by_label("Your name").fill("Teacher")
    await press(page, "Take part")
    await page.get_by_text(re.compile("You are in, .?Teacher")).wait_for()
    await page.reload()
    await page.get_by_text(re.compile("You are in, .?Teacher")).wait_for()
    pupil = await take_part(windows, server, "Ada")
    await press(page, "Start")
    await reaches_a_game(page)
    await reaches_a_game(pupil)
    _, event = await server.get("/api/events/club")
    assert [(game["X"], game["O"]) for game in event["games"]] == [("Teacher", "Ada")]
    await page.goto(f"{page.url.partition('/rooms')[0]}/events/club")
    await page.get_by_role("button", name="End").wait_for()
    await page.get_by_role("link", name="To your game against Ada (X)").wait_for()


BROKEN = """() => {
  const broken = [];
  for (const place of document.querySelectorAll(".standings :is(thead th, td, button)")) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/[^\\s\\u2013]+/g)) {
        const range = new Range();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
      }
    }
  }
  return broken;
}"""
"""The words of a table that stand on two lines each."""


async def test_no_word_of_a_table_is_broken_in_two(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "swiss")
    for name in ("Ada", "Bartholomew Featherstone"):
        await take_part(windows, server, name)
    pages = {
        "organiser": await organise(windows, server, organiser),
        "visitor": await windows.visit(server, "/events/club"),
        "wall": await windows.visit(server, "/events/club/wall"),
    }
    for name, page in pages.items():
        await expect(page.locator(".standings tbody tr, .names li")).to_have_count(2)
        for width in (1280, 390, 320):
            await page.set_viewport_size({"width": width, "height": 800})
            await look(page, f"event-{name}-{width}")
            assert await page.evaluate(BROKEN) == [], (name, width)
            assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_late_visitor_is_told_that_entry_is_closed(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "arena")
    page = await windows.visit(server, "/events/club")
    await page.get_by_label("Your name").wait_for()
    await organiser.tell("doors", open=False)
    await page.get_by_text("Entry is closed.").wait_for()
    await expect(page.get_by_label("Your name")).to_have_count(0)


async def test_refusals_are_in_the_language_of_the_page(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "swiss")
    token = organiser.you["token"]
    page = await windows.visit(server, f"/events/club#organise={token}", locale="de-DE")
    await page.get_by_text("beginnt mit mindestens zwei Spielern").wait_for()
    await page.get_by_text("Mehr", exact=True).click()
    await page.get_by_label("Durchsage").fill("\u200b\u202e")
    await press(page, "Durchsagen")
    await expect(page.locator(".remark")).to_have_text(
        "Das lässt sich nicht durchsagen: zu lang, oder mit Zeichen, die nicht gezeigt werden."
    )


async def test_the_page_proposes_a_code_for_an_event(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await press(page, "Run an event")
    await page.wait_for_url(re.compile(r"/events/\d{4}#new$"))
    code = page.url.partition("/events/")[2].removesuffix("#new")
    await shows(page, f"Code {code}")
    asked = "Which board?", "How do they meet?", "How many minutes may a game take?"
    await expect(page.locator("legend")).to_have_text(asked)
    await expect(page.get_by_role("radio", name="4 minutes")).to_be_checked()  # a clock
    await page.get_by_text("It lasts 20 minutes.").wait_for()
    for width in (1280, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        await assert_accessible(page)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    await page.get_by_role("radio", name="2 minutes").check()
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Organise").wait_for()
    _, event = await server.get(f"/api/events/{code}")
    assert event["settings"]["clock"] == {"initial_s": 60, "increment_s": 0}
    windows.complaints.clear()  # of the question for what is not there


async def test_an_event_without_a_clock_and_with_one_of_its_own(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/events/club#new")
    await page.get_by_role("radio", name="No clock").check()
    await unfold_tools(page)
    minutes = page.get_by_label("Minutes on a player\u2019s clock")
    await expect(minutes).to_have_value("0")
    await minutes.fill("5")
    await expect(page.get_by_role("radio", name="10 minutes")).to_be_checked()
    await page.get_by_label("Seconds a move").fill("3")
    await expect(page.locator("[name=game-minutes]:checked")).to_have_count(0)
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Organise").wait_for()
    _, event = await server.get("/api/events/club")
    assert event["settings"]["clock"] == {"initial_s": 300, "increment_s": 3}
    windows.complaints.clear()


async def test_the_same_players_again(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "swiss", rounds=3, manual=True)
    page = await organise(windows, server, organiser)
    ada = await take_part(windows, server, "Ada")
    again = page.get_by_role("button", name="The same players again")
    await expect(again).to_be_hidden()
    await organiser.tell("finish")
    await again.click()
    await page.wait_for_url(re.compile(r"/events/\d{4}#new=club$"))
    code = page.url.partition("/events/")[2][:4]
    await page.get_by_text("3 rounds. You begin each round.").wait_for()
    await press(page, "Make the event")
    await page.get_by_role("heading", name="Organise").wait_for()
    await ada.get_by_text("It goes on with the code").wait_for()
    await ada.get_by_role("link", name=code).click()
    await press(ada, "Take part")
    await ada.get_by_text(re.compile("You are in, .?Ada")).wait_for()
    windows.complaints.clear()


async def test_the_standings_as_a_table(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "swiss")
    page = await organise(windows, server, organiser)
    await take_part(windows, server, "=Ada")
    await page.get_by_role("row", name="=Ada").wait_for()
    async with page.expect_download() as started:
        await press(page, "Table for a spreadsheet (CSV)")
    file = await started.value
    assert file.suggested_filename == "club.csv"
    lines = (await asyncio.to_thread(Path(await file.path()).read_text, "utf-8-sig")).splitlines()
    assert lines == [
        "rank,name,points,wins,draws,losses,byes,status",
        "1,'=Ada,0,0,0,0,0,active",
    ]


async def test_a_bracket_has_a_place_for_the_final(windows: Windows, server: ServerProcess) -> None:
    organiser = await make_event(server, "club", "knockout")
    ada = await take_part(windows, server, "Ada")
    players = [Attendee(server, "club", name, pace_s=600) for name in ("Bob", "Cy")]
    for player in players:
        await player.enter()
    await organiser.tell("start")
    await ada.get_by_text(re.compile("next opponent is the winner of .?Bob.? . .?Cy")).wait_for()
    await assert_accessible(ada)
    for path in ("/events/club", "/events/club/wall"):
        page = await windows.visit(server, path)
        rounds = page.locator(".bracket > li")
        await expect(rounds.get_by_role("heading")).to_have_text(["Round 1", "Final"])
        await expect(rounds.nth(1).locator(".tie li")).to_have_text(["Ada", "\u2013"])
        await look(page, f"bracket-{path.rpartition('/')[2]}")
    for player in players:
        await player.go()


async def test_a_wall_says_that_its_connection_is_lost(
    windows: Windows, server: ServerProcess
) -> None:
    wall = await windows.visit(server, "/events/club/wall")
    await shows(wall, "There is no such event")
    await expect(wall.locator("#way-in")).to_be_hidden()
    await make_event(server, "club", "arena")
    await wall.reload()
    await expect(wall.get_by_role("status")).to_contain_text("Not started")
    await expect(wall.locator("#way-in")).to_be_visible()
    assert await wall.locator(".tools").evaluate("it => getComputedStyle(it).opacity") == "0"
    await wall.context.set_offline(True)
    await wall.get_by_text("Connection lost.").wait_for()
    await wall.context.set_offline(False)
    await expect(wall.get_by_text("Connection lost.")).to_be_hidden()
    windows.complaints.clear()  # of the connections that failed


async def look(page: Page, name: str) -> None:
    """Keep a picture, where a folder is named."""
    folder = os.environ.get("TTT_SCREENSHOTS")
    if folder is not None:
        await page.screenshot(path=f"{folder}/{name}.png", full_page=True)
