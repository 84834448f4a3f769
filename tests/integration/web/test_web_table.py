"""Two players at one screen: both names, the turns passed, one press for what both agree on."""

import re

from playwright.async_api import Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import (
    Windows,
    call_oneself,
    cell,
    moves_next,
    press,
    resign,
    shows,
)


async def take_turns(page: Page, *cells: str) -> None:
    for ply, name in enumerate(cells):
        await cell(page, f"{name}, empty").click()
        await cell(page, f"{name}, {'XO'[ply % 2]}").wait_for()


async def test_two_players_at_one_screen(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await call_oneself(page, "ada")
    await press(page, "Two at this screen")
    await page.get_by_label("The second player\u2019s name").fill("bob")
    await press(page, "Start")
    await shows(page, "ada\u2019s turn")
    await take_turns(page, "a1", "b2", "b1")
    await press(page, "Take back")
    await cell(page, "b1, empty").wait_for()
    await shows(page, "ada\u2019s turn")
    await page.reload()
    await take_turns(page, "b1", "c3", "c1")
    await shows(page, "ada won")
    await press(page, "Rematch")
    await shows(page, "bob\u2019s turn")
    await press(page, "Draw")
    await press(page, "Offer a draw")
    await shows(page, "Draw")
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    yours = page.get_by_role("region", name="Your games")
    await yours.get_by_role("link", name="Go on").click()  # though it is on no list
    await press(page, "Leave the seat")
    await expect(page.get_by_role("button", name=re.compile("Take seat"))).to_have_count(2)
    await expect(page.locator(".take-seat")).to_be_visible()


async def test_a_second_player_sits_down_beside_the_first(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await press(page, "Get a link")
    await shows(page, "Waiting for your opponent")
    beside = page.get_by_role("button", name="Let an AI play").locator("+ span")
    await expect(beside.get_by_label("The AI that plays")).to_be_visible()
    await press(page, "Two players here")
    await moves_next(page, "X")
    await take_turns(page, "a1", "b2")
    # The host keeps no order among the players of its own screen.
    await expect(page.get_by_label(re.compile("^About"))).to_have_count(0)
    await resign(page)
    await expect(page.locator(".seat.O.won")).to_have_count(1)


async def test_a_full_column_is_spoken_of_as_long_as_it_is_full(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_role("radio", name="Four in a row").check()
    await press(page, "Two at this screen")
    await press(page, "Start")
    await moves_next(page, "X")
    top = page.locator("#board .cell").first
    for ply in range(6):
        await top.click()
        await expect(page.locator(".marks .mark:not(.pending)")).to_have_count(ply + 1)
    await top.click(force=True)
    full = page.get_by_text("Column a is full.")
    await expect(full).to_be_visible()
    await press(page, "Take back")
    await expect(full).to_be_hidden(timeout=3_000)
