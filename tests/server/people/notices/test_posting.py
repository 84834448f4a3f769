import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from tests.hooks import HANG_UP, STALL, Hook
from ttt_server.people.notices.posting import HttpAnswer, NotReached, post


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    async with Hook.serve() as hook:
        yield hook


async def test_a_body_is_posted(hook: Hook) -> None:
    answer = await post(f"{hook.origin}/a/b?c=d", {"X-Of": "ours"}, b'{"x": 1}')
    assert answer == HttpAnswer(200)
    (taken,) = hook.taken
    assert (taken.method, taken.path, taken.body) == ("POST", "/a/b?c=d", b'{"x": 1}')
    assert taken.headers["X-Of"] == "ours"
    assert taken.headers["Host"] == f"127.0.0.1:{hook.port}"
    assert taken.headers["Connection"] == "close"


async def test_an_address_without_a_path_is_the_root(hook: Hook) -> None:
    await post(hook.origin, {}, b"")
    assert hook.taken[0].path == "/"


async def test_a_redirect_is_not_followed(hook: Hook) -> None:
    hook.answers.append(f"307 Temporary Redirect\r\nLocation: {hook.origin}/elsewhere")
    assert (await post(hook.origin, {}, b"")).status == 307
    assert len(hook.taken) == 1


async def test_a_server_says_how_long_to_wait(hook: Hook) -> None:
    hook.answers.append("429 Too Many Requests\r\nretry-after:  7 ")
    assert await post(hook.origin, {}, b"") == HttpAnswer(429, "7")


@pytest.mark.parametrize("answer", [HANG_UP, "what?", "x\r\n" * 9000])
async def test_what_is_no_answer_is_told(hook: Hook, answer: str) -> None:
    hook.answers.append(answer)
    with pytest.raises(NotReached):
        await post(hook.origin, {}, b"")


async def test_something_else_than_a_web_server_is_told() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example.org ESMTP\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotReached, match="not a web server"):
            await post(f"http://127.0.0.1:{port}/", {}, b"")


async def test_a_stall_ends(hook: Hook) -> None:
    hook.answers.append(STALL)
    with pytest.raises(NotReached, match="timed out"):
        await post(hook.origin, {}, b"", timeout_s=0.05)


async def test_a_closed_port_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(NotReached):
        await post(f"http://127.0.0.1:{port}/", {}, b"")


async def test_a_plain_server_speaks_no_tls(hook: Hook) -> None:
    with pytest.raises(NotReached):
        await post(f"https://127.0.0.1:{hook.port}/", {}, b"", timeout_s=5)


@pytest.mark.parametrize(
    ("retry_after", "wait_s"),
    [
        ("", None),
        ("0", 0),
        ("120", 120),
        ("99999999999999", 604_800),
        ("999999", 604_800),
        ("-1", None),
        ("soon", None),
        ("²", None),
        ("Fri, 15 Jan 2027 08:00:30 GMT", 30),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0),
        ("Fri, 15 Jan 2099 07:00:00 GMT", 604_800),
    ],
)
def test_a_wait_is_seconds_or_a_date(retry_after: str, wait_s: float | None) -> None:
    assert HttpAnswer(429, retry_after).wait_s(1_800_000_000) == wait_s
