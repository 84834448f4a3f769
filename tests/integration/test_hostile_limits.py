"""Too many connections, commands, rooms, guesses and files: refused, and everyone else plays on."""

import asyncio
import json
import resource
import sys
import time
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidMessage, InvalidStatus

from tests.integration.hostile import TEXT, Canary, RawClient, close_code, frame, messages, unharmed
from tests.integration.programs import PATIENCE_S, Dial, ServerProcess, StartServer

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


async def status_of(canary: Canary, server: ServerProcess, **options: Any) -> int:
    try:
        socket: ClientConnection = (await canary.visit(server, "den", **options)).socket
    except InvalidStatus as refused:
        return refused.response.status_code
    assert socket.response is not None
    return socket.response.status_code


async def test_two_hundred_floods_of_commands(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--max-connections-per-address", "300")
    async with unharmed(server, dial) as canary:
        floods = [await RawClient.connect(server) for _ in range(200)]
        for number, peer in enumerate(floods):
            assert await peer.upgrade(server, f"flood{number % 20}") == 101
        for peer in floods:
            peer.send(frame(TEXT, b'{"type":"hint","id":"h"}') * 1000)
        await canary.sings_on()
        for said in await asyncio.gather(*(peer.rest() for peer in floods)):
            codes = [message.get("code") for message in messages(said)]
            assert codes[:30] == ["not_joined"] * 30  # so many, whatever the address did
            assert "rate_limited" in codes
            assert codes[-1] == 1008
            assert close_code(said) == 1008


async def test_an_address_that_floods_silences_no_calm_player_there(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--commands-per-10s-per-address", "10")
    async with unharmed(server, dial) as canary:
        flood = await canary.visit(server, "flood")
        await flood.join()
        for _ in range(60):
            await flood.send("hint")
        codes = [(await flood.until("refused"))["code"] for _ in range(60)]
        assert codes[:20] == ["not_allowed"] * 20
        assert "rate_limited" in codes
        await canary.sings_on()


async def test_wrong_tokens_run_into_a_budget_and_right_ones_do_not(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--guesses-per-minute-per-address", "3")
    async with unharmed(server, dial) as canary:
        ada, other = await canary.visit(server, "den"), await canary.visit(server, "lair")
        token = (await ada.join(name="ada"))["you"]["token"]
        elsewhere = (await other.join(name="ada"))["you"]["token"]
        answers = []
        for wrong in ("forged", token[:-1] + "_", elsewhere, "x", token + "x"):
            guesser = await canary.visit(server, "den")
            refused = await guesser.refusal("join", token=wrong)
            answers.append((refused["code"], refused["reason"]))
        assert [code for code, _ in answers] == ["bad_token"] * 3 + ["rate_limited"] * 2
        assert len(set(answers)) == 2
        again = await canary.visit(server, "den")
        assert (await again.join(token=token))["you"]["seat"] == "X"


async def test_wrong_passwords_run_into_the_same(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--guesses-per-minute-per-address", "2")
    async with unharmed(server, dial) as canary:
        ada = await canary.visit(server, "vault")
        token = (await ada.join(settings={"password": "sesame"}))["you"]["token"]
        bob = await canary.visit(server, "vault")
        await bob.join(password="sesame", role="spectator")
        eve = await canary.visit(server, "vault")
        codes = [(await eve.refusal("join", password=f"p{n}"))["code"] for n in range(3)]
        assert codes == ["wrong_password", "wrong_password", "rate_limited"]
        assert (await eve.refusal("join"))["code"] == "wrong_password"
        assert (await eve.refusal("join", password="sesame"))["code"] == "rate_limited"
        again = await canary.visit(server, "vault")
        await again.join(token=token)


async def test_a_right_password_is_no_guess(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--guesses-per-minute-per-address", "2")
    for _ in range(2):
        await (await dial(server, "full")).join(settings={"password": "sesame"}, password="sesame")
    eve = await dial(server, "full")
    codes = [(await eve.refusal("join", password="sesame"))["code"] for _ in range(4)]
    assert codes == ["room_full"] * 4


async def test_too_many_connects_of_one_address(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--connects-per-10s-per-address", "20")
    async with unharmed(server, dial):
        refused: list[list[bytes]] = [[b"503"], []]  # one that is unheard may miss the words
        statuses: list[list[bytes]] = []
        began = time.monotonic()
        while len(statuses) < 300 and not (statuses and statuses[-1] in refused):
            peer = await RawClient.connect(server)
            peer.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            statuses.append((await peer.rest()).split(b" ")[1:2])
        assert statuses[:10] == [[b"200"]] * 10
        assert statuses[-1] in refused
        assert len(statuses) <= 21 + 2 * (time.monotonic() - began), "two a second come to be free"


async def test_whoever_a_trusted_proxy_speaks_for_counts_alone(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server(
        "--trusted-proxies", "127.0.0.1", "--max-connections-per-address", "2"
    )
    async with unharmed(server, dial) as canary:
        ways = ["198.51.100.1", "6.6.6.6, 198.51.100.1", "[2001:db8::1]:99", "2001:db8::2"]
        for way in ways:
            assert (
                await status_of(canary, server, additional_headers={"X-Forwarded-For": way}) == 101
            )
        for way in ("198.51.100.1", "198.51.100.2, 198.51.100.1", "2001:db8::3"):
            assert (
                await status_of(canary, server, additional_headers={"X-Forwarded-For": way}) == 503
            )
        garbage = {"X-Forwarded-For": "\"'; DROP TABLE, 198.51.100.256"}
        assert await status_of(canary, server, additional_headers=garbage) == 503


async def test_nobody_else_is_believed(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--max-connections-per-address", "2")
    async with unharmed(server, dial) as canary:
        forged = {"X-Forwarded-For": "198.51.100.1"}
        assert await status_of(canary, server, additional_headers=forged) == 503


PAGES: list[tuple[str, str | None, int]] = [
    ("127.0.0.1:1", "http://127.0.0.1:1", 101),
    ("localhost:1", "http://localhost:1", 101),
    ("evil.example:1", "http://evil.example:1", 403),
    ("evil.example:1", None, 101),
    ("rooms.example", "https://rooms.example", 101),
    ("127.0.0.1:1", "http://127.0.0.1:1.evil.example", 403),
    ("127.0.0.1:1", "null", 403),
    ("a b", None, 400),
]


READERS = {
    "127.0.0.1:1": 200,
    "[::1]": 200,
    "localhost": 200,
    "rooms.example": 200,
    "evil.example:1": 403,
}
"""A plain request has no `Origin` where the page has the name that it asks under."""


async def test_whose_pages_may_speak(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--allow-host", "rooms.example")
    async with unharmed(server, dial):
        for host, origin, status in PAGES:
            peer = await RawClient.connect(server)
            headers = [f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket"]
            headers += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {'A' * 22}=="]
            headers += [f"Origin: {origin}"] if origin else []
            peer.send("\r\n".join(["GET /ws/rooms/den HTTP/1.1", *headers, "", ""]).encode())
            async with asyncio.timeout(PATIENCE_S):
                answer = await peer.reader.readline()
            assert answer.split()[1] == str(status).encode(), (host, origin)
            peer.cut()
        for host, status in READERS.items():
            for path in ("/", "/api/rooms", "/healthz"):
                peer = await RawClient.connect(server)
                peer.send(
                    f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
                )
                head, _, body = (await peer.rest()).partition(b"\r\n\r\n")
                assert head.split()[1] == str(status).encode(), (host, path)
                assert (b"--allow-host" in body) == (status == 403)


@pytest.mark.parametrize("at_start", [True, False])
async def test_files_run_out(start_server: StartServer, dial: Dial, at_start: bool) -> None:
    under = ("sh", "-c", 'ulimit -n 64 && exec "$0" "$@"') if at_start else ()
    server = await start_server("--max-connections-per-address", "500", under=under)
    async with unharmed(server, dial) as canary:
        if not at_start:  # it believes that it has many more
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        crowd = [await RawClient.connect(server) for _ in range(100)]
        await canary.sings_on()
        answers = await asyncio.gather(
            *(peer.upgrade(server, "crowd") for peer in crowd), return_exceptions=True
        )
        assert 101 in answers
        assert [answer for answer in answers if answer != 101]
        await canary.sings_on()
        for peer in crowd:
            peer.cut()
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    newcomer = await canary.visit(server, "after")
                except (InvalidStatus, InvalidMessage, OSError):
                    await canary.sings_on(1)
                else:
                    break
        await newcomer.join()


async def test_json_that_means_harm(server: ServerProcess, dial: Dial) -> None:
    marker = "zqxjvk"
    frames = [
        "[" * 4000,
        '{"a":' * 800,
        '{"type":"play","game":1,"ply":0,"cell":' + "9" * 4000 + "}",
        '{"type":"play","game":' + "9" * 400 + "e" + "9" * 400 + ',"ply":0,"cell":1}',
        '{"type":"leave","type":"leave"}',
        '{"type":"say","text":"\\ud800"}',
        json.dumps({"type": "leave", **{f"{marker}{n}": n for n in range(200)}}),
        json.dumps({"type": "join", "settings": {f"{marker}{n}": n for n in range(200)}}),
        json.dumps({"type": marker * 600}),
        json.dumps({"type": "say", "text": marker * 600}),
        '{"type":"leave","id":null}',
        '{"type":"join","settings":{"grace_s":Infinity}}',
    ]
    async with unharmed(server, dial) as canary:
        eve = await canary.visit(server, "json")
        for sent in frames:
            await eve.socket.send(sent)
            refused = await eve.until("refused")
            assert refused["code"] in ("bad_json", "bad_command", "not_joined")
            assert len(refused["reason"]) < 130
            assert marker not in json.dumps(refused)
        await eve.join(name="eve")


NAMES = ["", " ", "\x1b[31mred", "a\nb", "\u202eada", "a\u200bda", "\u3164", "\u2800\u2800"]
NAMES += ["a\u0301\u0302\u0303", "ad\ufe0fa", "\U000e0041da", "\u00adada", "a\x00", "\u2066ada"]


async def test_names_and_chat_that_mean_harm(server: ServerProcess, dial: Dial) -> None:
    async with unharmed(server, dial) as canary:
        ada, eve = await canary.visit(server, "talk"), await canary.visit(server, "talk")
        await ada.join(name="ada")
        for name in NAMES:
            refused = await eve.refusal("join", name=name, role="spectator")
            assert refused["code"] == "bad_command"
            assert refused["reason"].isprintable()
        await eve.join(name="ada", role="spectator")
        await eve.send("say", text="\x1b]0;owned\x07\x1b[2Jhe\u202e\u200bllo\n" + "\u0301" * 90)
        said = await ada.until("said")
        assert (said["name"], said["role"]) == ("ada 2", "spectator")
        assert said["text"] == "hello \u0301\u0301"
