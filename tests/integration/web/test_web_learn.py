"""The page to learn on: lessons with a board, and tasks that it ticks off."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, cell, press

CALM = {"reduced_motion": "reduce"}
SMALL = {"viewport": {"width": 320, "height": 568}}


def prompt(page: Page) -> Locator:
    return page.locator(".prompt")


def tasks(page: Page) -> Locator:
    return page.locator(".tasks li")


async def is_done(page: Page, *numbers: int) -> None:
    """Wait until these tasks, and no others, are ticked off."""
    words = ["Done:" if number in numbers else "Open:" for number in (1, 2, 3)]
    await expect(tasks(page)).to_have_text([re.compile(f"^{each}") for each in words])


async def guessed(page: Page, own: str, answer: str) -> None:
    """Play a cell, guess the answer, and wait until it is played."""
    await cell(page, f"{own}, empty").click()
    await expect(prompt(page)).to_have_text("What will it play?")
    await cell(page, f"{answer}, empty").click()


async def test_rules_of_thumb_are_guessed_and_beaten(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/", **CALM)
    await page.get_by_role("navigation").get_by_role("link", name="Learn").click()
    await page.get_by_role("heading", name="Learn how a computer plays").wait_for()
    await page.get_by_role("link", name="Rules of thumb").click()
    await expect(page.get_by_role("heading", name="Which rule comes first?")).to_be_focused()
    await is_done(page)
    await guessed(page, "a1", "a2")
    await cell(page, "b2, O").wait_for()
    await expect(prompt(page)).to_have_text("Not quite")
    reasons = page.get_by_role("region", name="How it decides")
    await expect(reasons.locator("li")).to_have_text(
        [
            "wins does not fit",
            "blocks a line does not fit",
            "takes the centre b2",
            "takes a corner not needed any more",
            "takes a side not needed any more",
        ]
    )
    await guessed(page, "c3", "c1")
    await cell(page, "c1, O").wait_for()  # as good to it as a3, so that the guess is right
    await expect(prompt(page)).to_have_text("Right!")
    await cell(page, "a3, empty").click()  # a fork
    await press(page, "Show me")
    await is_done(page, 2)
    free = page.get_by_role("button", name=re.compile("^(a2|b3), empty$"))
    await free.click()
    await expect(prompt(page)).to_have_text("You won")
    await is_done(page, 2, 3)

    await page.reload()
    await is_done(page, 2, 3)
    await page.get_by_role("link", name="Next: Brute force").click()
    await page.get_by_role("heading", name="How many games are won?").wait_for()
    await page.go_back()
    await guessed(page, "a1", "b2")
    await cell(page, "b2, O").wait_for()
    await guessed(page, "b1", "c1")
    await is_done(page, 1, 2, 3)
    await page.get_by_text("All three tasks are done!").wait_for()
    await press(page, "Take back")
    await cell(page, "b1, empty").wait_for()


async def test_a_lesson_by_keyboard(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/learn#rules", **CALM)
    await page.get_by_label("Let me guess first").press("Space")
    await cell(page, "b2, empty").focus()
    for key in ("ArrowLeft", "Enter"):
        await page.keyboard.press(key)
    await cell(page, "b2, O").wait_for()
    await expect(prompt(page)).to_have_text("Your turn")
    await expect(cell(page, "a2, X")).to_be_focused()
    await page.get_by_role("link", name="Skip to the lesson").press("Enter")
    await expect(page.locator("#learn")).to_be_focused()
    await expect(page).to_have_url(re.compile("#rules$"))


@pytest.mark.parametrize("locale", ["en-GB", "de-AT", "fr-CA", "es-MX"])
async def test_every_page_fits_a_small_phone(
    windows: Windows, server: ServerProcess, locale: str
) -> None:
    page = await windows.visit(server, "/learn", locale=locale, **SMALL, **CALM)
    for part in PARTS:
        await page.goto(f"{page.url.partition('#')[0]}#{part}")
        await page.locator("h1").wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_rule_of_accessibility_is_broken(
    windows: Windows, server: ServerProcess, scheme: str
) -> None:
    page = await windows.visit(server, "/learn", color_scheme=scheme, **CALM)
    for part in PARTS:
        await page.goto(f"{page.url.partition('#')[0]}#{part}")
        await page.locator("h1").wait_for()
        await assert_accessible(page)


PARTS = ("", "rules", "counts", "lines", "memory")
