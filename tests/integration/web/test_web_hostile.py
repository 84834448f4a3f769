"""Text of other users stays text."""

from playwright.async_api import expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, moves_next, press, shows

MARKUP = "<img src=x onerror=a()>"
HEBREW = "\u05d0\u05d1\u05d2"


async def test_markup_in_names_and_chat(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "room42")
    await ada.join(name=MARKUP)
    lobby = await windows.visit(server, "/")
    await expect(lobby.get_by_role("listitem")).to_contain_text(MARKUP)
    page = await windows.visit(server, "/rooms/room42")
    await page.get_by_label("Your name").fill("<b>bob</b>")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await expect(page.get_by_label("Seat X")).to_contain_text(MARKUP)
    await expect(page.get_by_label("Seat O")).to_contain_text("<b>bob</b>")
    await ada.send("say", text=f"{MARKUP}<script>a()</script>")
    await expect(page.get_by_role("log")).to_contain_text(f"{MARKUP}<script>a()</script>")
    await ada.play(0, 4)
    await moves_next(page, "O")
    for each in (lobby, page):
        assert await each.locator("main img, main b b, main script").count() == 0


async def test_a_name_cannot_reorder_its_neighbours(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "room42")
    await ada.join(name=HEBREW)
    page = await windows.visit(server, "/rooms/room42")
    await page.get_by_label("Your name").fill("bob")
    await press(page, "Take seat O")
    line = page.get_by_role("log").get_by_text("Game 1")
    # The isolates FSI and PDI surround each name.
    await expect(line).to_have_text(f"Game 1: \u2068{HEBREW}\u2069 (X) against \u2068bob\u2069 (O)")
    await expect(page.get_by_label("Seat X").locator("bdi")).to_have_text(HEBREW)
    await ada.send("say", text="ab\u202egnihton\u2066 \u200bc")
    await expect(page.get_by_role("log").locator(".said")).to_contain_text("abgnihton c")


async def test_a_name_that_the_server_refuses(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/room42")
    await page.get_by_label("Your name").fill("a\u202eb")
    await press(page, "Create room")
    await page.get_by_role("alert").get_by_text("A name has").wait_for()
    await page.reload()
    await shows(page, "No such room")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
