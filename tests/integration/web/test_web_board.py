"""The board itself: its size, the last move, columns where pieces fall, hints, small cells."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, moves_next, press, shows

SIZES = [(320, 568), (390, 844), (844, 390), (640, 400), (1280, 800), (1920, 1080)]
FALLING = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
LARGE = {"columns": 15, "rows": 15, "in_a_row": 5}
TWICE_MS = 450
LEAST = 3.0
"""The contrast of what must be seen, as WCAG 1.4.11 asks for."""

CONTRAST = """([paint, ground]) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [luminance(paint), luminance(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


async def colour(page: Page, selector: str, name: str) -> str:
    found: str = await page.locator(selector).first.evaluate(
        "(each, name) => getComputedStyle(each)[name]", name
    )
    return found


async def contrast(page: Page, paint: str, ground: str) -> float:
    found: float = await page.evaluate(CONTRAST, [paint, ground])
    return found


async def against_computer(
    windows: Windows, server: ServerProcess, board: str = "3", **options: Any
) -> Page:
    """Start a game against the computer, which has not been moved in yet."""
    page = await windows.visit(server, "/rooms/solo", **options)
    await page.get_by_text("Board, opponent, clock").click()
    board_index = {"3": 0, "5": 2, "7": 3, "15": 4}[board]
    await page.get_by_label("Board").select_option(index=board_index)
    computer = page.get_by_label("O is played by")
    weakest = computer.locator("option", has_text="Computer: Beginner")
    await computer.select_option(label=await weakest.inner_text())
    await page.get_by_label("Hints").check()
    await press(page, "Create room")
    await shows(page, "Your turn")
    return page


@pytest.mark.parametrize(("width", "height"), SIZES)
async def test_the_board_has_most_of_the_window(
    windows: Windows, server: ServerProcess, width: int, height: int
) -> None:
    page = await against_computer(
        windows, server, viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    box = await page.locator(".board .field").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= max(240, 0.6 * min(width, height))
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    if width > height:  # two columns
        beside = await page.locator(".fixed").bounding_box()
        assert beside is not None
        assert beside["x"] >= box["x"] + box["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_last_move_and_the_grid_stand_out(
    windows: Windows, server: ServerProcess, dial: Dial, scheme: str
) -> None:
    ada, bob = await dial(server, "seen"), await dial(server, "seen")
    await ada.join(settings={"rules": LARGE})
    await bob.join()
    for ply, number in enumerate(range(0, 70, 7)):
        await (ada, bob)[ply % 2].play(ply, number)
        await (bob, ada)[ply % 2].until_ply(ply + 1)
    page = await windows.visit(server, "/rooms/seen", color_scheme=scheme, reduced_motion="reduce")
    await expect(page.locator("[aria-current=true]")).to_have_attribute("aria-label", "d5, O")
    ring, mark = page.locator(".board .last-ring"), page.locator(".board .last .mark")
    around, inside = await ring.bounding_box(), await mark.bounding_box()
    assert around is not None
    assert inside is not None
    # A shape around the mark, not another colour of it.
    assert around["width"] > inside["width"]
    sheet = await colour(page, ".board .ground", "fill")
    ground = await colour(page, "body", "backgroundColor")
    assert await contrast(page, await colour(page, ".board .last-ring", "stroke"), sheet) >= LEAST
    await page.keyboard.press("Tab")
    for _ in range(6):
        await page.keyboard.press("Tab")
        focused = ":focus-visible"
        assert await page.locator(focused).count() == 1
        outline = await colour(page, focused, "outlineColor")
        assert await contrast(page, outline, ground) >= LEAST


async def test_any_cell_of_a_column_is_that_column(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "falls")
    await ada.join(name="ada", settings={"rules": FALLING})
    page = await windows.visit(server, "/rooms/falls")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    for ply in range(0, 6, 2):
        await ada.play(ply, 3 + 7 * (5 - ply))
        await moves_next(page, "O")
        # By the lowest cell, which is taken, by a letter, by an arrow.
        if ply == 0:
            await cell(page, "d6, X").click()
        elif ply == 2:
            await cell(page, "b1, empty").focus()
            await page.keyboard.press("d")
            await page.keyboard.press("Enter")
        else:
            await cell(page, "c1, empty").focus()
            await page.keyboard.press("ArrowRight")
            await page.keyboard.press("Enter")
        await cell(page, f"d{5 - ply}, O").wait_for()
        await page.wait_for_timeout(TWICE_MS)  # a press before that is no other move
    await ada.play(6, 7 * 5)
    await moves_next(page, "O")
    await cell(page, "d3, O").click(force=True)
    await page.get_by_role("alert").get_by_text("Column d is full.").wait_for()
    await page.keyboard.press("7")
    await expect(page.locator(".cell:focus")).to_have_attribute("aria-label", re.compile("^g"))


@pytest.mark.parametrize("board", ["3", "5", "7", "15"])
async def test_a_hint_is_drawn_in_the_cells(
    windows: Windows, server: ServerProcess, board: str
) -> None:
    page = await against_computer(windows, server, board)
    for _ in range(2):
        await press(page, "Hint")
        await page.locator(".notes .best").first.wait_for()
        await expect(page.locator(".hint-words")).to_have_text(re.compile(r"^Hint: \w+"))
    await expect(page.get_by_role("log")).not_to_contain_text("Hint")
    await page.locator(".cell[aria-disabled=false]").first.click()
    await expect(page.locator(".notes .best")).to_have_count(0)


async def test_a_finger_aims_at_small_cells_first(windows: Windows, server: ServerProcess) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = await against_computer(windows, server, "15", **phone)
    # At first a part of the board, in which a finger can choose: one tap plays.
    await expect(cell(page, "h8, empty")).to_be_in_viewport(ratio=1)
    await cell(page, "h8, empty").tap()
    await cell(page, "h8, X").wait_for()
    await expect(page.locator(".marks .mark")).to_have_count(2)
    await press(page, "Whole board")
    for name in ("a1", "o15"):
        await expect(cell(page, f"{name}, empty")).to_be_in_viewport(ratio=1)
    await cell(page, "a2, empty").tap()
    await page.get_by_role("button", name="Play a2").wait_for()
    await page.get_by_role("button", name="Whole board").wait_for()  # it is closer now
    await cell(page, "a1, empty").tap()
    await press(page, "Play a1")
    await cell(page, "a1, X").wait_for()
    await expect(page.locator(".marks .mark")).to_have_count(4)
    last = page.locator(".cell[aria-current=true]")
    await expect(last).to_have_attribute("aria-label", re.compile("O$"))
    await expect(last).to_be_in_viewport(ratio=1)  # the view follows
    await press(page, "Whole board")
    await cell(page, "a2, empty").tap()
    await cell(page, "a2, empty").tap()
    await cell(page, "a2, X").wait_for()


async def test_a_draw_offer_is_in_the_title(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "title")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/title")
    await press(page, "Take seat O")
    await expect(page).to_have_title(re.compile("ada.?\u2019s turn"))
    await ada.play(0, 4)
    await expect(page).to_have_title(re.compile("^● Your turn"))
    await ada.send("offer", kind="draw")
    await expect(page).to_have_title(re.compile("^● Draw offered"))


async def test_a_spectator_reads_that_both_seats_are_taken(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada, bob = await dial(server, "full"), await dial(server, "full")
    await ada.join(name="ada")
    await bob.join(name="bob")
    page = await windows.visit(server, "/rooms/full#seat")
    await shows(page, "ada\u2019s turn")
    await page.get_by_text("You are watching: both seats are taken").wait_for()
