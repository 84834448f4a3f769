"""The tab that tells an AI's reasons in words, and is loaded when it is asked for."""

from playwright.async_api import expect

from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, assert_accessible, cell, press

LOADED = "performance.getEntriesByType('resource').map(({ name }) => name).join()"


async def test_an_ai_tells_why(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada = await dial(server, "why")
    await ada.join(settings={"seats": {"X": "human", "O": {"strategy": "rules"}}})
    page = await windows.visit(server, "/rooms/why")
    await ada.play(0, 0)
    await cell(page, "b2, O").wait_for()
    assert "why" not in (await page.evaluate(LOADED)).replace("rooms/why", "")
    await press(page, "Why?")
    why = page.get_by_role("log", name="Why the computer played this")
    await expect(why.locator("p")).to_have_text(
        ["2. O b2: The centre lies on four lines, more than any other square."]
    )
    await ada.until_ply(2)
    await ada.play(2, 1)
    await expect(why.locator("p").last).to_have_text(
        "4. O c1: The other side would have won there, so it blocks."
    )
    await assert_accessible(page)
    await page.reload()  # from the record of the game
    await press(page, "Why?")
    await expect(why.locator("p")).to_have_count(2)
    await page.get_by_role("link", name="Lesson: rules of thumb").click()
    await page.get_by_role("heading", name="Which rule comes first?").wait_for()


async def test_people_have_no_such_tab(windows: Windows, server: ServerProcess, dial: Dial) -> None:
    ada, bob = await dial(server, "people"), await dial(server, "people")
    for each in (ada, bob):
        await each.join()
    page = await windows.visit(server, "/rooms/people")
    await page.get_by_role("button", name="Chat", exact=True).wait_for()
    await expect(page.get_by_role("button", name="Why?")).to_be_hidden()
