"""A finished game, step by step, and the values of its moves."""

import re

from playwright.async_api import expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, cell, moves_next, press, shows
from tests.integration.web.test_web_board import SIZES

WON_BY_NAME = re.compile(r"^.[A-Z][a-z]+ [A-Z][a-z]+. won$")
"""Isolated from what is around it."""


async def played(
    server: ServerProcess, dial: Dial, room: str, *cells: int, **rules: object
) -> None:
    """Play a game to its end."""
    ada, bob = await dial(server, room), await dial(server, room)
    for each in (ada, bob):
        await each.join(settings={"rules": rules})
    for ply, number in enumerate(cells):
        await (ada, bob)[ply % 2].play(ply, number)
        await (bob, ada)[ply % 2].until_ply(ply + 1)


async def test_step_by_step(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    await played(server, dial, "room42", 0, 4, 1, 8, 2)
    page = await windows.visit(server, "/rooms/room42")
    await page.get_by_role("link", name="game 1").click()
    await shows(page, "X won")
    await cell(page, "c1, X").wait_for()

    await page.keyboard.press("ArrowLeft")
    await shows(page, "X to move")
    await cell(page, "c1, empty").wait_for()
    assert page.url.endswith("/rooms/room42/games/1#ply=4")
    await page.keyboard.press("Home")
    await cell(page, "a1, empty").wait_for()
    await page.get_by_role("slider").fill("2")
    await cell(page, "b2, O").wait_for()
    await page.get_by_role("button", name="5. X c1").click()
    await shows(page, "X won")

    await page.goto(page.url.partition("#")[0] + "#ply=1")
    await shows(page, "O to move")
    linked = await windows.visit(server, "/rooms/room42/games/1#ply=3")
    await cell(linked, "b1, X").wait_for()
    await cell(linked, "c3, empty").wait_for()
    for width, height in SIZES:
        await linked.set_viewport_size({"width": width, "height": height})
        await expect(linked.get_by_role("button", name="Forward")).to_be_in_viewport()
        first, last = [
            await linked.get_by_role("button", name=name, exact=True).bounding_box()
            for name in ("First", "Last")
        ]
        assert first is not None
        assert last is not None
        assert first["y"] == last["y"]


async def test_the_move_that_threw_the_game_away(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await played(server, dial, "room42", 0, 4, 1, 8, 2)
    page = await windows.visit(server, "/rooms/room42/games/1#ply=3")
    await page.get_by_text("O threw it away with move 4, c3.").wait_for()
    await expect(page.locator(".thrown")).to_have_count(1)
    await expect(page.locator(".thrown")).to_contain_text("4. O c3")
    await page.get_by_text("draws: c1 · loses: a2, c2, a3, b3, c3").wait_for()
    await expect(page.locator(".notes .note")).to_have_count(6)
    await page.get_by_label("Show move values").uncheck()
    await expect(page.locator(".notes .note")).to_have_count(0)


async def test_a_board_that_is_solved_near_its_end(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    # O does not see the line on the right of a 4x4 board.
    await played(server, dial, "wide", 0, 5, 3, 6, 7, 4, 15, 1, 11, columns=4, rows=4, in_a_row=4)
    page = await windows.visit(server, "/rooms/wide/games/1")
    await shows(page, "X won")
    await expect(page.locator(".mistake").last).to_contain_text("8. O b1")


async def test_a_game_that_does_not_exist(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/rooms/room42/games/7")
    await shows(page, "No such game, or it is not public.")
    await expect(page.locator(".facts")).to_have_text("room42")
    assert all("404" in each for each in windows.complaints)
    windows.complaints.clear()


async def test_players_replay_the_games_of_their_private_room(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "vault")
    await ada.join(settings={"password": "sesame", "spectators": False})
    page = await windows.visit(server, "/rooms/vault")
    await page.get_by_label("Password").fill("sesame")
    await press(page, "Enter")
    await press(page, "Take seat X")
    await page.get_by_role("alert").get_by_text("That seat is taken.").wait_for()
    await press(page, "Take seat O")
    await moves_next(page, "X")
    await ada.send("resign", game=1)
    await page.get_by_role("link", name="game 1").click()
    await expect(page.get_by_role("status")).to_have_text(WON_BY_NAME)
    stranger = await windows.open(page.url)
    await shows(stranger, "No such game, or it is not public.")
    assert all("403" in each for each in windows.complaints)
    windows.complaints.clear()


async def test_a_game_without_a_move(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada, bob = await dial(server, "room42"), await dial(server, "room42")
    for each in (ada, bob):
        await each.join()
    await ada.send("resign", game=1)
    await bob.until_over()
    page = await windows.visit(server, "/rooms/room42/games/1")
    await shows(page, "O won")
    await page.get_by_text("No move was made.").wait_for()


async def test_an_analysis_that_is_not_available(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await played(server, dial, "room42", 0, 4, 1, 8, 2)
    page = await windows.visit(server)
    await page.route("**/games/1?analysis=1", lambda route: route.fulfill(status=503))
    await page.goto(page.url + "rooms/room42/games/1")
    await page.get_by_text("The analysis is not available just now.").wait_for()
    windows.complaints.clear()


async def test_what_a_bot_told_of_its_move_stands_beside_the_board(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    bot, bob = await dial(server, "bots"), await dial(server, "bots")
    await bot.join(name="deep", bot=True)
    await bob.join(name="bob")
    log = {
        "reason": "centre",
        "values": {"4": 0.5, "0": -1},
        "time_ms": 12.5,
        "stderr": "depth <7>",
    }
    await bot.send("play", game=1, ply=0, cell=4, log=log)
    await bob.until_ply(1)
    await bot.send("resign", game=1, detail="crashed: exit status 1")
    await bob.until_over()
    page = await windows.visit(server, "/rooms/bots/games/1#ply=1")
    await page.get_by_text("deep (bot)").wait_for()
    beside = page.locator("#bot-log")
    await expect(beside).to_contain_text("centre")
    await expect(beside).to_contain_text("12.5 ms")
    await expect(beside).to_contain_text("b2 0.5, a1 -1")
    await expect(beside.locator("pre")).to_have_text("depth <7>")
    await page.get_by_text("by forfeit: crashed: exit status 1").wait_for()
    await page.keyboard.press("Home")
    await expect(beside).to_be_hidden()


async def test_the_verdict_says_what_is_not_known(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    moves = (35, 37, 28, 38, 21, 14, 7, 39, 0, 36)
    settings = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    await played(server, dial, "four", *moves, **settings)
    # How far a search gets depends on the machine. This is what one found.
    seventh = {"7": -1, "30": -1, "36": None, "39": None, "40": None}
    known: dict[int, dict[str, int | None]] = {6: seventh, 7: {"36": 1, "39": 1}}
    known |= {8: {"0": -1, "36": -1}, 9: {"36": 1, "40": 1}}
    weighed = [
        {
            "ply": ply,
            "seat": "XO"[ply % 2],
            "cell": moved,
            "values": known.get(ply, {}),
            "worth": known.get(ply, {}).get(str(moved)),
            "mistake": False,
        }
        for ply, moved in enumerate(moves)
    ]
    page = await windows.visit(server)
    analysis = {"analysis": weighed, "thrown_away_at": None}
    await page.route("**/games/1?analysis=1", lambda route: route.fulfill(json=analysis))
    await page.goto(page.url + "rooms/four/games/1#ply=6")
    await page.get_by_text(
        "No move is known to have given anything away. Move 7: a2 loses; b6, e6, f6 not known."
        " Moves before 7 could not be analysed."
    ).wait_for()
    await page.get_by_text("loses: a2, c5 · not known: b6, e6, f6").wait_for()


async def test_a_game_that_spectators_see_late_is_offered_once_it_can_be_read(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    ada = await dial(server, "late")
    await ada.join(name="ada", settings={"delay_s": 3})
    page = await windows.visit(server, "/rooms/late")
    await press(page, "Take seat O")
    await moves_next(page, "X")
    watcher = await windows.visit(server, "/rooms/late")
    await expect(watcher.locator("#facts")).to_contain_text("3 s behind live")
    await expect(page.locator("#facts")).not_to_contain_text("late")
    await ada.send("resign", game=1)
    games = page.locator(".games")
    later = "Game 1 can be replayed once spectators have seen its end."
    await expect(games).to_have_text(later)
    await expect(games.get_by_role("link")).to_have_count(0)
    await page.reload()
    await expect(games).to_have_text(later)
    link = games.get_by_role("link", name="game 1")
    await link.wait_for()
    await expect(games).to_have_text("Replay game 1")
    await page.reload()
    await link.click()
    await expect(page.get_by_role("status")).to_have_text(WON_BY_NAME)
