"""Relatives of the game on the page: what is drawn, said and pressed."""

import re
from typing import Any

from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess, SimpleClient
from tests.integration.web.browser import Windows, assert_accessible, cell, press


async def begun(
    server: ServerProcess, dial: Dial, room: str, variant: str, **size: int
) -> dict[str, SimpleClient]:
    """Begin a game of two people; return them by their marks."""
    ada, bob = await dial(server, room), await dial(server, room)
    await ada.join(name="ada", settings={"rules": {"variant": variant, **size}})
    await bob.join(name="bob")
    return {"X": ada, "O": bob}


async def play(players: dict[str, SimpleClient], *cells: int) -> None:
    ada = players["X"]
    game: dict[str, Any] = (await ada.until("update"))["room"]["game"]
    for number in cells:
        await players[game["turn"]].send("play", game=1, ply=game["ply"], cell=number)
        game = (await ada.until("update"))["room"]["game"]


async def viewbox(page: Page) -> list[float]:
    text = await page.locator("#board .board-svg").get_attribute("viewBox")
    return [float(part) for part in str(text).split()]


async def test_ultimate_begins_with_a_tap_and_says_where_to_play(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_role("radio", name="Ultimate").check()
    await cell(page, "e5, empty").click()
    await expect(page.locator(".small-board")).to_have_count(9)
    await expect(page.locator("#board .mark.O")).to_have_count(1)
    await expect(page.locator(".rule-line")).to_contain_text("Play in")
    playable = page.locator('.cell[aria-disabled="false"]')
    open_boards = await page.locator(".small-board.open").count()
    assert 0 < await playable.count() <= 9 * open_boards
    label = str(await playable.first.get_attribute("aria-label"))
    assert label.endswith("board, you may play here")
    assert await viewbox(page) == [0, 0, 98, 98]
    await assert_accessible(page)


async def test_a_small_board_that_is_won_is_drawn_in_the_replay_too(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    players = await begun(server, dial, "nine", "ultimate", columns=9, rows=9, in_a_row=3)
    await play(players, 1, 3, 2, 6, 0)
    await players["O"].send("resign", game=1)
    await players["X"].until_over()
    page = await windows.visit(server, "/rooms/nine/games/1")
    await expect(page.locator("#board .big.X")).to_have_count(1)
    await page.keyboard.press("ArrowLeft")
    await expect(page.locator("#board .big")).to_have_count(0)
    windows.complaints.clear()  # an analysis may take too long


async def test_arrow_keys_cross_the_layers_of_a_cube(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    players = await begun(server, dial, "cube", "cube", columns=4, rows=16, in_a_row=4)
    await play(players, 0, 1, 20, 2, 40, 3, 60)
    page = await windows.visit(server, "/rooms/cube", viewport={"width": 390, "height": 844})
    await expect(page.get_by_text("a line: 1a1, 2a2, 3a3, 4a4").first).to_be_visible()
    await expect(page.locator(".winning")).to_have_count(4)
    await page.locator(".rule-line").wait_for(state="attached")  # its module knows the ways
    for words in ("Closer", "Whole board"):  # its cells are large enough
        await expect(page.get_by_role("button", name=words)).to_have_count(0)
    await cell(page, "1d1, O").focus()
    await page.keyboard.press("ArrowRight")
    await expect(cell(page, "2a1, empty")).to_be_focused()
    for _ in range(4):
        await page.keyboard.press("ArrowDown")
    await expect(cell(page, "4a1, empty")).to_be_focused()


async def test_a_torus_goes_round(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    players = await begun(server, dial, "ring", "torus", columns=5, rows=5, in_a_row=4)
    await play(players, 3, 12, 4, 13, 0, 17, 1)
    page = await windows.visit(server, "/rooms/ring")
    await expect(page.locator(".seam")).to_have_count(2)
    strokes = re.compile(r"^(M[^M]+){4}$")  # two steps, and two halves over the edge
    await expect(page.locator("#board .over-marks .won")).to_have_attribute("d", strokes)
    await page.locator(".rule-line").wait_for(state="attached")
    await cell(page, "a1, X").focus()
    await page.keyboard.press("ArrowLeft")
    await expect(cell(page, "e1, X")).to_be_focused()


async def test_the_mark_that_leaves_is_seen_and_comes_back_in_the_replay(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    size = {"columns": 3, "rows": 3, "in_a_row": 3}
    players = await begun(server, dial, "gone", "vanishing", **size)
    await play(players, 4, 0, 2, 6, 3, 5, 8)
    page = await windows.visit(server, "/rooms/gone")
    await expect(page.locator(".leaving")).to_have_count(2)
    await expect(cell(page, "b2, empty")).to_have_count(1)
    await expect(cell(page, "c1, X, leaves next")).to_have_count(1)
    await players["X"].send("resign", game=1)
    await page.goto(f"{page.url}/games/1")
    await expect(page.locator("#board .mark")).to_have_count(6)
    await page.keyboard.press("Home")
    for _ in range(6):
        await page.keyboard.press("ArrowRight")
    await expect(cell(page, "b2, X")).to_have_count(1)


async def test_notakto_has_crosses_alone_and_says_what_loses(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "cross")
    rules = {"variant": "notakto", "columns": 3, "rows": 3, "in_a_row": 3}
    await ada.join(name="ada", settings={"rules": rules})
    page = await windows.visit(server, "/rooms/cross#seat")
    await ada.until("update")
    await ada.send("play", game=1, ply=0, cell=4)
    await expect(page.locator(".rule-line")).to_contain_text("Do not make a line")
    await press(page, "a1, empty")
    await expect(cell(page, "a1, X")).to_have_count(1)
    await ada.send("play", game=1, ply=2, cell=8)
    await expect(page.get_by_text("You won")).to_be_visible()
    await expect(page.locator(".loses-by-line > .won.drawn")).to_have_count(1)
