"""A page of today on a server of tomorrow: additions that it does not know change nothing."""

import json
from typing import Any

from playwright.async_api import WebSocketRoute, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, moves_next, press, shows

NEW: dict[str, Any] = {"from_tomorrow": {"deep": [1, 2]}}


def grown(message: Any) -> Any:
    """The same with a new field in every object, and a new event before and after the others."""
    if isinstance(message, list):
        return [grown(each) for each in message]
    if not isinstance(message, dict):
        return message
    larger = {key: grown(value) for key, value in message.items()}
    if "events" in larger:
        strange = {"type": "danced", "seq": 0, "at": 0, "seat": "X", **NEW}
        larger["events"] = [strange, *larger["events"], strange]
    # These are maps from cells and kinds, not objects with fields.
    return larger if {"draw", "takeback"} & larger.keys() else larger | NEW


def tomorrow(socket: WebSocketRoute) -> None:
    """Pass all on, with additions, and a message of a new type around each of the server's."""
    upstream = socket.connect_to_server()

    def receive(text: str | bytes) -> None:
        message = json.loads(text)
        socket.send(json.dumps({"type": "weather", **NEW}))
        socket.send(json.dumps(grown(message)))
        socket.send(json.dumps({"type": "weather", "room": None, **NEW}))

    upstream.on_message(receive)


async def test_the_page_plays_on(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "growth")
    await ada.join(name="ada", settings={"hints": True})
    page = await windows.visit(server, "/")
    await windows.route(page, "**/ws/**", tomorrow)
    await page.goto(page.url)
    await page.get_by_role("link", name="Join growth").click()
    await moves_next(page, "X")
    for ply, (theirs, ours) in enumerate([(0, "b2"), (1, "c3")]):
        await ada.play(2 * ply, theirs)
        await shows(page, "Your turn")
        await press(page, "Hint")
        await page.locator(".notes .best").first.wait_for()
        await cell(page, f"{ours}, empty").click()
        await cell(page, f"{ours}, O").wait_for()
    await ada.send("say", text="hello")
    await expect(page.get_by_role("log")).to_contain_text("hello")
    await ada.play(4, 2)
    await shows(page, "ada won")
    await expect(page.locator(".won.drawn")).to_have_count(1)
    await expect(page.get_by_role("log")).not_to_contain_text("undefined")


async def test_a_code_of_tomorrow_is_shown_in_the_words_of_its_server(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "code")
    await ada.join(name="ada")
    page = await windows.visit(server, "/")

    def refusing(socket: WebSocketRoute) -> None:
        upstream = socket.connect_to_server()

        def send(text: str | bytes) -> None:
            if json.loads(text)["type"] != "play":
                return upstream.send(text)
            refusal = {"command": "play", "code": "new_code", "reason": "not on a Sunday"}
            return socket.send(json.dumps({"type": "refused", **refusal}))

        socket.on_message(send)

    await windows.route(page, "**/ws/rooms/**", refusing)
    await page.goto(f"{page.url}rooms/code")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.play(0, 0)
    await shows(page, "Your turn")
    await cell(page, "b2, empty").click()
    await page.get_by_role("alert").get_by_text("not on a Sunday").wait_for()
    await cell(page, "b2, empty").wait_for()
