"""The page loses its connection, and restores it by itself."""

import json
import re
import signal
from contextlib import suppress

import pytest
from playwright.async_api import Error, Route, WebSocketRoute, expect

from tests.integration.programs import Dial, ServerProcess, StartServer, eventually
from tests.integration.web.browser import Windows, cell, moves_next, press, shows


async def test_the_server_is_killed_under_the_page_and_comes_back(
    windows: Windows, server: ServerProcess
) -> None:
    ada = await windows.visit(server, "/rooms/room42")
    await press(ada, "Create room")
    await shows(ada, "Waiting for your opponent")
    bob = await windows.visit(server, "/rooms/room42")
    await press(bob, "Take seat O")
    await cell(ada, "b2, empty").click()
    await cell(bob, "b2, X").wait_for()

    await server.kill()
    for page in (ada, bob):
        await page.get_by_role("alert").get_by_text("Connection lost").wait_for()
    await server.start()
    for page in (ada, bob):
        await expect(page.get_by_role("alert")).to_have_count(0)
        await moves_next(page, "O")
        await cell(page, "b2, X").wait_for()

    await expect(bob.get_by_label("Seat O")).to_contain_text("you")
    await cell(bob, "a1, empty").click()
    await cell(ada, "a1, O").wait_for()
    # The browser itself logs that a connection failed, also for a file that is asked for then.
    assert all("WebSocket" in each or "net::ERR" in each for each in windows.complaints)
    windows.complaints.clear()


async def test_words_about_a_server_that_is_away_go_when_it_is_back(
    windows: Windows, server: ServerProcess
) -> None:
    phone = await windows.visit(
        server, "/", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    status, trouble = phone.locator(".first-status"), phone.locator(".door > .trouble")
    await shows(phone, "0 games")
    await server.kill()
    await phone.get_by_role("alert").get_by_text("Connection lost").wait_for()
    await cell(phone, "b2, empty").click()
    await expect(status).to_have_text("The server cannot be reached.")
    await expect(status).to_be_in_viewport()  # at the board that was tapped
    await expect(trouble).to_be_hidden()
    await press(phone, "Get a link")
    await expect(trouble).to_have_text("The server cannot be reached.")
    await expect(trouble).to_be_in_viewport()
    await expect(status).to_have_text("You are X. Your move.")
    await cell(phone, "b2, empty").click()
    await expect(status).to_have_text("The server cannot be reached.")
    await expect(status).to_have_class(re.compile("trouble"))
    await server.start()
    await expect(status).to_have_text("You are X. Your move.")
    await expect(status).not_to_have_class(re.compile("trouble"))
    await cell(phone, "b2, empty").click()
    await shows(phone, "Your turn")
    windows.complaints.clear()  # of the browser, about connections that failed


async def test_a_seat_that_is_played_from_another_window(
    windows: Windows, server: ServerProcess
) -> None:
    first = await windows.visit(server, "/rooms/room42")
    await press(first, "Create room")
    await shows(first, "Waiting for your opponent")
    second = await first.context.new_page()
    await second.goto(first.url)
    await expect(second.get_by_label("Seat X")).to_contain_text("you")
    await press(first, "Play here")
    await shows(first, "Waiting for your opponent")
    await second.get_by_role("button", name="Play here").wait_for()


async def test_the_address_alone_gives_no_seat_away(
    windows: Windows, server: ServerProcess
) -> None:
    ada = await windows.visit(server, "/rooms/room42")
    await press(ada, "Create room")
    await shows(ada, "Waiting for your opponent")
    eve = await windows.visit(server, "/rooms/room42")
    await eve.goto(ada.url)
    await expect(eve.get_by_role("status")).to_contain_text("waits for an opponent")
    await expect(eve.get_by_label("Seat X")).not_to_contain_text("you")
    await eve.get_by_role("button", name="Take seat O").wait_for()


async def test_the_seat_of_a_room_that_has_gone(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/room42")
    await page.evaluate("localStorage.setItem('ttt / seat room42', 'forged.token')")
    await page.reload()
    await shows(page, "No such room")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")


async def test_a_seat_is_kept_until_the_server_has_taken_it_back(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/rooms/room42")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    server.process.send_signal(signal.SIGSTOP)
    await press(page, "Leave the seat")
    await server.kill()
    await page.get_by_role("alert").get_by_text("Connection lost").wait_for()
    await server.start()
    await expect(page.get_by_role("alert")).to_have_count(0)
    await expect(page.get_by_role("log")).to_contain_text("Connected again.")
    await page.reload()
    await shows(page, "Waiting for your opponent")
    await expect(page.get_by_label("Seat X")).to_contain_text("you")
    await press(page, "Leave the seat")
    # The room that is left empty may be gone before the page is back.
    await page.get_by_role("button", name=re.compile("Take seat X|Create room")).wait_for()
    windows.complaints.clear()


async def test_a_seat_whose_welcome_was_lost_is_found_again(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    page = await windows.visit(server, "/")
    lost: list[str] = []

    def losing(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        async def receive(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] == "welcome" and message["you"]["role"] == "player" and not lost:
                lost.append(message["you"]["id"])
                await socket.close(code=4100)
            else:
                socket.send(text)

        upstream.on_message(receive)

    await windows.route(page, "**/ws/rooms/**", losing)
    await page.goto(f"{page.url}rooms/lost-welcome")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    bob = await dial(server, "lost-welcome")
    seats = (await bob.join(name="bob"))["room"]["seats"]
    assert [seats["X"]["id"]] == lost
    await moves_next(page, "X")
    await shows(page, "Your turn")


async def test_a_page_whose_file_another_version_does_not_have_is_loaded_again(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/rooms/room42")
    await page.get_by_role("button", name="Create room").wait_for()
    asked = []

    async def answer_once(route: Route) -> None:
        asked.append(route.request.url)
        other = re.sub("web-[0-9a-f]+", "web-0123456789ab", route.request.url)
        await (route.continue_(url=other) if len(asked) == 1 else route.continue_())

    await page.route("**/js/model/state.js", answer_once)
    await page.reload()
    await page.get_by_role("button", name="Create room").wait_for()
    assert len(asked) == 2
    assert all("404" in each or "MIME" in each for each in windows.complaints)
    windows.complaints.clear()


@pytest.mark.parametrize(
    ("width", "height"), [(390, 844), (844, 390), (320, 568), (1280, 800), (1280, 600)]
)
@pytest.mark.parametrize("board", ["3x3x3", "15x15x5"])
async def test_the_notice_covers_no_cell(
    windows: Windows, server: ServerProcess, dial: Dial, board: str, width: int, height: int
) -> None:
    columns, rows, length = map(int, board.split("x"))
    rules = {"columns": columns, "rows": rows, "in_a_row": length}
    await (await dial(server, "clear")).join(name="ada", settings={"rules": rules})
    page = await windows.visit(
        server, "/rooms/clear#seat", viewport={"width": width, "height": height}
    )
    await moves_next(page, "X")
    await page.context.set_offline(True)
    notice = page.locator(".notice:visible")
    await notice.get_by_role("button", name="Retry now").wait_for()
    await eventually(lambda: page.evaluate(CLEAR))
    await page.context.set_offline(False)
    await expect(notice).to_have_count(0)
    windows.complaints.clear()  # of the connections that failed


CLEAR = """() => {
  const [board, notice] = [".board-place", ".notice:not([hidden])"].map((each) =>
    document.querySelector(each)?.getBoundingClientRect());
  return notice && (notice.top >= board.bottom || notice.bottom <= board.top ||
    notice.left >= board.right);
}"""
"""Whether the notice leaves the board free."""


async def test_a_page_that_sent_too_much_says_when_to_try_again(
    windows: Windows, start_server: StartServer
) -> None:
    server = await start_server("--commands-per-10s", "1", "--command-burst", "1")
    page = await windows.visit(server, "/rooms/flood", locale="de-DE")
    await page.get_by_role("button", name="Raum anlegen").click()
    hint = page.get_by_role("textbox", name="Sag etwas")
    await page.get_by_role("button", name="Chat", exact=True).click()
    with suppress(Error):  # the field goes with the room
        for _ in range(6):
            await hint.fill("hallo", timeout=1_000)
            await hint.press("Enter", timeout=1_000)
    await page.get_by_text("Warte zehn Sekunden und versuche es wieder.").wait_for()
    await page.get_by_role("button", name="Noch einmal versuchen").wait_for()
