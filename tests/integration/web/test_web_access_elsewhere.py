"""Replay, events and the page of a mistyped address for a screen reader, in every language."""

from tests.integration.attendees import Attendee, Visitor
from tests.integration.programs import Dial, ServerProcess
from tests.integration.web.browser import Windows, assert_accessible
from tests.integration.web.test_web_replay import played

PLACES = {
    "/rooms/old/games/1": ".values, .moves, #board svg",
    "/explore": ".notes .note",
    "/events/club": ".standings",
    "/events/club/wall": ".qr",
    "/room/My_Den": "main",
}


async def test_no_rule_of_accessibility_is_broken_elsewhere(
    windows: Windows, server: ServerProcess, dial: Dial
) -> None:
    await played(server, dial, "old", 0, 4, 1, 8, 2)
    host = Visitor(server, "club")
    await host.come("create", settings={"form": "swiss"})
    pupils = [Attendee(server, "club", name) for name in ("Ada", "Bob")]
    for pupil in pupils:
        await pupil.enter()
    for number, locale in enumerate(("en", "de", "fr", "es")):
        scheme = "dark" if number >= 2 else "light"
        page = await windows.visit(
            server, "/", locale=locale, color_scheme=scheme, reduced_motion="reduce"
        )
        # Each place in two languages, by day in the one and by night in the other.
        for path, shown in list(PLACES.items())[number % 2 :: 2]:
            await page.goto(server.address.replace("ws", "http", 1) + path)
            await page.locator(shown).first.wait_for()
            await assert_accessible(page)
    for visitor in (host, *pupils):
        await visitor.go()
    windows.complaints.clear()  # of the 404
