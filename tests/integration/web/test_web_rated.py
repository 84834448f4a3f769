"""A challenge on the page, a rated game between two persons, and the ladder after it."""

from playwright.async_api import Page, expect

from tests.integration.programs import ServerProcess
from tests.integration.test_persons import keep
from tests.integration.web.browser import Windows, assert_accessible, play, resign


async def page_of(windows: Windows, server: ServerProcess, token: str, path: str = "/me") -> Page:
    """A page in a browser that is this person's."""
    _, linked = await server.ask("POST", "/api/me/link", token=token)
    return await windows.visit(server, f"{path}#code={linked['code']}")


async def begin_what_is_agreed(page: Page) -> None:
    """Go from one's own page into the game of a challenge that was accepted."""
    agreed = page.locator(".me-head + .challenges li")
    await expect(agreed).to_contain_text("accepted")
    await page.get_by_text("1 game waits for you").wait_for()
    await expect(page.get_by_role("heading", name="No games yet")).to_be_hidden()
    await assert_accessible(page)
    await agreed.get_by_role("link", name="Play").click()


async def has_games_instead_of_challenges(page: Page, games: int) -> None:
    await expect(page.locator(".games.finished .game-lines li")).to_have_count(games)
    await page.get_by_role("heading", name="Challenges").wait_for()
    await page.get_by_text("No game waits for you").wait_for()
    await expect(page.locator(".challenges li")).to_have_count(0)


async def test_from_a_challenge_to_the_ladder(windows: Windows, server: ServerProcess) -> None:
    (_, ann), (_, bob) = await keep(server, "Ann"), await keep(server, "Bob")
    one = await page_of(windows, server, ann)
    await one.get_by_label("Their name").fill("bob")
    send = one.get_by_role("button", name="Challenge", exact=True)
    await one.get_by_label("Rated: counts").check()
    await send.click()
    said = one.locator("[aria-labelledby=challenges-title] [role=status]")
    await expect(said).to_have_text("A rated game needs a clock, or days a move.")
    await one.get_by_label("Time").select_option(label="3 min, 2 s a move")
    await send.click()
    await expect(one.locator(".challenges li")).to_contain_text("You challenged")
    await assert_accessible(one)

    other = await page_of(windows, server, bob)
    # What waits for an answer stands before the games.
    await expect(other.locator(".me-head + .challenges li")).to_contain_text("challenges you")
    await assert_accessible(other)
    await other.get_by_role("button", name="Accept").click()
    await expect(other.locator(".seat.O .rating")).to_have_text("1500?")
    room = other.url
    await one.reload()
    await begin_what_is_agreed(one)
    await expect(one.locator(".seat.O .rating")).to_have_text("1500?")
    assert one.url == room
    await expect(one.get_by_role("note")).to_have_text("Rated game: no hints, no takebacks")
    await expect(one.get_by_role("button", name="Take back")).to_have_attribute(
        "aria-disabled", "true"
    )
    guest = await windows.visit(server, f"/rooms/{room.rpartition('/')[2]}#seat")
    await expect(guest.get_by_role("heading", name="This game is rated")).to_be_visible()
    await play({"X": one, "O": other}, (), "a1", "b1", "a2", "b2", "a3")
    await expect(one.locator(".seat.X .rating")).to_have_text("1662? +162")
    await expect(other.locator(".seat.O .rating")).to_have_text("1338? \N{MINUS SIGN}162")
    await assert_accessible(one)
    await one.get_by_role("button", name="Rematch").click()
    await (
        other.get_by_role("button", name="Rematch")
        .or_(other.get_by_role("button", name="Accept"))
        .first.click()
    )
    await resign(other)
    await expect(one.get_by_role("note")).to_have_text("Not rated: resigned before the third move")

    here = server.address.replace("ws", "http", 1)
    await one.goto(f"{here}/me")
    await has_games_instead_of_challenges(one, 2)
    await one.goto(f"{here}/people/Bob")
    await one.get_by_role("link", name="Challenge").click()
    await expect(one.get_by_label("Their name")).to_have_value("Bob")
    ladder = await windows.visit(server, "/ladder", color_scheme="dark")
    rows = ladder.locator("tbody tr")
    await expect(rows).to_have_count(2)
    await expect(rows.first.get_by_role("link", name="Ann")).to_be_visible()
    await expect(rows.first.locator(".points")).to_have_text("1662?")
    await assert_accessible(ladder)
    await ladder.get_by_label("Pace").select_option("days")
    await expect(ladder.locator("#note")).to_contain_text("Nobody has a rating here yet")
    assert await ladder.locator("meta[name=robots]").get_attribute("content") == "noindex"
