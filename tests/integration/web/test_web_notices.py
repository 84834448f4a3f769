"""Notices in a browser: the switch, a push of the server, and what its service worker shows."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Locator, expect

from tests.browser_keys import KeysOfBrowser
from tests.hooks import Hook
from tests.integration.programs import Dial, ServerProcess, StartServer, eventually
from tests.integration.web.browser import Windows, assert_accessible
from ttt_server.people.notices import watch

_ALLOW = """given => {
  const subscription = { ...given, toJSON: () => given, unsubscribe: async () => true };
  let current = null;
  Notification.requestPermission = async () => "granted";
  PushManager.prototype.subscribe = async () => (current = subscription);
  PushManager.prototype.getSubscription = async () => current;
}"""
"""In place of the browser's own service, which a headless one lacks, as it lacks permission."""

_SHOW = """() => {
  self.shown = [];
  self.registration.showNotification = async (text, { tag, data }) =>
    self.shown.push([text, tag, data]);
  self.clients.openWindow = async (address) => self.shown.push(address);
}"""
"""The same for what a notice looks like there."""


def _registrations(cdp: CDPSession) -> dict[str, str]:
    """The ids of service workers by their scopes, as they come to be known."""
    known: dict[str, str] = {}

    def updated(told: dict[str, Any]) -> None:
        known.update({each["scopeURL"]: each["registrationId"] for each in told["registrations"]})

    cdp.on("ServiceWorker.workerRegistrationUpdated", updated)
    return known


async def _quiet_hours(server: ServerProcess, panel: Locator, token: str) -> None:
    """Set them, and end them."""
    await panel.get_by_label("Zu bestimmten Stunden Ruhe halten").check()
    await expect(panel.get_by_role("alert")).to_be_visible()
    _, me = await server.ask("GET", "/api/me", token=token)
    assert me["settings"]["quiet"] == {
        "from": "22:00",
        "until": "07:00",
        "zone": "Europe/Berlin",
    }
    await panel.get_by_label("Zu bestimmten Stunden Ruhe halten").uncheck()

    async def is_loud() -> bool:
        _, me = await server.ask("GET", "/api/me", token=token)
        return "quiet" not in me["settings"]

    await eventually(is_loud)


async def test_a_browser_is_told(
    start_server: StartServer, windows: Windows, dial: Dial, tmp_path: Path
) -> None:
    async with Hook.serve() as service:
        server = await start_server(
            *("--push-services", service.origin),
            data=tmp_path / "data",
            before=f"import {watch.__name__} as at; at.NoticeWatch.absence_ms = 500",
        )
        _, made = await server.ask("POST", "/api/persons", {"name": "Ann"})
        page = await windows.visit(server, "/me", locale="de-DE", timezone_id="Europe/Berlin")
        cdp = await page.context.new_cdp_session(page)
        known = _registrations(cdp)
        await cdp.send("ServiceWorker.enable")
        await page.evaluate("token => localStorage.setItem('ttt / person', token)", made["token"])
        await page.reload()

        panel = page.get_by_role("region", name="Mitteilungen")
        switch = panel.get_by_label("In diesem Browser mitteilen")
        await expect(switch).to_be_enabled()
        await assert_accessible(page)
        keys = KeysOfBrowser()
        await page.evaluate(_ALLOW, keys.subscription(f"{service.origin}/ann"))
        await switch.check()
        await expect(switch).to_be_enabled()
        await expect(switch).to_be_checked()

        await _quiet_hours(server, panel, made["token"])
        ann, bob = await dial(server, "den"), await dial(server, "den")
        await ann.join(person=made["token"])
        await bob.join(name="Bob")
        await ann.play(0, 0)
        await bob.play(1, 4)
        await ann.socket.close()
        (pushed,) = await service.have(1)
        message = keys.read(pushed.body).decode()
        notice = json.loads(message)
        assert (notice["text"], notice["path"]) == ("Du bist am Zug gegen Bob.", "rooms/den")

        (worker,) = page.context.service_workers
        await worker.evaluate(_SHOW)
        base = server.address.replace("ws", "http", 1)
        push = {"origin": base, "registrationId": known[f"{base}/me"], "data": message}
        await cdp.send("ServiceWorker.deliverPushMessage", push)
        shown = [[notice["text"], notice["id"], "rooms/den"]]

        async def is_shown() -> bool:
            return bool(await worker.evaluate("self.shown") == shown)

        await eventually(is_shown)
        await worker.evaluate(f"show('{base}/rooms/den')")
        assert (await worker.evaluate("self.shown"))[1:] == [f"{base}/rooms/den"]

        await switch.uncheck()
        await expect(switch).to_be_enabled()
        await expect(switch).not_to_be_checked()
        _, kept = await server.ask("GET", "/api/me/export", token=made["token"])
        assert kept["browsers"] == []
        await page.evaluate(
            "navigator.serviceWorker.getRegistration('/me').then(it => it.unregister())"
        )
