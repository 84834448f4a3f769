"""What the maker of a room may do on the page, and names that change."""

import re

from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, moves_next, press, shows, unfold


async def made(windows: Windows, server: ServerProcess, room: str) -> Page:
    """Make a room as its host."""
    page = await windows.visit(server, f"/rooms/{room}")
    await page.get_by_label("Your name").fill("ada")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    return page


async def test_the_host_keeps_order(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    host = await made(windows, server, "order")
    guest = await windows.visit(server, "/rooms/order")
    await guest.get_by_label("Your name").fill("bob")
    await press(guest, "Take seat O")
    await moves_next(guest, "X")
    for page, count in ((host, 1), (guest, 0)):
        await expect(page.get_by_label("Who can chat")).to_have_count(count)
        await expect(page.get_by_role("button", name="Clear the chat")).to_have_count(count)

    eve = await dial(server, "order")
    await eve.join(name="eve", role="spectator")
    await eve.send("say", text="nonsense")
    await press(host, "Chat, 1 new")
    line = host.get_by_role("log").locator(".said", has_text="nonsense")
    await line.get_by_label(re.compile("About .?eve")).click()
    await press(host, "Mute")
    await host.get_by_role("button", name="Unmute").wait_for()
    await host.locator("[data-cell='4']").click()
    await eve.until_ply(1)  # what the page sent before has arrived, too
    await eve.send("say", text="more")
    assert (await eve.until("refused"))["code"] == "not_allowed"

    await host.reload()
    await press(host, "Chat, 1 new")
    line = host.get_by_role("log").locator(".said", has_text="nonsense")
    await line.get_by_label(re.compile("About .?eve")).click()
    await line.get_by_role("button", name="Unmute").wait_for()

    await press(host, "Clear the chat")
    await press(host, "Really clear it?")
    await expect(guest.get_by_role("log").locator(".said")).to_have_count(0)
    await expect(guest.get_by_role("log")).to_contain_text("The chat was cleared.")

    await host.get_by_label("Who can chat").select_option("No chat")
    await press(guest, "Chat")
    await guest.get_by_text("There is no chat in this room.").wait_for()
    await expect(guest.get_by_label("Say something")).to_be_hidden()

    await host.get_by_label("Seat O").get_by_label(re.compile("About .?bob")).click()
    await press(host, "Remove from the room")
    await press(host, "Really remove? A game under way goes to them.")
    await guest.get_by_role("heading", name="Removed from the room").wait_for()
    await shows(host, "O won")
    await guest.reload()
    await guest.get_by_role("heading", name="Removed from the room").wait_for()
    await guest.get_by_text("after ten minutes").wait_for()
    await guest.goto(guest.url.replace("rooms/order", ""))
    form = await unfold(guest)
    await form.get_by_label("Room", exact=True).fill("order")
    await press(guest, "Create room")
    await form.get_by_role("alert").get_by_text("after ten minutes").wait_for()


async def test_a_player_and_a_spectator_change_their_names(
    windows: Windows, server: ServerProcess
) -> None:
    ada = await made(windows, server, "names")
    await press(ada, "Change the name of X")
    await ada.get_by_label("Your name").fill("ada l.")
    await press(ada, "Save")
    await expect(ada.locator(".seat.X .name")).to_have_text("ada l.")
    await expect(ada.get_by_role("log")).to_contain_text(re.compile("ada.* is now called .ada l."))
    await expect(ada.get_by_role("button", name="Change the name of X")).to_be_focused()
    await press(ada, "Change the name of X")
    await ada.get_by_label("Your name").fill("ada again")
    await press(ada, "Save")
    await ada.get_by_role("alert").get_by_text("You changed your name just now.").wait_for()
    await press(ada, "Change the name of X")
    await ada.get_by_label("Your name").fill("a" * 25)
    await press(ada, "Cancel")
    await expect(ada.get_by_label("Your name")).to_be_hidden()


async def test_a_click_beside_a_name_that_was_bad_counts(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await (await dial(server, "jump")).join(name="ada")
    page = await windows.visit(server, "/rooms/jump")
    field = page.get_by_label("Your name")
    await field.fill("b" * 25)
    await press(page, "Take seat O")
    trouble = page.locator(".name-field").get_by_role("alert")
    await expect(trouble).to_be_visible()
    await field.fill("bob")
    await expect(trouble).to_be_hidden()
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await expect(page.locator(".seat.O .name")).to_have_text("bob")


async def test_the_menu_of_the_newest_message_is_in_sight(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    host = await made(windows, server, "talk")
    eve = await dial(server, "talk")
    await eve.join(name="eve", role="spectator")
    for number in range(4):
        await eve.send("say", text=f"{number} " + "blah " * 38)
    await press(host, "Chat, 4 new")
    line = host.get_by_role("log").locator(".said", has_text="3 blah")
    await line.get_by_label(re.compile("About .?eve")).click()
    for words in ("Mute", "Remove from the room"):
        await expect(line.get_by_role("button", name=words)).to_be_in_viewport(ratio=1)
