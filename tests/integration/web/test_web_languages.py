"""The page in each of its languages."""

import pytest
from playwright.async_api import expect

from tests.integration.programs import ServerProcess
from tests.integration.web.browser import AXE, Windows, assert_accessible, shows

WORDS = {
    "de-AT": ("de", "Gegen den Computer", "Perfekt", "Du bist am Zug", "0 Räume"),
    "fr-CA": ("fr", "Contre l\u2019ordinateur", "Parfait", "À vous de jouer", "0 salle"),
    "es-MX": ("es", "Contra el ordenador", "Perfecto", "Es tu turno", "0 salas"),
    "pt-BR": ("en", "Play the computer", "Perfect", "Your turn", "0 rooms"),
}


@pytest.mark.parametrize("locale", WORDS)
async def test_the_page_speaks_the_language_of_the_browser(
    windows: Windows, server: ServerProcess, locale: str
) -> None:
    language, title, strength, turn, none = WORDS[locale]
    size = {"width": 320, "height": 640}
    page = await windows.visit(server, "/", locale=locale, viewport=size)
    await shows(page, none)
    await expect(page.locator("html")).to_have_attribute("lang", language)
    await page.get_by_role("heading", name=title).wait_for()
    if AXE.exists():
        await assert_accessible(page)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await page.get_by_role("button", name=strength).click()
    await shows(page, turn)
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if AXE.exists():
        await assert_accessible(page)


async def test_the_switch_is_remembered(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("Language").select_option("Deutsch")
    await shows(page, "0 Räume")
    await page.get_by_role("button", name="Perfekt").click()
    await shows(page, "Du bist am Zug")
    await page.get_by_label("Sprache").select_option("English")
    await shows(page, "Your turn")


async def test_what_strategies_say_of_themselves_is_marked_as_english(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/explore", locale="de-AT")
    about = page.locator("small", has_text="Plays").first
    await expect(about).to_have_attribute("lang", "en")
