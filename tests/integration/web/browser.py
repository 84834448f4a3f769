"""A headless Chromium for tests of the page, and steps that several tests share."""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.integration.programs import PATIENCE_S, Server
from tests.integration.tools import IN_GATE, missing

if not IN_GATE:
    pytest.importorskip("playwright")

from playwright.async_api import (  # after the check that it is installed
    Browser,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    ViewportSize,
    WebSocketRoute,
    async_playwright,
    expect,
)

_PROGRAMS = "chromium-headless-shell", "chromium"
"""The first costs half of the CPU: it has no toolbar, no tabs and no menus."""

_UNUSED = (
    # As Playwright has it, whose own list this one replaces.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
    # Pages of the address bar, which a new window loads: 0.7 s of CPU.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
)

FLAGS = (
    f"--disable-features={','.join(_UNUSED)}",
    "--no-sandbox",  # root has none, and the pages are trusted
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP *.example.org 127.0.0.1",
)
AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
_VIOLATIONS = """axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => [id, html, failureSummary])))"""
"""Rule, element and words of each violation. All that is well would be half a megabyte."""

_BEYOND = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const names = all(".names bdi").filter((it) => it.textContent.length <= 12);
  const parts = all("html, .wall-table, .names, .boards, .boards p");
  const ends = all(".names li, .boards .card, .wall-news > *");
  const ofCode = (it) => parseFloat(getComputedStyle(it).fontSize);
  return [
    ...[...names, ...parts].filter((it) => it.scrollWidth > it.clientWidth + 1),
    ...parts.filter((it) => it.scrollHeight > it.clientHeight + 1),
    ...ends.filter((it) => it.getBoundingClientRect().bottom > innerHeight),
    ...all(".wall-code").filter((it) => it.offsetHeight > 1.5 * ofCode(it)),
  ].map((it) => `${it.outerHTML.slice(0, 60)} ${it.scrollHeight} ${it.clientHeight}`);
}"""
"""What is cut on a wall, or does not fit into the window."""

_SIZE: ViewportSize = {"width": 1280, "height": 720}
"""Of a window without options."""

expect.set_options(timeout=PATIENCE_S * 1000)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    installed = [path for program in _PROGRAMS if (path := shutil.which(program))]
    path = os.environ.get("TTT_CHROMIUM") or next(iter(installed), None)
    if path is None:
        missing("Chromium (set TTT_CHROMIUM to its path)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class Windows:
    """Browser windows that share no storage, and the errors and warnings of their consoles.

    A new one takes Chromium a second of CPU, most of it for processes of its own. So a window is
    emptied after a test, and a later one has it: with another port, which is another origin.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._opened: list[tuple[str, Page]] = []
        """With the options that a window keeps."""
        self._empty: defaultdict[str, list[Page]] = defaultdict(list)
        """Windows of earlier tests, by the same options."""
        self._routed: set[Page] = set()
        self.complaints: list[str] = []

    async def visit(self, server: Server, path: str = "/", **options: Any) -> Page:
        """Open a window at a path of the server."""
        return await self.open(f"{server.address.replace('ws', 'http', 1)}{path}", **options)

    async def open(
        self,
        address: str,
        *,
        viewport: ViewportSize = _SIZE,
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["no-preference", "reduce"] = "no-preference",
        **options: Any,
    ) -> Page:
        """Open a window, with options of a `BrowserContext`."""
        kind = repr(sorted(options.items()))
        page = self._empty[kind].pop() if self._empty[kind] else await self._new(options)
        self._opened.append((kind, page))
        await page.set_viewport_size(viewport)
        await page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        await page.goto(address)
        return page

    async def route(
        self, page: Page, path: str, handler: Callable[[WebSocketRoute], object]
    ) -> None:
        """Stand between a window and the WebSockets of a path. That cannot be taken back."""
        self._routed.add(page)
        await page.route_web_socket(path, handler)

    async def close(self) -> None:
        """Empty the windows that a later test may have, and close the others."""
        for kind, page in self._opened:
            is_alone = page.context.pages == [page]  # or the test closed it, or opened another
            if is_alone and page not in self._routed and await _is_emptied(page):
                self._empty[kind].append(page)
            else:
                await page.context.close()
        self._opened = []
        self._routed.clear()

    async def _new(self, options: dict[str, Any]) -> Page:
        context = await self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE_S * 1000)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("console", self._record)
        return await context.new_page()

    def _record(self, message: ConsoleMessage) -> None:
        # The browser reports breaches of the Content-Security-Policy as such messages too; that
        # plain HTTP in a network has no use for another header is no complaint about the page.
        is_of_plain_http = "Cross-Origin-Opener-Policy header has been ignored" in message.text
        if message.type in {"error", "warning"} and not is_of_plain_http:
            self.complaints.append(message.text)


async def _is_emptied(page: Page) -> bool:
    """Leave nothing of a test in its window, if that can be."""
    try:
        await page.evaluate("localStorage.clear(); sessionStorage.clear()")
        await page.goto("about:blank")
    except Error:  # an error page, or it goes elsewhere just now
        return False
    await page.unroute_all()
    await page.context.clear_cookies()
    return True


def cell(page: Page, name: str) -> Locator:
    """The cell with this accessible name: `b2, empty`."""
    return page.get_by_role("button", name=name, exact=True)


def press(page: Page, name: str) -> Awaitable[None]:
    return page.get_by_role("button", name=name, exact=True).click()


async def shows(page: Page, words: str) -> None:
    """Wait until the status of the page has exactly this text, but for the isolates of names."""
    pattern = re.compile("^" + "[\u2068\u2069]?".join(map(re.escape, ("", *words, ""))) + "$")
    await expect(page.get_by_role("status")).to_have_text(pattern)


async def moves_next(page: Page, mark: str) -> None:
    """Wait until the page shows that it is this side's turn."""
    await expect(page.locator(f".seat.{mark}.to-move")).to_have_count(1)


async def won_by(page: Page, mark: str) -> None:
    await expect(page.locator(f".seat.{mark}.won")).to_have_count(1)


async def press_key(button: Locator, key: str = "Enter") -> None:
    """Press a key on a button as soon as it hears: one that has just come is deaf for a while."""
    await expect(button).to_be_enabled()
    await button.press(key)


async def resign(page: Page) -> None:
    """Resign, and answer the question."""
    await press(page, "Resign")
    await page.locator(".bar").get_by_role("button", name="Resign").click()


async def unfold(page: Page) -> Locator:
    """Unfold the form of the front page that makes a room."""
    await page.get_by_text("Your own size, openings").click()
    return page.locator(".room-form")


async def choose_form(page: Page, form: str) -> None:
    """Answer how the players of a new event meet."""
    await page.locator(f"[name=form][value={form}]").check()


async def own_panel(page: Page) -> Locator:
    """Open what is yours, at the end of the head: the name, and how boards look."""
    await page.locator(".own summary").click()
    return page.locator(".own-panel")


async def call_oneself(page: Page, name: str) -> None:
    """Type a name into the panel, and close it."""
    panel = await own_panel(page)
    await panel.get_by_label("Your name").fill(name)
    await panel.get_by_label("Your name").press("Enter")
    await page.keyboard.press("Escape")


async def play(pages: dict[str, Page], spectators: tuple[Page, ...], *cells: str) -> None:
    """Play these cells, X and O in turn; every page shows each move."""
    for ply, name in enumerate(cells):
        mark = "XO"[ply % 2]
        await cell(pages[mark], f"{name}, empty").click()
        for page in (*pages.values(), *spectators):
            await cell(page, f"{name}, {mark}").wait_for()


async def assert_fits(page: Page) -> None:
    """Hold the wall of an event to the window: nothing is beyond it, or cut, but for long names."""
    for width, height in ((1920, 1080), (1280, 720)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(_BEYOND) == [], width


async def assert_accessible(page: Page) -> None:
    """Hold the page, as it is now, to the rules of accessibility; without axe-core end the test."""
    if not AXE.exists():
        missing("axe-core (npm ci in tests/integration)")
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text())
    assert await page.evaluate(_VIOLATIONS) == [], page.url
