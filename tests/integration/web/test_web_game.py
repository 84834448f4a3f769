"""Whole games in a browser: each player and spectator has a separate window."""

import re

from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import (
    Windows,
    cell,
    moves_next,
    play,
    press,
    press_key,
    shows,
    unfold,
    won_by,
)


async def two_players(windows: Windows, server: ServerProcess, room: str) -> dict[str, Page]:
    """Make the room as Ada, and take the free seat as Bob."""
    ada = await windows.visit(server, f"/rooms/{room}")
    await ada.get_by_label("Your name").fill("ada")
    await press(ada, "Create room")
    await shows(ada, "Waiting for your opponent")
    bob = await windows.visit(server, f"/rooms/{room}")
    await bob.get_by_label("Your name").fill("bob")
    await press(bob, "Take seat O")
    for page in (ada, bob):
        await moves_next(page, "X")
    return {"X": ada, "O": bob}


async def test_a_won_game_with_a_reload_and_a_rematch(
    windows: Windows, server: ServerProcess
) -> None:
    players = await two_players(windows, server, "room42")
    ada, bob = players["X"], players["O"]
    eve = await windows.visit(server, "/rooms/room42")
    await moves_next(eve, "X")
    await expect(eve.get_by_role("button", name="Take seat")).to_have_count(0)
    await play(players, (eve,), "b2", "a1", "a3", "c1")

    await ada.reload()
    await moves_next(ada, "X")
    await expect(ada.get_by_label("Seat X")).to_contain_text("you")
    await cell(ada, "b1, empty").click()
    await cell(bob, "b3, empty").click()
    await cell(ada, "b3, O").wait_for()
    await cell(ada, "c3, empty").click()
    await cell(bob, "a2, empty").click()
    await cell(ada, "c2, empty").click()
    for page in (ada, bob, eve):
        await shows(page, "Draw")

    await press(ada, "Rematch")
    await press(bob, "Accept the rematch")
    await moves_next(bob, "X")
    await expect(bob.get_by_label("Seat X")).to_contain_text("bob")
    await play({"X": bob, "O": ada}, (eve,), "a1", "b2", "a2", "c3", "a3")
    await shows(bob, "You won")
    await shows(ada, "bob won")
    for page in (ada, bob, eve):
        await won_by(page, "X")
        await expect(page.locator(".won.drawn")).to_have_count(1)
    await expect(eve.get_by_label("Seat X").locator(".score")).to_have_text("1")
    for page in (ada, bob, eve):
        assert page.url.endswith("/rooms/room42")  # without a seat or a secret


async def test_offers_chat_and_leaving(windows: Windows, server: ServerProcess) -> None:
    players = await two_players(windows, server, "talk")
    ada, bob = players["X"], players["O"]
    await play(players, (), "a1", "b2")
    await press(bob, "Take back")
    await press(ada, "Allow the takeback")
    await cell(ada, "b2, empty").wait_for()
    await press(ada, "Draw")
    await press(ada, "Offer a draw")
    await press(bob, "No draw")
    await expect(ada.get_by_role("button", name="Draw", exact=True)).to_be_disabled()
    await press(bob, "Chat")
    await bob.get_by_label("Say something").fill("not yet")
    await bob.keyboard.press("Enter")
    await expect(ada.get_by_role("log")).to_contain_text("not yet")
    await ada.get_by_role("button", name="Chat, 1 new").wait_for()
    await press(ada, "Resign")
    room = bob.url
    await bob.goto("about:blank")
    await ada.get_by_role("button", name="Let an AI play").wait_for()
    await expect(ada.get_by_text("Really resign?")).to_be_visible()
    await press(ada, "Play on")
    await bob.goto(room)
    for page, name in ((bob, "b2"), (ada, "c3"), (bob, "a2")):
        await cell(page, f"{name}, empty").click()
        await expect(cell(ada, f"{name}, empty")).to_have_count(0)
    await press(ada, "Draw")
    await press(ada, "Offer a draw")
    await press(bob, "Accept the draw")
    await shows(ada, "Draw")
    await press(bob, "Leave the seat")
    await bob.get_by_role("button", name="Take seat O").wait_for()
    await ada.get_by_role("button", name="Let an AI play").click()
    await moves_next(ada, "X")
    await press(ada, "Resign")
    await ada.locator(".bar").get_by_role("button", name="Resign").click()
    await won_by(bob, "O")


SIZES = [(1280, 800), (390, 844), (320, 568), (844, 390)]
_PLACES = """parts => parts.filter(each => each.checkVisibility()).map(each => {
  const { x, y } = each.getBoundingClientRect();
  return [each.textContent, x, y + scrollY];
})"""


async def places(page: Page, parts: str) -> list[list[list[object]]]:
    """Where parts of the page are in windows of some sizes."""
    found = []
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        found.append(await page.locator(parts).evaluate_all(_PLACES))
    return found


async def test_what_is_asked_moves_nothing_that_can_be_pressed(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "calm")
    await ada.join(name="ada", settings={"hints": True})
    bob = await windows.visit(server, "/rooms/calm", reduced_motion="reduce")
    await press(bob, "Take seat O")
    await moves_next(bob, "X")
    await ada.play(0, 4)
    await shows(bob, "Your turn")
    await press(bob, "Chat")
    feed, all_parts = ".tab, .say *, .leave", ".fixed button, .tab, .say *, .leave, .cell"
    before, feed_before = await places(bob, all_parts), await places(bob, feed)
    await press(bob, "Hint")
    await expect(bob.locator(".hint-words")).to_contain_text("expects")
    assert await places(bob, all_parts) == before
    await ada.send("offer", kind="draw")
    await bob.get_by_role("button", name="No draw").wait_for()
    assert await places(bob, all_parts) == before
    for width, height in SIZES:
        await bob.set_viewport_size({"width": width, "height": height})
        await expect(bob.get_by_role("button", name="No draw")).to_be_in_viewport(ratio=1)
    await press(bob, "No draw")
    await press(bob, "Resign")
    await bob.get_by_text("Really resign?").wait_for()
    assert await places(bob, all_parts) == before
    await press_key(bob.locator(".bar").get_by_role("button", name="Resign"))
    await shows(bob, "ada won")
    await expect(bob.get_by_role("button", name="Rematch")).to_be_focused()
    assert await places(bob, feed) == feed_before
    await ada.send("offer", kind="rematch")
    await bob.get_by_role("button", name="No rematch").wait_for()
    assert await places(bob, feed) == feed_before
    await bob.set_viewport_size({"width": 1280, "height": 800})
    over = bob.locator('.fixed button[aria-disabled="true"][title="The game is over."]')
    await expect(over).to_have_text(["Hint", "Take back", "Draw", "Resign"])
    await press(bob, "Accept the rematch")
    await moves_next(bob, "X")
    await bob.emulate_media(forced_colors="active")
    outlines = [
        await bob.locator(f".seat.{mark}").evaluate("it => getComputedStyle(it).outlineStyle")
        for mark in "XO"
    ]
    assert outlines == ["solid", "none"]
    await bob.emulate_media(forced_colors="none")


async def test_an_absent_player_can_lose_the_game(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "gone")
    await ada.join(name="ada", settings={"grace_s": 0.2})
    bob = await windows.visit(server, "/rooms/gone")
    await press(bob, "Take seat O")
    await moves_next(bob, "X")
    await ada.socket.close()
    await expect(bob.get_by_label("Seat X")).to_contain_text("away")
    claim = bob.get_by_role("button", name="Claim the game", exact=True)  # not "… in 1 s"
    await claim.click()
    await won_by(bob, "O")


async def test_hints_clocks_and_the_reasons_of_an_ai(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await form.get_by_label("Room", exact=True).fill("den")
    await form.get_by_label("O is played by").select_option("rules")
    await form.get_by_label("Clock").select_option(label="5 minutes, 3 seconds a move")
    await form.get_by_label("Hints").check()
    await press(page, "Create room")
    await moves_next(page, "X")
    await cell(page, "a1, empty").click()
    await cell(page, "b2, O").wait_for()
    await expect(page.get_by_label("Seat O").locator(".reason")).to_have_text("takes the centre")
    await expect(page.get_by_label("Seat X").locator(".clock")).to_contain_text(":")
    await press(page, "Hint")
    await expect(page.locator(".hint-words")).to_contain_text("expects a draw")
    await press(page, "Sound: off")  # sound is off at first
    await page.get_by_role("button", name="Sound: on").wait_for()
    await page.reload()
    await page.get_by_role("button", name="Sound: on").wait_for()
    await press(page, "Hint")
    await expect(page.locator(".notes .note")).to_have_count(7)


async def test_pieces_fall_to_the_lowest_cell(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await form.get_by_label("Room", exact=True).fill("tower")
    await form.get_by_label("Board").select_option(index=3)
    await form.get_by_label("O is played by").select_option("random")
    await press(page, "Create room")
    await cell(page, "d1, empty").click()
    await cell(page, "d6, X").wait_for()


async def test_a_custom_board_in_a_locked_private_room(
    windows: Windows, server: ServerProcess
) -> None:
    ada = await windows.visit(server, "/")
    form = await unfold(ada)
    await form.get_by_label("Room", exact=True).fill("vault")
    await form.get_by_label("Board").select_option(label="Another board")
    await form.get_by_label("Columns").fill("4")
    await form.get_by_label("Rows").fill("5")
    await form.get_by_label("Password").fill("opensesame")
    await form.get_by_label("Private").check()
    await press(ada, "Create room")
    await cell(ada, "d5, empty").wait_for()
    bob = await windows.visit(server, "/rooms/vault")
    await expect(bob.get_by_label("Password")).to_be_focused()
    await bob.get_by_label("Password").fill("wrong")
    await press(bob, "Enter")
    await bob.get_by_role("alert").get_by_text("password").wait_for()
    await expect(bob.get_by_label("Password")).to_be_focused()
    await bob.get_by_label("Password").fill("opensesame")
    await press(bob, "Enter")
    await bob.get_by_role("button", name="Take seat O").wait_for()
    await bob.reload()  # the tab keeps the password
    await press(bob, "Take seat O")
    await moves_next(ada, "X")
    assert "opensesame" not in ada.url + bob.url
    lobby = await windows.visit(server, "/")
    await shows(lobby, "0 games")


async def test_the_lobby_shows_small_boards_as_they_change(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    lobby = await windows.visit(server, "/")
    await shows(lobby, "0 games")
    ada, bob = await dial(server, "seen"), await dial(server, "seen")
    await ada.join(name="ada")
    await lobby.get_by_role("link", name="Join seen").wait_for()
    await bob.join(name="bob")
    await ada.play(0, 4)
    await bob.play(1, 0)
    card = lobby.get_by_role("listitem").filter(has_text="seen")
    await card.scroll_into_view_if_needed()
    await expect(card.locator(".mark")).to_have_count(2)
    await expect(card).to_contain_text(re.compile("ada . bob"))
    await lobby.get_by_role("link", name="Watch seen").click()
    await moves_next(lobby, "X")


async def test_the_form_shows_why_a_room_was_not_made(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await (await dial(server, "den")).join()
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await form.get_by_label("Room", exact=True).fill("den")
    await form.get_by_label("Board").select_option(index=2)
    await press(page, "Create room")
    conflict = page.get_by_role("alert").get_by_text("exists already, with other settings")
    await conflict.last.wait_for()
    await form.get_by_label("Room", exact=True).fill("attic")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")


async def test_the_ais_of_a_form_are_those_that_play_the_board(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/rooms/new")
    await page.get_by_text("Board, opponent, clock").click()
    ais = page.get_by_label("O is played by")
    await ais.select_option("perfect")
    await page.get_by_label("Board").select_option(index=3)  # the pieces fall
    await expect(ais).to_have_value("human")
    offered = await ais.locator("option").all_inner_texts()
    of_solver = "Perfect", "knows every position"  # where it is installed
    offered = [each for each in offered if not each.endswith(of_solver)]
    strengths = "Beginner", "Fair", "Strong"
    kinds = "careful", "plays trial games", "plays at random", "looks ahead"
    assert offered == ["A person", *(f"Computer: {each}" for each in (*strengths, *kinds))]
    await ais.select_option("Computer: Fair")
    await press(page, "Create room")
    await expect(page.get_by_label("Seat O").locator(".name")).to_have_text("Computer (Fair)")


async def test_a_spectator_chats_under_the_name_in_the_field(
    windows: Windows, server: ServerProcess
) -> None:
    ada = (await two_players(windows, server, "talk"))["X"]
    eve = await windows.visit(server, "/rooms/talk")
    await eve.get_by_label("Your name").fill("eve")
    await press(eve, "Chat")
    await eve.get_by_label("Say something").fill("hello")
    await eve.keyboard.press("Enter")
    await expect(ada.get_by_role("log")).to_contain_text(re.compile("eve.* hello"))


async def test_a_player_that_returns_and_plays_at_once_is_shown_as_back(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "gone")
    token = (await ada.join(name="ada"))["you"]["token"]
    bob = await windows.visit(server, "/rooms/gone")
    await press(bob, "Take seat O")
    await moves_next(bob, "X")
    await ada.socket.close()
    await expect(bob.get_by_role("log")).to_contain_text(re.compile("ada.* is away"))
    ada = await dial(server, "gone")  # before the next presence message is due
    await ada.join(token=token)
    await ada.play(0, 4)
    await cell(bob, "b2, X").wait_for()
    await expect(bob.get_by_role("log")).to_contain_text(re.compile("ada.* is back"))


async def test_making_a_room_twice_keeps_the_seat_in_it(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    for _ in range(2):
        await page.goto(server.address.replace("ws", "http", 1))
        form = await unfold(page)
        await form.get_by_label("Room", exact=True).fill("den")
        await press(page, "Create room")
        await shows(page, "Waiting for your opponent")
        await expect(page.get_by_label("Seat X")).to_contain_text("you")
    # The lobby asks for the rooms of this browser, and this one may be gone by now.
    assert all("404" in each for each in windows.complaints)
    windows.complaints.clear()
    await page.goto(server.address.replace("ws", "http", 1))
    await page.evaluate("localStorage.setItem('ttt / seat attic', 'forged.token')")
    form = await unfold(page)
    await form.get_by_label("Room", exact=True).fill("attic")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    windows.complaints.clear()
