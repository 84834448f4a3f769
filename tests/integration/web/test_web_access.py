"""The page by keyboard alone, on a small phone, for a screen reader, without motion."""

import pytest
from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    cell,
    moves_next,
    play,
    press,
    press_key,
    shows,
    won_by,
)

SMALL_PHONE = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True}
AT_200_PERCENT = (640, 400)
"""The size of a window of 1280 by 800 at that zoom."""
LARGE = {"rules": {"columns": 19, "rows": 19, "in_a_row": 5}}


async def tab_to(page: Page, name: str) -> None:
    """Press the tab key until the button with this name has the focus."""
    wanted = page.get_by_role("button", name=name, exact=True)
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await wanted.evaluate_all("all => all.includes(document.activeElement)"):
            return
    pytest.fail(f"{name} cannot be reached by keyboard")


async def test_keyboard_alone_is_enough(windows: Windows, server: ServerProcess) -> None:
    ada = await windows.visit(server, "/rooms/keys")
    await ada.get_by_role("button", name="Create room").wait_for()
    await tab_to(ada, "Create room")
    await ada.keyboard.press("Enter")
    await shows(ada, "Waiting for your opponent")
    bob = await windows.visit(server, "/rooms/keys")
    await bob.get_by_role("button", name="Take seat O").wait_for()
    await tab_to(bob, "Take seat O")
    await bob.keyboard.press("Space")
    await moves_next(bob, "X")

    # A new player has the focus on the cell in the middle of the board.
    await expect(cell(ada, "b2, empty")).to_be_focused()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Enter"):
        await ada.keyboard.press(key)
    await expect(cell(ada, "a1, X")).to_be_focused()
    await cell(bob, "a1, X").wait_for()
    await expect(cell(bob, "b2, empty")).to_be_focused()
    for key in ("ArrowDown", "End", "Home", "Space"):
        await bob.keyboard.press(key)
    await cell(ada, "a3, O").wait_for()
    await expect(bob.locator(".cell[tabindex='0']")).to_have_count(1)
    await expect(bob.get_by_role("log")).to_contain_text("2. O a3")
    await tab_to(ada, "Resign")
    await ada.keyboard.press("Enter")
    sure = ada.locator(".bar").get_by_role("button", name="Resign")
    await expect(sure).to_be_focused()
    await expect(sure).to_be_enabled()  # it is deaf at first
    await ada.keyboard.press("Enter")
    await won_by(bob, "O")


async def test_the_focus_is_never_lost(windows: Windows, server: ServerProcess) -> None:
    """What had the focus may go; then a neighbour has it, and not the page as a whole."""
    page = await windows.visit(server, "/")
    await cell(page, "a1, empty").press("Enter")
    await expect(cell(page, "a1, X")).to_be_focused()
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    await page.get_by_label("Your side").select_option("O")
    await cell(page, "a1, empty").press("Enter")
    await shows(page, "Your turn")
    await expect(page.locator(".cell:focus")).to_have_count(1)
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    await press(page, "Play now")
    await expect(page.locator(":focus")).to_have_text("Cancel")
    await page.keyboard.press("Enter")
    await expect(page.locator(":focus")).to_have_text("Play now")
    await press(page, "Get a link")
    await shows(page, "Waiting for your opponent")
    await press_key(page.get_by_role("button", name="Let an AI play"))
    await moves_next(page, "X")
    await page.get_by_role("button", name="Resign").press("Enter")
    await press_key(page.locator(".bar").get_by_role("button", name="Resign"))
    await won_by(page, "O")
    await expect(page.locator(".bar button:focus")).to_have_count(1)
    await page.get_by_role("button", name="Leave the seat").press("Enter")
    await page.get_by_role("button", name="Take seat X").press("Enter")
    await moves_next(page, "X")
    await expect(page.locator(".cell:focus")).to_have_count(1)


async def overflow(page: Page) -> int:
    """The pixels by which the page is wider than its window."""
    wide: int = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


async def test_on_a_small_phone(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    phone = await windows.visit(server, "/rooms/phone", **SMALL_PHONE)
    await phone.get_by_role("button", name="Create room").wait_for()
    assert await overflow(phone) <= 0
    await phone.get_by_role("button", name="Create room").tap()
    await shows(phone, "Waiting for your opponent")
    bob = await dial(server, "phone")
    await bob.join(name="a name of 24 characters!")
    await moves_next(phone, "X")
    assert await overflow(phone) <= 0
    name = phone.locator(".seat.O .name")
    await expect(name).to_have_attribute("title", "a name of 24 characters!")
    one_line = await name.bounding_box()
    assert one_line is not None
    assert one_line["height"] < 32
    await cell(phone, "c3, empty").tap()
    await bob.until_ply(1)
    ada = await dial(server, "large")
    await ada.join(name="ada", settings=LARGE)
    await phone.goto(phone.url.replace("rooms/phone", ""))
    await phone.get_by_role("link", name="Join large").wait_for()
    assert await overflow(phone) <= 0
    await phone.get_by_role("link", name="Join large").tap()
    await moves_next(phone, "X")
    assert await overflow(phone) <= 0
    await ada.play(0, 0)
    await moves_next(phone, "O")
    box = await cell(phone, "s19, empty").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 32  # large enough for a finger
    await cell(phone, "s19, empty").tap()
    await ada.until_ply(2)
    await expect(cell(phone, "s19, O")).to_be_in_viewport()


async def test_with_reduced_motion_nothing_moves(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/calm", reduced_motion="reduce")
    await page.get_by_text("Board, opponent, clock").click()
    await page.get_by_label("O is played by").select_option("rules")
    await press(page, "Create room")
    await cell(page, "a1, empty").click()
    await cell(page, "b2, O").wait_for()
    assert await page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize(("scheme", "size"), [("light", (1280, 800)), ("dark", AT_200_PERCENT)])
async def test_no_rule_of_accessibility_is_broken(
    windows: Windows, server: ServerProcess, dial: Dial, scheme: str, size: tuple[int, int]
) -> None:
    look = {
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        "viewport": {"width": size[0], "height": size[1]},
    }
    ada = await windows.visit(server, "/rooms/axe", **look)
    await ada.get_by_role("button", name="Create room").wait_for()
    await ada.get_by_text("Board, opponent, clock").click()
    await assert_accessible(ada)
    await ada.get_by_label("Hints").check()
    await press(ada, "Create room")
    await shows(ada, "Waiting for your opponent")
    await assert_accessible(ada)
    bob = await windows.visit(server, "/rooms/axe", **look)
    await bob.get_by_role("button", name="Take seat O").wait_for()
    await assert_accessible(bob)
    await press(bob, "Take seat O")
    await play({"X": ada, "O": bob}, (), "a1", "b2", "b1", "c3")
    await press(ada, "Hint")
    await ada.locator(".notes .note").first.wait_for()
    await press(bob, "Draw")
    await press(bob, "Offer a draw")
    await ada.get_by_role("button", name="Accept the draw").wait_for()
    await assert_accessible(ada)
    await press(bob, "Chat")
    await bob.get_by_label("Say something").fill("hello")
    await bob.keyboard.press("Enter")
    await press(ada, "Chat, 1 new")
    await ada.get_by_role("log").locator("summary").click()
    await press(ada, "Change the name of X")
    await assert_accessible(ada)
    await cell(ada, "c1, empty").click()
    await won_by(bob, "X")
    await assert_accessible(bob)
    await bob.get_by_role("link", name="game 1").click()
    await bob.get_by_text("threw it away with").wait_for()
    await assert_accessible(bob)
    large = await dial(server, "large")
    await large.join(name="eve", settings=LARGE)
    await bob.goto(ada.url.replace("rooms/axe", ""))
    await bob.get_by_role("link", name="Join large").wait_for()
    await press(bob, "Two at this screen")
    await press(bob, "Play now")
    await assert_accessible(bob)
    await bob.goto(f"{bob.url}room/My_Den")
    await shows(bob, "There is nothing here")
    await assert_accessible(bob)
    windows.complaints.clear()  # of the 404
