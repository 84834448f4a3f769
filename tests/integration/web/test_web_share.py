"""A finished game in pictures: still, animated, by itself in the replay, and in another page."""

import asyncio
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.async_api import Page, expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import (
    Windows,
    assert_accessible,
    call_oneself,
    cell,
    resign,
    shows,
)
from tests.integration.web.test_web_replay import played

Image = pytest.importorskip("PIL.Image")


async def download(page: Page, button: str) -> tuple[str, bytes]:
    """The name and the bytes of the file that a button gives."""
    async with page.expect_download() as started:
        await page.get_by_role("button", name=button).click()
    file = await started.value
    return file.suggested_filename, await asyncio.to_thread(Path(await file.path()).read_bytes)


async def test_the_end_card_shares_a_game_in_pictures(
    windows: Windows, server: ServerProcess
) -> None:
    page = await windows.visit(server, "/")
    await call_oneself(page, "Ada")
    await cell(page, "b2, empty").click()
    await shows(page, "Your turn")
    await resign(page)
    await page.locator(".bar").get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog", name="Share this game")
    await dialog.get_by_role("img", name="Ada \u2013 Computer (Fair), ").wait_for()
    link = await dialog.get_by_role("textbox", name="Link to this game").input_value()
    assert link == f"{page.url}/games/1"
    await assert_accessible(page)
    room = page.url.rpartition("/")[2]

    name, made = await download(page, "Picture (PNG)")
    assert name == f"{room}-1.png"
    still = Image.open(BytesIO(made))
    assert still.format == "PNG"

    name, made = await download(page, "Drawing (SVG)")
    assert name == f"{room}-1.svg"
    drawing = ET.fromstring(made)  # noqa: S314 - our own page drew it
    assert still.size == tuple(2 * int(drawing.attrib[side]) for side in ("width", "height"))
    texts = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["Ada \u2013 Computer (Fair)", "Computer (Fair) won"]
    assert not [each for each in drawing.iter() if "class" in each.attrib]

    name, made = await download(page, "Animated picture (GIF)")
    assert name == f"{room}-1.gif"
    moving = Image.open(BytesIO(made))
    assert moving.format == "GIF"
    assert moving.info["loop"] == 0
    assert moving.n_frames == 1 + await page.locator(".line.played").count()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


async def test_an_animated_picture_has_the_colours_of_the_still_one(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    moves = (35, 37, 28, 38, 21, 14, 7, 39, 0, 36)
    four = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    await played(server, dial, "four", *moves, **four)
    page = await windows.visit(server, "/rooms/four/games/1")
    await page.get_by_role("button", name="Share").click()
    _, still = await download(page, "Picture (PNG)")
    _, moving = await download(page, "Animated picture (GIF)")
    animated = Image.open(BytesIO(moving))
    assert animated.n_frames == len(moves) + 1
    assert animated.info["duration"] == 700
    animated.seek(len(moves))
    assert animated.info["duration"] == 3000
    wanted = Image.open(BytesIO(still)).convert("RGB").resize(animated.size)
    end = animated.convert("RGB")
    cells = [(20 + 60 * x + 30, 54 + 60 * y + 6) for x in range(7) for y in range(6)]
    for at in cells:
        apart = [abs(a - b) for a, b in zip(end.getpixel(at), wanted.getpixel(at), strict=True)]
        assert max(apart) <= 12, at


async def test_a_replay_plays_by_itself(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await played(server, dial, "room42", 0, 4, 1, 8, 2)
    page = await windows.visit(server, "/rooms/room42/games/1")
    await shows(page, "X won")
    await page.get_by_role("button", name="Play", exact=True).click()
    await cell(page, "a1, empty").wait_for()
    await cell(page, "a1, X").wait_for()
    await page.get_by_role("button", name="Pause").click()
    at = await page.locator("#at").inner_text()
    await page.get_by_role("button", name="Play", exact=True).click()
    await shows(page, "X won")
    await page.get_by_role("button", name="Play", exact=True).wait_for()
    assert at != "5 / 5"
    assert page.url.endswith("#ply=5")


async def test_a_board_for_another_page(windows: Windows, server: ServerProcess) -> None:
    page = await windows.visit(server, "/")
    await page.get_by_role("button", name="Get a link").click()
    await page.get_by_text("Embed the board").click()
    words = await page.get_by_role("textbox", name="Embed the board").input_value()
    assert f'src="{page.url}?embed"' in words
    await assert_accessible(page)


async def test_the_picture_of_a_large_board_by_night(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    rules = {"columns": 19, "rows": 19, "in_a_row": 5}
    await played(server, dial, "large", 0, 19, 1, 20, 2, 21, 3, 22, 4, **rules)
    page = await windows.visit(server, "/rooms/large/games/1", color_scheme="dark")
    await page.get_by_role("button", name="Share").click()
    _, moving = await download(page, "Animated picture (GIF)")
    animated = Image.open(BytesIO(moving))
    assert animated.n_frames == 10
    assert len(moving) < 100_000
    assert animated.convert("RGB").getpixel((3, 3)) < (64, 64, 64)  # night


async def test_the_picture_of_ultimate_has_its_large_marks(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    rules = {"columns": 9, "rows": 9, "in_a_row": 3, "variant": "ultimate"}
    await played(server, dial, "nine", 1, 3, 2, 6, 0, **rules)
    page = await windows.visit(server, "/rooms/nine/games/1")
    await page.get_by_role("button", name="Share").click()
    _, made = await download(page, "Drawing (SVG)")
    paths = [each.attrib.get("d") for each in ET.fromstring(made).iter()]  # noqa: S314 - our own
    assert paths.count("M6 6 L24 24 M24 6 L6 24") == 1
    windows.complaints.clear()  # an analysis may take too long
