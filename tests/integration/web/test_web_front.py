"""From the front page into a game: against the computer, with a friend, by the list of rooms."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess, StartServer, eventually
from tests.integration.web.browser import (
    Windows,
    call_oneself,
    cell,
    moves_next,
    own_panel,
    press,
    shows,
    unfold,
)

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

QR = [
    "#######.#.....#######",
    "#.....#..##...#.....#",
    "#.###.#....#..#.###.#",
    "#.###.#.##.##.#.###.#",
    "#.###.#.###.#.#.###.#",
    "#.....#.#.##..#.....#",
    "#######.#.#.#.#######",
    "........#.###........",
    "#...#.###.##.#####..#",
    "##..#.......###.###..",
    "..##..##.###.#..##.#.",
    "#..##..#.####........",
    ".#...##..##.##.###.#.",
    "........#..#....####.",
    "#######.###...####.#.",
    "#.....#...#.##.....#.",
    "#.###.#.#..#.#.###...",
    "#.###.#..##..##.#.###",
    "#.###.#...##..####...",
    "#.....#...#.##.#.#...",
    "#######.###.##..##..#",
]
"""A code that a scanner (zxing-cpp) reads as `http://a.bc/r`."""


async def imported(page: Page, module: str, call: str) -> Any:
    """What a call gives that uses a module of the page as `m`."""
    return await page.evaluate(f"import('/web/js/{module}').then((m) => {call})")


async def test_a_newcomer_plays_the_computer_to_the_end(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/", **PHONE)
    start = cell(page, "b2, empty")
    box = await page.locator("#first .board").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844  # without scrolling
    await start.click()
    await shows(page, "Your turn")  # after the first move, which was the tap
    await cell(page, "b2, X").wait_for()
    assert "/rooms/" in page.url
    assert "#" not in page.url
    over = page.get_by_role("button", name="Rematch")
    await page.locator(".marks .mark").nth(1).wait_for()  # the computer's first
    for turn in range(1, 5):
        await page.locator(".cell[aria-disabled=false]").first.click()
        # Marks that wait for their answer are not among these.
        answered = page.locator(".marks .mark").nth(2 * turn + 1)
        await expect(answered.or_(over).first).to_be_visible()
        if await over.is_visible():
            break
    await over.wait_for()


async def test_a_friend_comes_by_the_link(windows: Windows, server: ServerProcess) -> None:
    ada = await windows.visit(server, "/", **PHONE)
    await press(ada, "Get a link")
    await shows(ada, "Waiting for your opponent")
    link = await ada.get_by_label("Link to this room").input_value()
    assert link == ada.url
    await ada.get_by_role("img", name="QR code of the link").wait_for()
    await ada.get_by_text("only works on this computer").wait_for()
    bob = await windows.open(link)
    await press(bob, "Take seat O")
    await shows(ada, "Your turn")
    await expect(ada.get_by_label("Link to this room")).to_be_hidden()
    names = [await ada.locator(f".seat.{mark} .name").inner_text() for mark in "XO"]
    assert "guest" not in names
    assert names[0] != names[1]


@pytest.mark.heavy
async def test_the_link_is_copied_without_the_clipboard_api(
    windows: Windows, start_server: Any
) -> None:
    server = await start_server("--allow-host", "lan.example.org")
    page = await windows.open(f"http://lan.example.org:{server.port}/")
    assert await page.evaluate("navigator.clipboard === undefined")  # as on plain HTTP
    await press(page, "Get a link")
    await press(page, "Copy link")
    await page.get_by_role("button", name="Copied").wait_for()
    await expect(page.get_by_text("only works on this computer")).to_have_count(0)
    await press(page, "Chat")
    say = page.get_by_label("Say something")
    await say.focus()
    await page.keyboard.press("Control+V")
    await expect(say).to_have_value(page.url)


@pytest.mark.heavy
async def test_a_qr_code_of_each_size(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    text = "http://192.168.1.20:8765/rooms/amber-kite-417?" + "0123456789" * 20
    wanted = {14: 21, 15: 25, 42: 29, 62: 33, 84: 37, 106: 41, 122: 45, 152: 49, 180: 53, 213: 57}
    for length, size in wanted.items():
        rows = await imported(page, "model/qr.js", f"m.qrModules('{text[:length]}')")
        assert [len(row) for row in rows] == [size] * size
    assert await imported(page, "model/qr.js", f"m.qrModules('{text[:214]}')") is None
    rows = await imported(page, "model/qr.js", "m.qrModules('http://a.bc/r')")
    drawn = ["".join(".#"[dark] for dark in row) for row in rows]
    assert drawn == QR


@pytest.mark.heavy
async def test_the_boards_stand_in_one_row_that_scrolls(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    row, tiles = page.locator(".tiles-row"), page.locator(".tile-card")
    for width in (1920, 1280, 768, 700, 390, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        tops = await tiles.evaluate_all("all => all.map((each) => each.offsetTop)")
        assert (len(tops), len(set(tops))) == (13, 1)
        assert await row.evaluate("row => row.scrollWidth - row.clientWidth") > 0
        assert await page.evaluate("document.documentElement.scrollWidth") == width
    await page.get_by_role("radio", name="Tic-tac-toe").focus()
    await page.keyboard.press("ArrowLeft")  # around, to the last
    await expect(page.get_by_role("radio", name="Connect6")).to_be_checked()
    await expect(tiles.last).to_be_in_viewport(ratio=1)
    await expect(page.locator("#first .cell")).to_have_count(19 * 19)


@pytest.mark.heavy
async def test_the_head_has_the_whole_name_where_there_is_room(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    name = page.locator(".own summary bdi")
    await call_oneself(page, "Scarlet Hedgehog")
    cut = "name => name.scrollWidth > name.clientWidth"
    for width in (1280, 844, 768, 390):
        await page.set_viewport_size({"width": width, "height": 800})
        assert not await name.evaluate(cut), width
    await page.set_viewport_size({"width": 320, "height": 568})
    assert await name.evaluate(cut)
    await expect(name).to_have_attribute("title", "Scarlet Hedgehog")
    assert await page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.mark.heavy
async def test_names_are_generated_and_kept(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    field = (await own_panel(page)).get_by_label("Your name")
    first = await field.input_value()
    assert re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", first)
    await press(page, "Another name")
    await expect(field).not_to_have_value("")
    name = await field.input_value()
    await page.reload()
    await expect(page.locator(".own summary")).to_have_text(name)
    await own_panel(page)
    await expect(field).to_have_value(name)
    await field.fill("\u202eAda")
    await field.press("Enter")
    await page.get_by_role("alert").get_by_text("none of them invisible").wait_for()
    await field.fill(f"Ada {FAMILY}")
    await field.press("Enter")
    await page.keyboard.press("Escape")
    await expect(page.locator(".own summary")).to_be_focused()
    await press(page, "Get a link")
    await expect(page.locator(".seat.X .name")).to_have_text(f"Ada {FAMILY}")
    await call_oneself(page, "Ada L.")
    await expect(page.locator(".seat.X .name")).to_have_text("Ada L.")  # in the seat, too


@pytest.mark.heavy
async def test_a_name_for_a_room_as_people_type(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await form.get_by_label("Room", exact=True).fill("Größe & Café No. 1!")
    await form.get_by_text("Address: rooms/grosse-cafe-no-1").wait_for()
    await form.get_by_label("Room", exact=True).fill("!!!")
    await press(page, "Create room")
    await form.get_by_role("alert").get_by_text("needs a letter").wait_for()
    await form.get_by_label("Room", exact=True).fill("My Room")
    await press(page, "Create room")
    await page.wait_for_url("**/rooms/my-room")


@pytest.mark.heavy
async def test_a_board_too_small_for_its_rows(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await form.get_by_label("Board").select_option("Another board")
    await form.get_by_role("spinbutton", name="Columns").fill("5")
    await form.get_by_role("spinbutton", name="Rows").fill("4")
    await form.get_by_role("spinbutton", name="In a row").fill("6")
    await press(page, "Create room")
    trouble = page.locator(".trouble:visible")
    await expect(trouble).to_have_text([re.compile("longer than the board: 5 at most")])
    await form.get_by_role("spinbutton", name="In a row").fill("5")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")


@pytest.mark.heavy
async def test_a_room_that_is_there_already(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await (await dial(server, "vault")).join(settings={"password": "sesame"})
    for _ in range(2):
        await (await dial(server, "crowd")).join()
    page = await windows.visit(server, "/")
    form = await unfold(page)
    trouble = page.locator(".trouble:visible")
    for room, words in (("vault", "is locked"), ("crowd", "you can watch")):
        await form.get_by_label("Room", exact=True).fill(room)
        await press(page, "Create room")
        await expect(trouble).to_contain_text([re.compile(f"exists already.*{words}")])
    await trouble.get_by_role("link", name="To the room crowd").click()
    await page.wait_for_url("**/rooms/crowd")


@pytest.mark.heavy
async def test_the_form_follows_the_board_above_it(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_role("radio", name="Four by four").check()
    form = await unfold(page)
    board = form.get_by_label("Board").locator("option:checked")
    await expect(board).to_have_text("4\u00d74, four in a row")
    await form.get_by_label("Opening").select_option("pie")
    await press(page, "Create room")
    await page.get_by_text("4\u00d74, four in a row, pie rule: after the first move").wait_for()


@pytest.mark.heavy
async def test_rooms_in_order_and_by_filter(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    played = await dial(server, "aplayed"), await dial(server, "aplayed")
    for each in played:
        await each.join()
    waits = await dial(server, "waits")
    await waits.join(name="zoe", settings={"rules": {"columns": 4, "rows": 4, "in_a_row": 4}})
    left = await dial(server, "bleft")
    await left.join()
    lobby = await windows.visit(server, "/")
    await shows(lobby, "3 games")
    await left.socket.close()
    await lobby.reload()
    headings = lobby.locator("#rooms h3")
    await expect(headings).to_have_text(["waits", "aplayed"])  # and no deserted one
    await lobby.get_by_text("1 person is waiting for a game: Four by four.").wait_for()
    await press(lobby, "Show all 3 rooms")
    await expect(headings).to_have_text(["waits", "aplayed", "bleft"])
    await lobby.get_by_text("nobody there").wait_for()
    await lobby.get_by_label("Find a room by name or board").fill("4x4")
    await expect(headings).to_have_text(["waits"])
    await lobby.get_by_label("Find a room by name or board").fill("ZOE wai")
    await expect(headings).to_have_text(["waits"])
    await lobby.get_by_label("Find a room by name or board").fill("nothing")
    await lobby.get_by_text("No room matches.").wait_for()


@pytest.mark.heavy
async def test_a_long_list_is_read_on(
    windows: Windows, start_server: StartServer, dial: Dial
) -> None:
    server = await start_server(
        "--max-rooms-per-address", "300", "--max-connections-per-address", "300"
    )
    for number in range(203):
        await (await dial(server, f"room{number:03}")).join()
    lobby = await windows.visit(server, "/")
    await press(lobby, "200 of 203 rooms: show more")
    await expect(lobby.locator("#rooms h3")).to_have_count(200)
    await press(lobby, "200 of 203 rooms: show more")
    await expect(lobby.locator("#rooms h3")).to_have_count(203)
    await expect(lobby.locator("#more")).to_be_hidden()
    await lobby.get_by_label("Find a room by name or board").fill("room202")
    await expect(lobby.locator("#rooms h3")).to_have_text(["room202"])


@pytest.mark.heavy
async def test_the_list_stays_under_the_pointer(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    for name in ("one", "two"):
        for _ in range(2):
            await (await dial(server, name)).join()
    lobby = await windows.visit(server, "/")
    headings = lobby.locator("#rooms h3")
    await expect(headings).to_have_text(["one", "two"])
    await lobby.get_by_role("link", name="Watch one").hover()
    await (await dial(server, "first")).join(name="ada")
    await expect(headings).to_have_text(["one", "two", "first"])
    await lobby.mouse.move(1, 1)
    await expect(headings).to_have_text(["first", "one", "two"])


@pytest.mark.heavy
async def test_your_rooms_and_join(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "open")
    await ada.join(name="ada")
    page = await windows.visit(server, "/")
    await page.get_by_role("link", name="Join open").click()
    await moves_next(page, "X")
    await expect(page.locator(".seat.O .tags")).to_contain_text("you")
    assert page.url.endswith("/rooms/open")
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    yours = page.get_by_role("region", name="Your games")
    await yours.get_by_role("link", name="Go on open").click()
    await ada.play(0, 0)
    await shows(page, "Your turn")


@pytest.mark.heavy
async def test_the_skip_links(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await shows(page, "0 games")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the rooms")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#live")).to_be_focused()


@pytest.mark.heavy
async def test_addresses_with_a_slash_and_games_that_are_none(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/rooms/den/")
    await press(page, "Create room")
    await shows(page, "Waiting for your opponent")
    assert page.url.endswith("/rooms/den")
    await page.goto(f"{page.url}/games/abc/")
    await shows(page, "No such game, or it is not public.")
    assert "NaN" not in await page.content()
    assert page.url.endswith("/rooms/den/games/abc")
    await page.get_by_role("link", name="To the room den").click()
    await shows(page, "Waiting for your opponent")


@pytest.mark.heavy
async def test_an_address_without_a_page_says_what_was_meant(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/room/My_Den")
    await shows(page, "There is nothing here")
    await expect(page.get_by_role("link", name="the room my-den")).to_be_visible()
    await page.goto(page.url.replace("room/My_Den", "Lobby"))
    await expect(page.get_by_text("Perhaps you meant this")).to_be_hidden()
    await page.goto(page.url.replace("Lobby", "events/Friday Night"))
    await expect(page.get_by_role("link", name="the event friday-night")).to_be_visible()
    await page.get_by_role("link", name="All rooms").click()
    await shows(page, "0 games")
    assert all("404" in each for each in windows.complaints)
    windows.complaints.clear()


async def test_without_javascript_the_page_says_so(windows: Windows, server: ServerProcess) -> None:
    for path in ("/", "/rooms/den", "/rooms/den/games/1"):
        page = await windows.visit(server, path, java_script_enabled=False)
        words = page.locator("noscript p")
        await expect(words).to_have_count(4)  # one in each language
        await expect(words.first).to_be_visible()
        await expect(words.first).to_contain_text("This page needs JavaScript.")


@pytest.mark.heavy
async def test_two_ais_once_more(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    form = await unfold(page)
    await expect(form.get_by_label("Seconds between moves")).to_be_hidden()
    for mark in "XO":
        await form.get_by_label(f"{mark} is played by").select_option("rules")
    await form.get_by_label("Games").fill("2")
    await form.get_by_label("Seconds between moves").fill("0")
    await press(page, "Create room")
    await page.get_by_role("link", name="game 2").wait_for()
    first = page.url
    await page.get_by_text("Draw").first.wait_for()
    await press(page, "Once more")

    async def is_elsewhere() -> bool:
        return page.url != first and "/rooms/" in page.url

    await eventually(is_elsewhere)
    await page.get_by_role("link", name="game 2").wait_for()


@pytest.mark.heavy
async def test_notices_lie_over_the_page(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "over")
    await ada.join(name="ada")
    page = await windows.visit(server, "/rooms/over", viewport={"width": 640, "height": 400})
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await page.get_by_label("Moves and chat").scroll_into_view_if_needed()
    before = await page.locator("#board").bounding_box()
    await page.evaluate("dispatchEvent(new Event('offline'))")
    notice = page.get_by_role("button", name="Retry now")
    await expect(notice).to_be_in_viewport()
    assert await page.locator("#board").bounding_box() == before
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.context.set_offline(True)
    await page.get_by_role("alert").get_by_text("Connection lost").wait_for()
    await page.wait_for_function(
        """() => {
          const [notice, table] = [".notice", ".table"].map((each) =>
            document.querySelector(each).getBoundingClientRect());
          return notice.left >= table.right && notice.top > 0;
        }"""
    )
    await page.context.set_offline(False)
    windows.complaints.clear()  # of the connections that failed


@pytest.mark.heavy
@pytest.mark.parametrize("strength", ["beginner", "fair", "strong", "perfect"])
async def test_the_strengths(windows: Windows, server: ServerProcess, strength: str) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("strength").select_option(strength)
    await cell(page, "b2, empty").click()
    await page.locator("#board .marks .mark.O").wait_for()
    await expect(page.locator(".seat.O .name")).to_have_text(f"Computer ({strength.title()})")


@pytest.mark.heavy
async def test_the_computer_begins_where_o_is_chosen(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_label("Your side").select_option("O")
    await cell(page, "a1, empty").click()
    await expect(page.locator(".marks .mark.X")).to_have_count(1)
    await expect(page.locator(":focus")).to_have_count(0)  # it is for those who use the keys
    await shows(page, "Your turn")
    await page.get_by_role("link", name="Tic-tac-toe rooms").click()
    await expect(page.get_by_label("Your side")).to_have_value("O")  # as it was chosen


@pytest.mark.heavy
async def test_games_with_a_friend_or_the_computer_are_private(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await cell(page, "b2, empty").click()
    await shows(page, "Your turn")
    friend = await windows.visit(server, "/")
    await press(friend, "Get a link")
    await shows(friend, "Waiting for your opponent")
    here = server.address.replace("ws", "http", 1)
    assert (await (await page.request.get(f"{here}/api/rooms")).json())["rooms"] == []


@pytest.mark.heavy
async def test_a_code_that_nobody_uses_makes_nothing(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await (await dial(server, "4821")).join(name="ada")
    page = await windows.visit(server, "/join")
    code = page.get_by_label("Code")
    await expect(code).to_be_focused()
    await code.fill("4812")
    await page.keyboard.press("Enter")
    await page.get_by_text("Nobody uses this code").wait_for()
    await page.goto(f"{server.address.replace('ws', 'http', 1)}/events/4812")
    await page.get_by_text("Nobody uses this code").wait_for()
    await expect(page.get_by_role("button", name="Make the event")).to_have_count(0)
    await page.goto(f"{server.address.replace('ws', 'http', 1)}/join")
    await code.fill("4821")
    await page.keyboard.press("Enter")
    await press(page, "Take seat O")
    windows.complaints.clear()  # the questions for what is not there


@pytest.mark.parametrize("path", ["/", "/rooms/den"])
async def test_a_first_visit_is_light(windows: Windows, server: ServerProcess, path: str) -> None:
    loaded: list[float] = []
    page = await windows.open("about:blank")
    here = server.address.replace("ws", "http", 1)
    devtools = await page.context.new_cdp_session(page)
    devtools.on("Network.loadingFinished", lambda it: loaded.append(it["encodedDataLength"]))
    await devtools.send("Network.enable")
    before = await connections_opened(page, here)
    await page.goto(f"{here}{path}", wait_until="networkidle")
    await page.locator(".own summary").wait_for()
    await page.get_by_role("heading", level=1).wait_for()
    assert len(loaded) > 20
    assert sum(loaded) <= 70 * 1024, "with the heads of all answers"
    opened = await connections_opened(page, here) - before
    assert opened < len(loaded), "a connection serves many requests"


async def connections_opened(page: Page, here: str) -> float:
    """The connections that the server has seen since its start."""
    metrics = await (await page.request.get(f"{here}/metrics")).text()
    (line,) = re.findall(r"^ttt_connections_opened_total (.*)$", metrics, re.MULTILINE)
    return float(line)
