"""The page in each of its languages."""

import pytest
from playwright.async_api import expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import AXE, Windows, assert_accessible, shows

WORDS = {
    "de-AT": ("de", "Tippe auf ein Feld.", "b2, leer", "Du bist am Zug", "0 Spiele"),
    "fr-CA": ("fr", "Touchez une case.", "b2, vide", "À vous de jouer", "0 partie"),
    "es-MX": ("es", "Toca una casilla.", "b2, vacía", "Es tu turno", "0 partidas"),
    "pt-BR": ("en", "Tap a square.", "b2, empty", "Your turn", "0 games"),
}


@pytest.mark.parametrize("locale", WORDS)
async def test_the_page_speaks_the_language_of_the_browser(
    windows: Windows, server: ServerProcess, locale: str
) -> None:
    language, title, middle, turn, none = WORDS[locale]
    size = {"width": 320, "height": 640}
    page = await windows.visit(server, "/", locale=locale, viewport=size)
    await shows(page, none)
    await expect(page.locator("html")).to_have_attribute("lang", language)
    await page.get_by_role("heading", name=title).wait_for()
    if AXE.exists():
        await assert_accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await page.get_by_role("button", name=middle).click()
    await shows(page, turn)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if AXE.exists():
        await assert_accessible(page)


async def test_the_switch_is_remembered(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("Language").select_option("Deutsch")
    await shows(page, "0 Spiele")
    await page.get_by_role("button", name="b2, leer").click()
    await shows(page, "Du bist am Zug")
    await page.get_by_label("Sprache").select_option("English")
    await shows(page, "Your turn")


async def test_strategies_are_described_in_the_language_of_the_page(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/explore", locale="de-AT")
    about = page.locator("small", has_text="Spielt fehlerlos").first
    await expect(about).to_have_attribute("lang", "de")
    english = await windows.visit(server, "/explore")
    about = english.locator("small", has_text="Plays perfectly").first
    await expect(about).to_have_attribute("lang", "en")
