"""One's own page and that of a person, from a kept name to one that is forgotten."""

import re

from playwright.async_api import Page, ViewportSize, expect

from tests.integration.programs import Dial, ServerProcess, StartServer
from tests.integration.web.browser import Windows, assert_accessible, own_panel

ANN = re.compile("^Ann\\b")  # and the mark of a kept name
PHONE: ViewportSize = {"width": 320, "height": 568}


async def overflow(page: Page) -> int:
    return int(
        await page.evaluate("document.documentElement.scrollWidth - document.body.clientWidth")
    )


async def token_of(page: Page) -> str:
    found = "Object.entries(localStorage).find(([key]) => key.endsWith(' person'))[1]"
    return str(await page.evaluate(found))


async def keep(windows: Windows, server: ServerProcess, name: str) -> Page:
    """Keep a name, from the front page on."""
    page = await windows.visit(server, "/")
    panel = await own_panel(page)
    await panel.get_by_role("link", name="Keep this name on this server").click()
    await expect(page.get_by_role("heading", name="One name, all your devices")).to_be_visible()
    await assert_accessible(page)
    await page.get_by_label("Your name").first.fill(name)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=name)).to_be_visible()
    return page


async def test_a_name_from_the_first_press_to_the_last(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    page = await keep(windows, server, "Ann")
    await expect(page.get_by_role("heading", name="No games yet")).to_be_visible()
    await assert_accessible(page)

    await page.get_by_role("button", name="Show the link").click()
    link = await page.get_by_label("Link to another device").input_value()
    assert "/me#code=" in link
    await expect(page.get_by_role("img", name="QR code of the link")).to_be_visible()
    await page.get_by_role("button", name="Make a phrase").click()
    await expect(page.locator(".phrase li")).to_have_count(6)
    await assert_accessible(page)

    phone = await windows.open(link, viewport=PHONE, color_scheme="dark", locale="fr")
    await expect(phone.get_by_role("heading", name=ANN)).to_be_visible()
    assert "code" not in phone.url, "a secret stays in no history"

    x, o = await dial(server, "den"), await dial(server, "den")
    await x.join(person=await token_of(page), settings={"public": True})
    await o.join(name="Ben")
    await x.play(0, 4)
    await o.play(1, 0)
    await expect(page.get_by_role("heading", name="Your turn")).to_be_visible()
    await assert_accessible(page)
    await expect(phone.get_by_role("heading", name="À vous de jouer")).to_be_visible()
    assert await overflow(phone) <= 0
    await assert_accessible(phone)
    await phone.get_by_role("link", name="Jouer\u00a0: Ben, den").click()
    await phone.locator(".cell").nth(8).click()
    await o.until_ply(3)

    watching = await windows.visit(server, "/rooms/den")
    async with watching.expect_popup() as opened:
        await watching.get_by_role("link", name="Ann").click()
    person = await opened.value
    await expect(person.get_by_role("heading", name=ANN)).to_be_visible()
    await expect(person.get_by_role("heading", name="Playing now")).to_be_visible()
    assert await person.locator("meta[name=robots]").get_attribute("content") == "noindex"
    await assert_accessible(person)

    await page.get_by_role("button", name="Forget me", exact=True).press("Enter")
    await assert_accessible(page)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Forget me", exact=True).press("Enter")
    await page.get_by_role("button", name="Forget me for good").press("Enter")
    await page.wait_for_url("**/")
    await person.reload()
    await expect(person.get_by_role("heading", name="Nobody on this server")).to_be_visible()
    windows.complaints.clear()  # of the 404


async def test_in_every_language_on_a_phone(windows: Windows, server: ServerProcess) -> None:
    for language in ("en", "de", "fr", "es"):
        page = await windows.visit(server, "/me", viewport=PHONE, locale=language)
        await expect(page.get_by_role("heading").first).to_be_visible()
        assert await overflow(page) <= 0
        assert not re.search(r"\bme\.\w", await page.locator("main").inner_text())
        await assert_accessible(page)


async def test_a_host_who_wants_none_shows_nothing_of_it(
    windows: Windows, start_server: StartServer
) -> None:
    server = await start_server("--persons", "no")
    page = await windows.visit(server, "/")
    panel = await own_panel(page)
    await expect(panel.get_by_role("link", name="Your games")).to_be_visible()
    await expect(panel.get_by_role("link", name="Keep this name")).to_have_count(0)
