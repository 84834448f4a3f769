"""A fair opening on the page: made in the form, played with the keyboard alone, and replayed."""

import os
import re
from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    cell,
    press,
    press_key,
    resign,
    unfold,
)

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


async def test_swap2_with_the_keyboard_alone(windows: Windows, server: ServerProcess) -> None:
    ada = await windows.visit(server, "/")
    form = await unfold(ada)
    await form.get_by_label("Room", exact=True).fill("fair")
    opening = form.get_by_label("Opening")
    await expect(opening.locator("option[value=swap2]")).to_be_disabled()  # three in a row
    await form.get_by_label("Board").select_option(label="15\u00d715, five in a row")
    await form.get_by_label("A longer row does not win").check()
    await opening.select_option("swap2")
    await press(ada, "Create room")
    await ada.wait_for_url("**/rooms/fair")
    bob = await windows.visit(server, "/rooms/fair#seat", **PHONE)
    status = ada.get_by_role("status")
    await expect(status).to_contain_text("Place 3 stones for both sides")
    await expect(ada.locator("#rules")).to_have_text(
        "15\u00d715, five in a row, no more, "
        "swap2: one places three stones, the other chooses a side"
    )
    await expect(bob.get_by_role("status")).to_contain_text("places 3 stones")
    for ply, name in enumerate(("h8", "i9", "h9")):
        await expect(ada.locator("#because")).to_have_text(f"The next stone is {'XO'[ply % 2]}")
        await cell(ada, f"{name}, empty").press("Enter")
        await cell(bob, f"{name}, {'XO'[ply % 2]}").wait_for()
    await expect(status).to_contain_text("chooses: stay, swap, two more stones")
    await expect(bob.get_by_role("status")).to_contain_text("You choose")
    await examine(bob, "opening-choice")
    await bob.keyboard.press("3")
    await expect(status).to_contain_text("places two stones, then the other player chooses")
    await expect(bob.get_by_role("status")).to_have_text(re.compile("^Place two stones, then"))
    for ply, name in ((3, "a1"), (4, "b1")):
        await cell(bob, f"{name}, empty").press("Enter")
        await cell(ada, f"{name}, {'XO'[ply % 2]}").wait_for()
    await examine(ada, "opening-last-choice")
    await press_key(ada.get_by_role("button", name="Swap sides"))
    await expect(ada.locator(".seat.O")).to_contain_text("you")
    await expect(bob.locator(".feed")).to_contain_text("swaps the sides")
    await resign(ada)
    await expect(status).to_contain_text("won")
    await ada.goto(f"{ada.url}/games/1")
    moves = ada.locator("#moves")
    await expect(moves).to_contain_text("places two more stones")
    await expect(moves).to_contain_text("5. X b1")
    await expect(moves).to_contain_text("swaps the sides")
    await ada.locator("#explore").click()
    await ada.wait_for_url("**/explore?rules=15x15x5!&moves=h8i9h9a1b1")


async def test_an_event_with_an_opening_on_a_phone_with_the_keyboard_alone(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await windows.visit(server, "/events/fair#new", **PHONE)
    await organiser.locator("[value=arena]").focus()
    await press_keys(organiser, "ArrowDown", "ArrowDown")
    await expect(organiser.locator("[value=round-robin]")).to_be_checked()
    await organiser.get_by_text("More", exact=True).press("Enter")
    opening = organiser.get_by_label("Opening")
    await expect(opening.locator("option[value=swap2]")).to_be_disabled()  # three in a row
    await organiser.get_by_role("radio", name="Tic-tac-toe").focus()
    await press_keys(organiser, *["ArrowRight"] * 4)
    await expect(organiser.get_by_role("radio", name="Five in a row")).to_be_checked()
    await choose_by_key(opening, "swap2")
    await examine(organiser, "event-form")
    await organiser.get_by_role("button", name="Make the event").press("Enter")
    await expect(organiser.locator("#form")).to_contain_text("15\u00d715, five in a row, swap2:")
    ada = await windows.visit(server, "/events/fair", **PHONE)
    await ada.get_by_label("Your name").fill("Ada")
    await ada.get_by_role("button", name="Take part").press("Enter")
    await ada.get_by_text(re.compile("You are in, .?Ada")).wait_for()
    await organiser.get_by_text("More", exact=True).press("Enter")
    await organiser.get_by_role("button", name="Add an AI").press("Enter")
    await expect(organiser.locator(".standings tbody tr")).to_have_count(2)
    await organiser.get_by_role("button", name="Start").press("Enter")
    await ada.wait_for_url("**/rooms/fair-*")  # by itself
    status = ada.get_by_role("status")
    await expect(status).to_contain_text("Place 3 stones for both sides")
    for ply, name in enumerate(("h8", "i9", "g8")):
        await cell(ada, f"{name}, empty").press("Enter")
        await cell(ada, f"{name}, {'XO'[ply % 2]}").wait_for()
    await expect(ada.locator(".feed")).to_contain_text(re.compile("stays|swaps|places two more"))
    await examine(ada, "event-opening")
    await resign(ada)
    result = organiser.locator(".standings tbody tr").first
    await expect(result).not_to_contain_text("Ada")  # in whichever seat she was
    await examine(organiser, "event-after")


async def choose_by_key(select: Locator, label: str) -> None:
    """Choose as a keyboard does: by the first letters of the option."""
    await select.focus()
    await select.page.keyboard.type(label)
    await expect(select.locator("option:checked")).to_contain_text(label)


async def press_keys(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def examine(page: Page, name: str) -> None:
    """Let axe look at the page; keep pictures where a folder is named."""
    await assert_accessible(page)
    if folder := os.environ.get("TTT_SCREENSHOTS"):
        await page.screenshot(path=f"{folder}/{name}.png")
