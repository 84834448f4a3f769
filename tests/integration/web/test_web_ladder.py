"""The page of the ladder, from the games of `ttt-server ladder` to the browser."""

from http import HTTPStatus
from pathlib import Path

from playwright.async_api import expect

from tests.integration.programs import StartServer, run_server
from tests.integration.web.browser import Windows, assert_accessible


async def test_the_lobby_links_the_page_which_shows_what_the_ladder_wrote(
    start_server: StartServer, windows: Windows, tmp_path: Path
) -> None:
    programs, standings = tmp_path / "programs", tmp_path / "ladder.json"
    programs.write_text("random\nrules\n")
    files = "--programs", str(programs), "--save", str(tmp_path / "games.jsonl")
    status, _, _ = await run_server("ladder", *files, "-n", "20", "--standings", str(standings))
    assert status == 0
    server = await start_server("--ladder", str(standings))
    page = await windows.visit(server, "/", locale="de", color_scheme="dark")
    await page.get_by_role("link", name="Die Rangliste").click()
    row = page.locator("tbody tr").first
    assert (await row.inner_text()).split()[:2] == ["1", "rules"]
    assert await row.get_by_role("img").get_attribute("aria-label")
    assert await page.title() == "Die Rangliste · Tic-Tac-Toe-Räume"
    await expect(page.locator("#note")).to_have_text("3\u00d73, drei in einer Reihe")
    await assert_accessible(page)
    for width in (768, 320):
        await page.set_viewport_size({"width": width, "height": 568})
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_where_nobody_keeps_a_name_there_is_no_ladder_without_the_option(
    start_server: StartServer,
) -> None:
    server = await start_server("--persons", "no")
    for path in ("/ladder", "/api/ladder"):
        status, _ = await server.get(path)
        assert status == HTTPStatus.NOT_FOUND
