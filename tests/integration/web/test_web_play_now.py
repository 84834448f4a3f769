"""\"Play now\": the next player who wants the same board, or an AI that offers itself."""

from playwright.async_api import expect

from tests.integration.programs import ServerProcess, StartServer
from tests.integration.web.browser import Windows, moves_next, press, shows


async def test_two_who_play_now_find_each_other(windows: Windows, server: ServerProcess) -> None:
    ada, bob = [await windows.visit(server, "/") for _ in range(2)]
    for page, name in ((ada, "ada"), (bob, "bob")):
        await page.locator(".door > .row").get_by_label("Your name").last.fill(name)
        await page.locator(".door > .row").get_by_label("Opening").select_option("pie")
        await press(page, "Find an opponent")
    for page in (ada, bob):
        await expect(page.locator("#rules")).to_contain_text("pie rule")
        await moves_next(page, "X")
        names = {await page.locator(f".seat.{mark} .name").inner_text() for mark in "XO"}
        assert names == {"ada", "bob"}
    await ada.reload()
    await expect(ada.locator(".seat .tags", has_text="you")).to_have_count(1)


async def test_an_ai_offers_itself(windows: Windows, start_server: StartServer) -> None:
    server = await start_server("--quick-wait-s", "0.1")
    page = await windows.visit(server, "/")
    await press(page, "Find an opponent")
    await press(page, "Play minimax 5 at once")
    await shows(page, "Your turn")
    await page.get_by_role("link", name="All rooms").click()
    await press(page, "Find an opponent")
    await page.get_by_role("button", name="Play minimax 5 at once").wait_for()
    await press(page, "Cancel")
    await expect(page.get_by_role("button", name="Find an opponent")).to_be_focused()
