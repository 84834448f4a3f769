import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from socket import socket

import pytest

from ttt_client.net.dial import Rejected, Unreachable
from ttt_client.net.http import fetch

Pages = Callable[[dict[str, bytes | None]], str]
MakeAnswer = Callable[..., bytes]
Listening = Callable[[Callable[[socket], None]], AbstractContextManager[int]]


async def test_what_is_there_comes_as_it_is(pages: Pages, answer: MakeAnswer) -> None:
    url = pages({"/x/api": answer('{"a": "é"}')})
    assert await fetch(f"http://{url}/x/api") == '{"a": "é"}'.encode()


async def test_a_body_in_chunks_is_put_together(pages: Pages) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    url = pages({"/": head + b"2\r\n{}\r\n1\r\n \r\n0\r\n\r\n"})
    assert await fetch(f"http://{url}/") == b"{} "


async def test_a_token_goes_with_the_request(listening: Listening, answer: MakeAnswer) -> None:
    asked: list[bytes] = []

    def keep(peer: socket) -> None:
        asked.append(peer.recv(1 << 16))
        peer.sendall(answer("{}"))

    with listening(keep) as port:
        await fetch(f"http://127.0.0.1:{port}/", token="secret")
        await fetch(f"http://127.0.0.1:{port}/")
    assert b"\r\nAuthorization: Bearer secret\r\n" in asked[0]
    assert b"Authorization" not in asked[1]


@pytest.mark.parametrize("status", [403, 404])
async def test_a_refusal_has_the_words_of_the_server(
    status: int, pages: Pages, answer: MakeAnswer
) -> None:
    refused = answer("not \x1b[31mfor\x1b[m you\n", status, "text/plain; charset=utf-8")
    url = pages({"/": refused})
    with pytest.raises(Rejected) as caught:
        await fetch(f"http://{url}/")
    assert caught.value.words == f"refused: not for you (HTTP {status})"


@pytest.mark.parametrize(("body", "kind"), [("<html>", "text/html"), ("\n", "text/plain")])
async def test_a_refusal_without_a_text_gets_one(
    body: str, kind: str, pages: Pages, answer: MakeAnswer
) -> None:
    url = pages({"/": answer(body, 403, kind)})
    with pytest.raises(Rejected) as caught:
        await fetch(f"http://{url}/")
    assert caught.value.words == "the server does not let this client in (HTTP 403)"


async def test_a_long_refusal_is_cut(pages: Pages, answer: MakeAnswer) -> None:
    url = pages({"/": answer("no" * 10_000, 404, "text/plain")})
    with pytest.raises(Rejected) as caught:
        await fetch(f"http://{url}/")
    assert caught.value.words == f"refused: {'no' * 100} (HTTP 404)"


async def test_a_server_that_cannot_now_is_no_refusal(pages: Pages, answer: MakeAnswer) -> None:
    words = "the store fails\n"
    url = pages({"/": answer(words, 503, "text/plain", **{"Retry-After": "5"})})
    with pytest.raises(Unreachable) as caught:
        await fetch(f"http://{url}/")
    assert caught.value.words == "the server is full or stopping (HTTP 503)"
    assert caught.value.retry_after_s == 5


async def test_no_server_is_unreachable() -> None:
    with pytest.raises(Unreachable) as caught:
        await fetch("http://127.0.0.1:1/")
    assert caught.value.words == "Connection refused"


async def test_a_name_that_is_none() -> None:
    with pytest.raises(Unreachable):
        await fetch("http://no-such-name.invalid/")


@pytest.mark.parametrize("said", [b"", b"hello\r\n\r\n", b"\x00" * 100_000])
async def test_what_is_no_web_server(said: bytes, pages: Pages) -> None:
    url = pages({"/": said})
    with pytest.raises(Unreachable):
        await fetch(f"http://{url}/")


async def test_tls_where_there_is_none(listening: Listening, answer: MakeAnswer) -> None:
    def plain(peer: socket) -> None:
        peer.recv(1)
        peer.sendall(answer("{}"))

    with listening(plain) as port, pytest.raises(Unreachable, match="does not speak TLS"):
        await fetch(f"https://127.0.0.1:{port}/")


async def test_a_proxy_is_not_asked_about_this_machine(
    pages: Pages, answer: MakeAnswer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    url = pages({"/": answer("{}")})
    assert await fetch(f"http://{url}/") == b"{}"
    with pytest.raises(Unreachable, match="Connection refused"):
        await fetch("http://example.invalid/")


async def test_a_silent_server_is_not_waited_for(pages: Pages) -> None:
    url = pages({"/": None})
    with pytest.raises(Unreachable, match="no answer in time"):
        await fetch(f"http://{url}/", timeout_s=0.05)


async def test_it_can_be_cancelled_and_leaves_no_thread_to_wait_for(pages: Pages) -> None:
    url = pages({"/": None})
    task = asyncio.create_task(fetch(f"http://{url}/"))
    await asyncio.sleep(0)  # it begins
    threads = [thread for thread in threading.enumerate() if thread.name == "fetch"]
    assert threads
    assert all(thread.daemon for thread in threads)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
