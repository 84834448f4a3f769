"""What the page shows between a press and its answer, and on a line that falls silent."""

import asyncio
import json
import re
import time

from playwright.async_api import WebSocketRoute, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.proxy import FaultProxy
from tests.integration.web.browser import Windows, cell, moves_next, press, shows

CLOCK = {"clock": {"initial_s": 300, "increment_s": 0}}
NOTICED_S = 15


def http(proxy: FaultProxy) -> str:
    return proxy.address.replace("ws", "http", 1)


async def test_a_move_is_shown_before_it_is_answered(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "slow")
    await ada.join(name="ada")
    async with FaultProxy(server.address) as proxy:
        page = await windows.open(f"{http(proxy)}/rooms/slow")
        await press(page, "Take seat O")
        await moves_next(page, "X")
        await ada.play(0, 4)
        await shows(page, "Your turn")
        proxy.to_client.is_open.clear()
        await cell(page, "a1, empty").click()
        # Told apart by its shape: the strokes are dashed.
        waiting = page.locator(".pending .mark")
        await expect(waiting).to_have_count(1)
        dashes = await waiting.evaluate("each => getComputedStyle(each).strokeDasharray")
        assert dashes != "none"
        await cell(page, "a1, O, sent").wait_for()
        await expect(cell(page, "b1, empty")).to_have_attribute("aria-disabled", "true")
        await shows(page, "Sent, waiting")
        await expect(page.locator("#waiting")).to_have_text("3 s…")
        proxy.heal()
        await cell(page, "a1, O").wait_for()
        await expect(waiting).to_have_count(0)
        await shows(page, "ada\u2019s turn")
        await page.close()


async def test_a_refused_move_is_taken_back_with_words(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "refused")
    await ada.join(name="ada")
    page = await windows.visit(server, "/")

    def tampered(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        def send(text: str | bytes) -> None:
            command = json.loads(text)
            if command["type"] == "play":
                command["cell"] = 4  # where the other player's mark is
            upstream.send(json.dumps(command))

        socket.on_message(send)

    await windows.route(page, "**/ws/rooms/**", tampered)
    await page.goto(f"{page.url}rooms/refused")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.play(0, 4)
    await shows(page, "Your turn")
    await cell(page, "a1, empty").click()
    await page.get_by_role("alert").get_by_text("That cell is taken.").wait_for()
    await expect(page.locator(".pending .mark")).to_have_count(0)
    await expect(cell(page, "a1, empty")).to_have_attribute("aria-disabled", "false")
    await shows(page, "Your turn")


async def test_lines_that_are_silent_and_one_that_is_quiet(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    """Side by side, because each waits for a page's own clock."""
    await asyncio.gather(
        a_silent_line_is_noticed_and_dialled_again(windows, server, dial),
        a_quiet_line_stays(windows, server),
        a_silent_lobby_is_noticed(windows, server),
    )
    windows.complaints.clear()


async def a_silent_line_is_noticed_and_dialled_again(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "silent")
    await ada.join(name="ada", settings=CLOCK)
    async with FaultProxy(server.address) as proxy:
        page = await windows.open(f"{http(proxy)}/rooms/silent")
        await press(page, "Take seat O")
        await moves_next(page, "X")
        proxy.blackhole()
        since = time.monotonic()
        await page.get_by_text("No answer for").wait_for()
        notice = page.get_by_role("alert").get_by_text("The server is silent.")
        await notice.wait_for()
        assert time.monotonic() - since < NOTICED_S
        await expect(page.locator(".countdown")).to_contain_text("Trying again in")
        await page.get_by_text("No connection", exact=True).wait_for()
        clock = page.get_by_label("Seat X").locator(".clock")
        stood = await clock.text_content()
        await page.wait_for_timeout(1500)
        assert await clock.text_content() == stood
        await press(page, "Retry now")
        proxy.heal()
        await expect(page.get_by_role("button", name="Retry now")).to_be_hidden()
        await expect(page.get_by_role("log")).to_contain_text("Connected again.")
        await expect(clock).not_to_have_text(stood or "")
        await page.close()


async def a_quiet_line_stays(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/quiet")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    await page.get_by_text("Live, ").wait_for()  # a question was answered
    await page.wait_for_timeout(8000)
    await expect(page.get_by_role("button", name="Retry now")).to_be_hidden()
    await expect(page.get_by_role("log")).not_to_contain_text("Connected again.")


async def a_silent_lobby_is_noticed(windows: Windows, server: ServerProcess) -> None:
    async with FaultProxy(server.address) as proxy:
        page = await windows.open(f"{http(proxy)}/")
        await expect(page.get_by_role("status")).to_have_text(re.compile(r"\d games?$"))
        proxy.blackhole()
        await page.get_by_role("alert").get_by_text("The server is silent.").wait_for()
        await press(page, "Retry now")
        proxy.heal()
        await expect(page.get_by_role("button", name="Retry now")).to_be_hidden()
        await page.close()


async def test_a_move_that_did_not_arrive(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "cut")
    await ada.join(name="ada")
    async with FaultProxy(server.address) as proxy:
        page = await windows.open(f"{http(proxy)}/rooms/cut")
        await press(page, "Take seat O")
        await moves_next(page, "X")
        await ada.play(0, 4)
        await shows(page, "Your turn")
        proxy.to_server.is_open.clear()
        await cell(page, "a1, empty").click()
        await expect(page.locator(".pending .mark")).to_have_count(1)
        proxy.cut()
        proxy.heal()
        await page.get_by_role("alert").get_by_text("Your move a1 did not reach").wait_for()
        await cell(page, "a1, empty").click()
        await ada.until_ply(2)
        await page.close()
    windows.complaints.clear()


async def test_a_page_older_than_the_server_offers_to_reload(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    welcomes = 0

    def newer(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        def receive(text: str | bytes) -> None:
            nonlocal welcomes
            message = json.loads(text)
            if message["type"] == "welcome":
                welcomes += 1
                message["server"] = f"ttt-rooms/{welcomes}.0"
            socket.send(json.dumps(message))

        upstream.on_message(receive)

    await windows.route(page, "**/ws/rooms/**", newer)
    await page.goto(f"{page.url}rooms/newer")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await press(page, "Reload")
    await shows(page, "Waiting for your opponent")
    await expect(page.get_by_role("button", name="Reload")).to_have_count(0)
