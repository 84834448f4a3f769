"""What comes in between: news while a mark is kept back, a second press, the end of a game."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Page, Route, WebSocketRoute, expect

from tests.integration.attendees import Attendee, Visitor, make_event
from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    cell,
    choose_form,
    press,
    shows,
)

PRESENCE = {"type": "presence", "seats": {"X": True, "O": True}, "spectators": 0}
SAID = {"type": "said", "name": "eve", "role": "spectator", "text": "news", "from": "eve", "at": 0}
BOARDS: list[tuple[dict[str, Any], int]] = [
    ({}, 1),
    ({"variant": "ultimate"}, 1),
    ({"variant": "connect6"}, 2),
]
"""With the number of marks in an answer of the computer's."""


class Line:
    """A line between a page and the server on which messages can be held, or put in."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        """What the page sent."""
        self._is_held = False
        self._waiting: list[Callable[[], None]] = []
        self._socket: WebSocketRoute
        self._heard = asyncio.Event()
        self._played = 0

    def route(self, socket: WebSocketRoute) -> None:
        upstream = self._socket = socket.connect_to_server()
        self._page = socket

        def receive(text: str | bytes) -> None:
            if self._is_held:
                self._waiting.append(lambda: socket.send(text))
                return
            socket.send(text)
            events = json.loads(text).get("events", [])
            self._played += sum(event["type"] == "played" for event in events)
            self._heard.set()

        def send(text: str | bytes) -> None:
            self.sent.append(json.loads(text))
            self._heard.set()
            upstream.send(text)

        upstream.on_message(receive)
        socket.on_message(send)

    def hold(self) -> None:
        """Keep back what the server says."""
        self._is_held = True

    def release(self) -> None:
        self._is_held = False
        for pass_on in self._waiting:
            pass_on()
        self._waiting.clear()

    async def have_played(self, count: int) -> None:
        """Wait until the page was told of so many moves."""
        while self._played < count:
            self._heard.clear()
            await self._heard.wait()

    async def have_sent(self, type_: str, count: int) -> None:
        """Wait until the page has sent so many commands of a type."""
        while sum(each["type"] == type_ for each in self.sent) < count:
            self._heard.clear()
            await self._heard.wait()

    def tell(self, message: dict[str, Any]) -> None:
        """Put a message in, as if the server said it."""
        self._page.send(json.dumps(message))


async def routed(windows: Windows, server: ServerProcess, sockets: str) -> tuple[Page, Line]:
    """A window that may be empty or not, with a line between it and these sockets."""
    page, line = await windows.visit(server, "/help"), Line()
    await windows.route(page, sockets, line.route)
    return page, line


@pytest.mark.parametrize(("rules", "stones"), BOARDS)
async def test_no_other_news_shows_the_computers_mark_early(
    windows: Windows, server: ServerProcess, dial: Dial, rules: dict[str, Any], stones: int
) -> None:
    seats = {"X": "human", "O": {"strategy": "random"}}
    ada = await dial(server, "held")
    welcome = await ada.join(name="ada", settings={"rules": rules, "seats": seats})
    page, line = await routed(windows, server, "**/ws/rooms/held")
    await page.evaluate(
        "at => localStorage.setItem('ttt / seat held', at)", welcome["you"]["token"]
    )
    await page.clock.install()
    await page.goto(page.url.replace("help", "rooms/held"))
    await shows(page, "Your turn")
    await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))
    marks = page.locator(".marks > *")
    await page.locator("[data-cell='4']").click()
    await line.have_played(1 + stones)
    line.tell(PRESENCE)
    line.tell(SAID)
    await expect(page.get_by_role("log")).to_contain_text("news")
    await expect(marks).to_have_count(1)
    await page.locator(".cell[aria-label*=empty]").first.click(force=True)
    await page.clock.run_for(399)
    await expect(marks).to_have_count(1)
    await page.clock.run_for(2)
    await expect(marks).to_have_count(1 + stones)
    await shows(page, "Your turn")
    assert [each["type"] for each in line.sent].count("play") == 1


async def test_a_second_press_makes_no_second_player(
    windows: Windows, server: ServerProcess
) -> None:
    page, line = await routed(windows, server, "**/ws/rooms/**")
    await page.goto(page.url.replace("help", "rooms/twice"))
    create = page.get_by_role("button", name="Create room")
    await create.wait_for()
    line.hold()
    for _ in range(2):
        await create.click()
        await asyncio.sleep(0.3)  # the first press has reached the server
    line.release()
    await shows(page, "Waiting for your opponent")
    await expect(page.locator(".seat.X")).to_contain_text("you")


async def test_a_second_press_makes_no_second_event_or_name(
    windows: Windows, server: ServerProcess
) -> None:
    page, line = await routed(windows, server, "**/ws/events/**")
    await page.goto(page.url.replace("help", "events/twice#new"))
    await choose_form(page, "swiss")
    line.hold()
    for _ in range(2):
        await press(page, "Make the event")
        await asyncio.sleep(0.3)  # as above
    line.release()
    await page.get_by_role("heading", name="Organise").wait_for()

    child, line = await routed(windows, server, "**/ws/events/**")
    await child.goto(child.url.replace("help", "events/twice"))
    await child.get_by_label("Your name").fill("Ada")
    line.hold()
    for _ in range(2):
        await press(child, "Take part")
        await asyncio.sleep(0.3)
    line.release()
    await child.get_by_text("You are in").wait_for()
    await expect(page.locator(".standings tbody tr")).to_have_count(1)


async def led_to_a_game(page: Page, server: ServerProcess, organiser: Visitor) -> Visitor:
    """Take part in this window, which goes to the game by itself; the opponent."""
    await page.get_by_label("Your name").fill("Ada")
    await press(page, "Take part")
    await page.get_by_text("You are in").wait_for()
    bob = Visitor(server, "club")
    await bob.come("enter", name="Bob")
    await organiser.tell("start")
    await page.wait_for_url("**/rooms/club-*")
    return bob


async def test_a_player_who_misses_the_end_of_a_game_goes_back_to_the_event(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "match")
    page = await windows.visit(server, "/events/club")
    bob = await led_to_a_game(page, server, organiser)
    await page.locator(".seat.to-move").wait_for()
    await page.context.set_offline(True)
    await page.get_by_role("alert").get_by_text("Connection lost").wait_for()
    await bob.tell("withdraw")
    await organiser.status("finished")
    await page.context.set_offline(False)
    await page.wait_for_url("**/events/club")
    windows.complaints.clear()  # of the connections that failed


async def test_a_player_who_comes_to_a_game_that_is_over_goes_back_to_the_event(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "match")
    page = await windows.visit(server, "/help")
    is_over = asyncio.Event()

    async def come_late(socket: WebSocketRoute) -> None:
        await is_over.wait()
        socket.connect_to_server()

    await windows.route(page, "**/ws/rooms/**", come_late)
    await page.goto(page.url.replace("help", "events/club"))
    bob = await led_to_a_game(page, server, organiser)
    room = page.url
    await bob.tell("withdraw")
    await organiser.status("finished")
    is_over.set()
    await page.wait_for_url("**/events/club")
    await page.clock.install()
    await page.goto(room)  # to look at it again
    await shows(page, "You won")
    await page.clock.run_for(60_000)
    assert page.url == room


async def test_two_players_leave_before_the_second_is_there_again(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/help")
    lines = [Line() for _ in range(9)]  # more than there will be
    await windows.route(page, "**/ws/rooms/**", lambda socket: lines.pop(0).route(socket))
    await page.goto(page.url.replace("help", "rooms/pair#two"))
    await press(page, "Create room")
    await page.locator(".seat.to-move").wait_for()
    await cell(page, "b2, empty").click()  # a room without a move ends with its players
    await cell(page, "b2, X").wait_for()
    second = lines[1]
    second.hold()
    await page.reload()
    await press(page, "Leave the seat")
    asked = page.get_by_role("region", name="Asked just now")
    await asked.get_by_role("button", name="Leave the seat").click()
    second.release()
    await expect(page.get_by_role("button", name="Take seat")).to_have_count(2)


async def test_the_wall_has_its_code_for_a_name_until_it_is_told_the_title(
    windows: Windows, server: ServerProcess
) -> None:
    await make_event(server, "club", "swiss")
    page, line = await routed(windows, server, "**/ws/events/**")
    line.hold()
    await page.goto(page.url.replace("help", "events/club/wall"))
    await expect(page.get_by_role("heading", level=1)).to_have_text("club")
    await assert_accessible(page)


async def test_a_connection_to_an_event_is_lost_until_the_server_answers(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "swiss")
    page, line = await routed(windows, server, "**/ws/events/**")
    await page.goto(page.url.replace("help", f"events/club#organise={organiser.you['token']}"))
    await page.get_by_role("heading", name="Organise").wait_for()
    lost = page.get_by_role("alert").get_by_text("Connection lost")
    await page.context.set_offline(True)
    await lost.wait_for()
    line.hold()
    await page.context.set_offline(False)
    await line.have_sent("organise", 2)
    await expect(lost).to_be_visible(timeout=1)
    line.release()
    await expect(lost).to_be_hidden()
    windows.complaints.clear()  # of the connections that failed


async def test_ratings_that_were_refused_for_the_pace_are_asked_for_again(
    windows: Windows, server: ServerProcess
) -> None:
    organiser = await make_event(server, "club", "match")
    players = [Attendee(server, "club", name) for name in ("Ada", "Bob")]
    page = await windows.visit(server, "/events/club")
    answers = iter([429])

    async def refuse_once(route: Route) -> None:
        status = next(answers, None)
        await (route.continue_() if status is None else route.fulfill(status=status))

    await page.route("**/api/events/club", refuse_once)
    for player in players:
        await player.enter()
    await organiser.tell("start")
    await expect(page.locator(".standings .rating").first).to_contain_text("\u00b1")
    assert next(answers, None) is None
    await page.unroute_all()
    windows.complaints.clear()  # of the refusal
    for player in players:
        await player.go()
