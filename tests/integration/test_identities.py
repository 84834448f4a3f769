"""People whom a school's proxy knows: nginx with its own passwords in front of a real server."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.asyncio.client import connect

from tests.integration.nginx import nginx
from tests.integration.programs import (
    PATIENCE_S,
    Dial,
    Message,
    Server,
    ServerProcess,
    StartServer,
)
from tests.postgres import free_port

PROXY = "127.0.0.2"
"""From where the proxy asks the server; the tests themselves ask from another address."""

BLOCK = """
        listen 127.0.0.1:{port};
        auth_basic "school";
        auth_basic_user_file {folder}/passwords;
        location / {{
            proxy_pass http://127.0.0.1:{server};
            proxy_bind {proxy};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection "upgrade";
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header Remote-User $remote_user;
        }}
"""


class School(Server):
    """The proxy, and those who show it their passwords."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port

    @staticmethod
    def shown(user: str) -> dict[str, str]:
        return {"Authorization": f"Basic {b64encode(f'{user}:{user}'.encode()).decode()}"}

    async def keep(self, user: str, **more: str) -> tuple[int, Message]:
        headers = self.shown(user) | more
        return await self.ask("POST", "/api/persons", {}, headers=headers)


@asynccontextmanager
async def school(folder: Path, server: ServerProcess, *users: str) -> AsyncIterator[School]:
    port = free_port()
    (folder / "passwords").write_text("".join(f"{user}:{{PLAIN}}{user}\n" for user in users))
    block = BLOCK.format(folder=folder, port=port, server=server.port, proxy=PROXY)
    async with nginx(folder, port, block):
        yield School(port)


async def false_identities(server: ServerProcess) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    async with asyncio.timeout(PATIENCE_S):
        text = (await reader.read()).decode()
    writer.close()
    (line,) = [line for line in text.splitlines() if line.startswith("ttt_false_identities_total")]
    return int(float(line.split()[1]))


async def test_a_school_and_the_rest(start_server: StartServer, dial: Dial, tmp_path: Path) -> None:
    server = await start_server(
        *("--trusted-proxies", PROXY, "--identity-header", "Remote-User", "--guests", "no"),
        data=tmp_path / "data",
    )
    async with school(tmp_path, server, "ada", "bob@example.org") as proxy:
        status, ada = await proxy.keep("ada")
        assert (status, ada.get("words")) == (200, None)
        assert ada["person"]["name"] == "ada"
        assert (await proxy.keep("ada"))[1]["person"] == ada["person"], "the same each time"
        _, bob = await proxy.keep("bob@example.org", **{"Remote-User": "ada"})
        assert bob["person"]["name"] == "bob", "the proxy's word counts, and not the client's"

        url = f"ws://127.0.0.1:{proxy.port}/ws/rooms/den"
        async with connect(url, additional_headers=School.shown("ada")) as socket:
            await socket.send(json.dumps({"type": "join", "name": "whoever"}))
            welcome = json.loads(await socket.recv())
        seat = welcome["room"]["seats"]["X"]
        assert (seat["name"], seat["person"]) == ("ada", ada["person"]["id"])

        assert await false_identities(server) == 0
        headers = {"Remote-User": "ada"}
        status, _ = await server.ask("GET", "/api/me", headers=headers)
        assert status == 401, "the header from outside"
        status, _ = await server.ask("POST", "/api/persons", {"name": "Eve"}, headers=headers)
        assert status == 403
        assert await false_identities(server) == 2
        eve = await dial(server, "den")
        refused = await eve.refusal("join", name="eve")
        assert refused["code"] == "not_allowed"
        assert refused["reason"] == "this server is for people it knows: sign in first"
        known = await dial(server, "den")
        told = await known.join(person=bob["token"])
        assert told["room"]["seats"]["O"]["person"] == bob["person"]["id"]
