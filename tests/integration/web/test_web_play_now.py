"""\"Play now\": the next player who wants the same board, or an AI that offers itself."""

from playwright.async_api import expect

from tests.integration.programs import ServerProcess, StartServer
from tests.integration.web.browser import Windows, call_oneself, moves_next, press, shows


async def test_two_who_play_now_find_each_other(windows: Windows, server: ServerProcess) -> None:
    ada, bob = [await windows.visit(server, "/") for _ in range(2)]
    clock = "3 minutes, 2 seconds a move"
    for page, name in ((ada, "ada"), (bob, "bob")):
        await call_oneself(page, name)
        await page.locator(".anyone").get_by_label("Clock").select_option(clock)
        await press(page, "Play now")
        if page is ada:
            others = f"1 person is waiting for a game: Tic-tac-toe ({clock})."
            await bob.get_by_text(others).wait_for()
    for page in (ada, bob):
        await expect(page.locator(".clock").first).to_contain_text(":")
        await moves_next(page, "X")
        names = {await page.locator(f".seat.{mark} .name").inner_text() for mark in "XO"}
        assert names == {"ada", "bob"}
    await ada.reload()
    await expect(ada.locator(".seat .tags", has_text="you")).to_have_count(1)


async def test_who_waits_for_another_board_is_told(windows: Windows, server: ServerProcess) -> None:
    ada, bob = [await windows.visit(server, "/") for _ in range(2)]
    await ada.get_by_role("radio", name="Four by four").check()
    await press(ada, "Play now")
    await bob.get_by_text("1 person is waiting for a game: Four by four.").wait_for()
    await press(bob, "Play now")
    await ada.get_by_text("1 person is waiting for a game: Tic-tac-toe.").wait_for()
    await press(bob, "Cancel")
    await ada.get_by_text("Play the next person who wants this board.").wait_for()
    await ada.get_by_text("Looking for an opponent").wait_for()


async def test_an_ai_offers_itself(windows: Windows, start_server: StartServer) -> None:
    server = await start_server("--quick-wait-s", "0.1")
    page = await windows.visit(server, "/")
    await press(page, "Play now")
    await press(page, "Play Computer (Fair) at once")
    await shows(page, "Your turn")
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    await press(page, "Play now")
    await page.get_by_role("button", name="Play Computer (Fair) at once").wait_for()
    await press(page, "Cancel")
    await expect(page.get_by_role("button", name="Play now")).to_be_focused()
