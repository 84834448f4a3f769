"""Any position: both sides are played, marks are set, and a game goes on from there."""

import asyncio
import re

from playwright.async_api import Page, Route, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, press, shows


async def held_back(page: Page, path: str) -> asyncio.Event:
    """Hold back the answers to these requests until the event is set."""
    is_free = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await is_free.wait()
        await route.continue_()

    await page.route(path, answer_late)
    return is_free


async def test_a_tree_of_variations_and_a_game_from_there(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_role("link", name="Explore any position").click()
    for name in ("b2", "b1"):
        await cell(page, f"{name}, empty").click()
    await shows(page, "X to move")
    await expect(page.locator(".notes .note")).to_have_count(7)
    await page.get_by_text("wins: a1").wait_for()
    await press(page, "Back")
    await cell(page, "a1, empty").click()
    await page.get_by_text("draws: b1").wait_for()
    assert page.url.endswith("/explore?rules=3x3x3&moves=b2a1")
    await expect(page.locator(".variations .line")).to_have_text(["1. X b22. O b1", "2. O a1"])
    await press(page, "Make it the main line")
    await expect(page.locator(".variations .line")).to_have_text(["1. X b22. O a1", "2. O b1"])

    sent = await windows.visit(server, page.url.partition("/explore")[2].join(("/explore", "")))
    await cell(sent, "a1, O").wait_for()
    await press(sent, "Against the computer")
    await sent.wait_for_url("**/rooms/*")
    await cell(sent, "b2, X").wait_for()
    await cell(sent, "a1, O").wait_for()
    await shows(sent, "Your turn")


async def test_marks_are_set_and_a_board_that_cannot_be_is_refused_in_words(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/explore?rules=7x6x4g")
    await page.get_by_label("sets an X").check()
    await cell(page, "d5, empty").click()
    await shows(page, "A piece is floating.")
    await expect(page.get_by_role("region", name="Play on from here")).to_be_hidden()
    await page.get_by_label("sets an O").check()
    await cell(page, "d6, empty").click()
    await shows(page, "X to move")
    assert "board=" in page.url
    await page.get_by_label("empties it").check()
    await cell(page, "d6, O").click()
    await shows(page, "A piece is floating.")
    await page.get_by_label("Show move values").uncheck()
    await shows(page, "A piece is floating.")
    await press(page, "Empty the board")
    await shows(page, "X to move")
    await page.get_by_role("combobox", name="Board").select_option("4x4x4")
    await expect(page.locator(".cell")).to_have_count(16)


async def test_a_link_that_is_of_no_position_is_told_and_the_keys_keep_the_focus(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/explore?moves=a1s19")
    wrong = page.get_by_role("alert").filter(has_text="This address has no valid position.")
    await wrong.wait_for()
    address = page.url.partition("/explore")[0]
    for query in ("rules=3x3x9", "rules=3x3x3&moves=a1a1"):  # the server finds the second
        await page.goto(f"{address}/explore?{query}")
        await wrong.wait_for()
        await shows(page, "X to move")
    windows.complaints.clear()  # of the 400
    await cell(page, "c3, empty").focus()
    await page.keyboard.press("Enter")
    await shows(page, "O to move")
    await expect(wrong).to_be_hidden()
    back = page.get_by_role("button", name="Back")
    await back.focus()
    await page.keyboard.press("Enter")
    await shows(page, "X to move")
    await expect(back).to_be_disabled()
    await expect(back).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await shows(page, "O to move")
    await page.goto(f"{address}/explore?moves=A1B2")
    await cell(page, "b2, O").wait_for()
    await press(page, "Against a friend")
    await page.wait_for_url("**/rooms/*")
    await shows(page, "Waiting for your opponent")
    await cell(page, "b2, O").wait_for()  # the friend is not here, but the position is


async def test_from_a_replay(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada, bob = await dial(server, "room42"), await dial(server, "room42")
    for each in (ada, bob):
        await each.join()
    await ada.play(0, 0)
    await bob.until_ply(1)
    await bob.play(1, 4)
    await bob.send("resign", game=1)
    await ada.until_over()
    page = await windows.visit(server, "/rooms/room42/games/1#ply=1")
    await cell(page, "a1, X").wait_for()
    await page.get_by_role("link", name="Explore here").click()
    await page.get_by_text("draws: b2").wait_for()
    assert page.url.endswith("/explore?rules=3x3x3&moves=a1")


async def test_a_strategy_is_watched_and_compared(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/explore?moves=b2a1c3")
    thinking = page.get_by_role("region", name="Watch it think")
    await expect(thinking.get_by_role("combobox")).to_have_value("minimax")
    await thinking.get_by_role("combobox").select_option("rules")
    await thinking.get_by_role("button", name="Think").click()
    await thinking.get_by_text("It chooses c1, a3: takes a corner").wait_for()
    await expect(thinking.locator(".steps li")).to_have_text(
        [
            "wins: does not apply",
            "blocks a line: does not apply",
            "takes the centre: does not apply",
            "takes a corner: c1, a3",
        ]
    )
    await thinking.get_by_role("combobox").select_option("brute")
    await thinking.get_by_role("button", name="Think").click()
    await thinking.get_by_role("button", name="Pause").click()
    await thinking.get_by_role("button", name="First").click()
    for _ in range(2):
        await thinking.get_by_role("button", name="Forward").click()
    await thinking.get_by_text("Step 2 of").wait_for()
    lesson = thinking.get_by_role("link", name="The lesson about it")
    await expect(lesson).to_have_attribute("href", re.compile("/learn#counts$"))
    await expect(thinking.locator(".node")).to_have_count(3)
    await thinking.get_by_role("button", name="Last").click()
    await thinking.get_by_text("It chooses").wait_for()
    comparison = page.get_by_role("region", name="Compare all strategies")
    await comparison.get_by_role("button", name="Ask all").click()
    await comparison.get_by_role("rowheader", name="perfect").wait_for()
    await expect(comparison.get_by_role("row", name=re.compile("^brute"))).to_contain_text(
        "wins minus"
    )
    lesson = comparison.get_by_role("link", name="rules")
    await expect(lesson).to_have_attribute("href", re.compile("/learn#rules$"))
    await comparison.get_by_text("plain minimax: 1173 positions").wait_for()


async def test_the_best_one_thinks_though_the_strategies_come_late(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/help")
    may_be_known = await held_back(page, "**/api/strategies")
    await page.goto(page.url.replace("help", "explore?moves=b2a1c3"))
    thinking = page.get_by_role("region", name="Watch it think")
    await thinking.get_by_role("button", name="Think").click()
    await thinking.get_by_text("…").wait_for()
    may_be_known.set()
    await thinking.get_by_role("button", name="Last").click()
    await expect(thinking.locator(".tried")).to_contain_text("b1: -3, loses")
    await page.unroute_all()


async def test_a_value_has_words_and_the_thinking_is_in_view_on_a_phone(
    windows: Windows, server: ServerProcess
) -> None:
    phone = {"width": 390, "height": 844}
    page = await windows.visit(server, "/explore?moves=b2a1c3", viewport=phone)
    thinking = page.get_by_role("region", name="Watch it think")
    await expect(thinking.get_by_role("button", name="Think")).to_be_in_viewport()
    await page.get_by_text("With best play from there, + wins").wait_for()
    await thinking.get_by_role("button", name="Think").click()
    await thinking.get_by_role("button", name="Pause").click()
    await thinking.get_by_role("button", name="Last").click()
    await expect(thinking.locator(".tried")).to_contain_text("b1: -3, loses")
    await thinking.get_by_role("combobox").select_option("lines")
    await thinking.get_by_role("button", name="Think").click()
    await thinking.get_by_role("button", name="Last").click()
    await thinking.get_by_text("c1: one point", exact=True).wait_for()


async def test_nothing_thinks_before_the_position_is_known(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/help")
    may_be_known = await held_back(page, "**/api/explore*")
    await page.goto(page.url.replace("help", "explore?moves=b2a1c3"))
    thinking = page.get_by_role("region", name="Watch it think")
    think = thinking.get_by_role("button", name="Think")
    await expect(think).to_be_disabled()
    may_be_known.set()
    await think.click()
    await thinking.get_by_role("button", name="Last").click()
    await thinking.get_by_text("It chooses").wait_for()
    await page.unroute_all()
