"""The feed: as before after a reload, with the chat or without it."""

import re

from playwright.async_api import expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, moves_next, press, resign, shows


async def test_the_feed_after_a_reload(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("strength").select_option("strong")
    await cell(page, "a1, empty").click()
    await cell(page, "b2, O").wait_for()
    await cell(page, "c3, empty").click()
    await expect(page.locator(".marks .mark")).to_have_count(4)
    await resign(page)
    lines = page.get_by_role("log").locator(".line")
    await expect(lines.last).to_have_text("O won: by resignation")
    before = await lines.all_inner_texts()
    assert any("takes the centre" in each for each in before)
    await page.reload()
    await expect(lines.last).to_have_text("O won: by resignation")
    # Sitting down is no part of the game.
    assert await lines.all_inner_texts() == [each for each in before if "takes seat" not in each]


async def test_a_players_feed_has_the_end_of_a_game_that_spectators_see_late(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "late")
    await ada.join(name="ada", settings={"delay_s": 600})
    page = await windows.visit(server, "/rooms/late")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.play(0, 4)
    await ada.send("say", text="before")
    await ada.send("resign", game=1)
    lines = page.get_by_role("log").locator(".line:not(.seated, .presence)")
    end = page.get_by_role("log").locator(".line.ended")
    await expect(end).to_have_text("O won: by resignation")
    await page.reload()
    await expect(end).to_have_text("O won: by resignation")
    await expect(lines.first).to_contain_text("Game 1")
    await expect(lines.nth(1)).to_have_text("1. X b2")
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await press(page, "Retry now")
    await expect(page.get_by_role("log")).to_contain_text("Connected again.")
    await expect(end).to_have_count(1)


async def test_what_was_said_is_there_after_a_reload(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "said")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/said")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.send("say", text="before")
    await expect(page.get_by_role("log")).to_contain_text("before")
    await ada.play(0, 4)
    await shows(page, "Your turn")
    await ada.send("say", text="after")
    lines = page.get_by_role("log").locator(".said, .played")
    spoken: list[str | re.Pattern[str]] = [
        re.compile("ada.* before"),
        "1. X b2",
        re.compile("ada.* after"),
    ]
    await expect(lines).to_have_text(spoken)
    await page.reload()
    await expect(lines).to_have_text(spoken)
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await press(page, "Retry now")
    await expect(page.get_by_role("log")).to_contain_text("Connected again.")
    await expect(lines).to_have_text(spoken)


async def test_moves_and_chat_are_apart(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "loud")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/loud")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.send("say", text="hello")
    await press(page, "Chat, 1 new")
    said = page.get_by_role("log").locator(".said")
    await expect(said).to_be_visible()
    await press(page, "Moves")
    await expect(said).to_be_hidden()
    await expect(page.get_by_label("Say something")).to_be_hidden()
    await ada.play(0, 4)
    await shows(page, "Your turn")
    await expect(page.get_by_role("log")).to_contain_text("1. X b2")


async def test_a_name_from_the_right_turns_no_sentence_round(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    page = await windows.visit(server, "/rooms/right")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    await (await dial(server, "right")).join(name="\u05d3\u05d5\u05d3")
    line = page.get_by_role("log").locator(".line.seated").last
    await expect(line).to_contain_text("takes seat O")
    await expect(line).to_have_css("direction", "ltr")


async def test_words_that_are_refused_are_given_back(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "mute")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/mute")
    await press(page, "Chat")
    say = page.get_by_label("Say something")
    await say.fill("hello")
    await say.press("Enter")
    await expect(say).to_have_value("")
    said = await ada.until("said")
    await ada.send("moderate", action="mute", **{"from": said["from"]})
    await ada.until("update")
    await say.fill("a long thought")
    await say.press("Enter")
    await page.get_by_text("You cannot chat in this room now.").wait_for()
    await expect(say).to_have_value("a long thought")


async def test_a_move_that_is_taken_back_takes_its_reason_with_it(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("strength").select_option("strong")
    await cell(page, "a1, empty").click()
    reason = page.locator(".seat.O .reason")
    await expect(reason).to_have_text("takes the centre")
    await press(page, "Take back")
    await cell(page, "a1, empty").wait_for()
    await expect(reason).to_be_hidden()
    # A player alone with an AI keeps no order.
    await expect(page.get_by_label("Who can chat")).to_be_hidden()
