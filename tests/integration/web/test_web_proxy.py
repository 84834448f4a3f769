"""The page behind Debian's nginx: under a path prefix and TLS, as docs/operating.md shows it."""

import asyncio
import re
import ssl
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import expect

from tests.integration.nginx import nginx
from tests.integration.programs import ServerProcess, StartServer
from tests.integration.tools import found
from tests.integration.web.browser import Windows, cell, press, resign, shows, unfold
from tests.integration.web.test_web_replay import WON_BY_NAME
from tests.postgres import free_port

PAGE = Path(__file__).parents[3] / "docs/operating.md"
BLOCK = """
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        {location}
"""


def location_of_the_readme(port: int) -> str:
    """The `location` blocks of that page, with the port of this server."""
    block = re.compile(r"^ +location = .*\n +location /ttt/ \{\n(?: .*\n)+? +\}$", re.MULTILINE)
    shown = block.search(PAGE.read_text())
    assert shown is not None
    return shown[0].replace("127.0.0.1:8765", f"127.0.0.1:{port}")


async def run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command, stderr=DEVNULL)
    assert await process.wait() == 0


@asynccontextmanager
async def proxy(folder: Path, server: ServerProcess) -> AsyncIterator[str]:
    """Run a proxy in front of the server, and give its address."""
    subject = ("-subj", "/CN=play.example.org")
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    await run(found("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, *files)
    port = free_port()
    block = BLOCK.format(folder=folder, port=port, location=location_of_the_readme(server.port))
    async with nginx(folder, port, block):
        yield f"https://play.example.org:{port}/ttt/"


def status_of(url: str) -> int:
    """The status of a plain GET to this machine, whatever the name and its certificate."""
    parts = urlsplit(url)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with closing(HTTPSConnection("127.0.0.1", parts.port, context=context)) as connection:
        connection.request("GET", parts.path, headers={"Host": parts.netloc})
        with connection.getresponse() as answer:
            return answer.status


async def test_under_a_prefix_and_tls(
    windows: Windows, start_server: StartServer, tmp_path: Path
) -> None:
    server = await start_server("--trusted-proxies", "127.0.0.1")
    async with proxy(tmp_path, server) as address:
        ada = await windows.open(address, ignore_https_errors=True)
        await shows(ada, "0 games")
        form = await unfold(ada)
        await form.get_by_label("Room", exact=True).fill("proxied")
        assert await asyncio.to_thread(status_of, f"{address}metrics") == 404
        await press(ada, "Create room")
        await shows(ada, "Waiting for your opponent")
        assert ada.url == f"{address}rooms/proxied"
        bob = await windows.open(f"{address}rooms/proxied", ignore_https_errors=True)
        await press(bob, "Take seat O")
        await cell(ada, "b2, empty").click()
        await cell(bob, "b2, X").wait_for()
        await resign(bob)
        await ada.get_by_role("link", name="game 1").click()
        await expect(ada.get_by_role("status")).to_have_text(WON_BY_NAME)
        await expect(ada.get_by_role("link", name="proxied")).to_have_attribute(
            "href", f"{address}rooms/proxied"
        )
        await ada.get_by_role("link", name="Tic-tac-toe rooms").click()
        await shows(ada, "0 games")
        for page in (ada, bob):
            await page.close()
