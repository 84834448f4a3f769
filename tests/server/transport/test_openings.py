"""A request is read as the library reads it, and answered with the same lines."""

import re

import pytest
from websockets.client import ClientProtocol
from websockets.http11 import Request
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from ttt_protocol.state import SUBPROTOCOL
from ttt_server.limits.rates import TokenBucket
from ttt_server.transport.websocket import WebSocketProtocol, read_opening

KEY = "x3JJHMbDL1EzLkh9GBhXDw=="
HEADERS = {
    "Host": "here:8765",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
}


def said(path: str = "/ws/rooms/den", **headers: str | None) -> bytes:
    """A request with these headers, `_` for `-`; one that is `None` is left out."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in (HEADERS | named).items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")


def as_the_library(data: bytes) -> tuple[Request, bytes]:
    """What it reads, and how it answers."""
    library = WebSocketProtocol(4096, TokenBucket(1, 1, now=0))
    request, behind = library.read_request(data)
    assert request is not None
    assert not behind
    return request, library.accept(request).serialize()


GOOD = [
    said(),
    said(Sec_WebSocket_Protocol=SUBPROTOCOL),
    said(Sec_WebSocket_Protocol=f"chat, {SUBPROTOCOL}"),
    said(Connection="keep-alive, Upgrade", Origin="http://here:8765"),
    said(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"),
    said("/ws/rooms/Den-7", X_Forwarded_For=" \t203.0.113.7 ", Accept="\xff"),
    said("/ws/rooms/den?x=%20&y"),
    said(X_Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA=="),
    said(Content_Length="0"),
]


@pytest.mark.parametrize("data", GOOD)
def test_it_is_the_same(data: bytes) -> None:
    for _ in range(2):  # the first, and one like it
        ours = read_opening(data)
        theirs, answer = as_the_library(data)
        assert ours is not None
        read = ours.request
        del theirs.headers["Sec-WebSocket-Key"]
        assert read == theirs
        assert list(read.headers.raw_items()) == list(theirs.headers.raw_items())
        assert lines(ours.acceptance) == lines(answer)


def lines(answer: bytes) -> list[bytes]:
    """Sort the lines of an answer; the date is that of a second."""
    undated = re.sub(rb"Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT", b"Date", answer)
    first, *rest = undated.split(b"\r\n")
    return [first, *sorted(rest)]


def test_an_answer_ends_with_an_empty_line() -> None:
    opening = read_opening(said())
    assert opening is not None
    assert opening.acceptance.endswith(b"\r\n\r\n")
    assert opening.acceptance.count(b"\r\n\r\n") == 1


def test_requests_differ_in_path_and_key() -> None:
    first = read_opening(said())
    second = read_opening(said("/ws/lobby", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA=="))
    assert first is not None
    assert second is not None
    assert first.request.headers is second.request.headers
    assert second.request.path == "/ws/lobby"
    assert b"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n" in second.acceptance


@pytest.mark.parametrize("subprotocols", [None, [Subprotocol(SUBPROTOCOL)]])
def test_it_opens_the_library_s_own_client(subprotocols: list[Subprotocol] | None) -> None:
    client = ClientProtocol(parse_uri("ws://here/ws/rooms/den"), subprotocols=subprotocols)
    client.send_request(client.connect())
    opening = read_opening(b"".join(client.data_to_send()))
    assert opening is not None
    client.receive_data(opening.acceptance)
    assert client.handshake_exc is None
    assert client.subprotocol == (subprotocols and SUBPROTOCOL)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        said()[:-1],
        said() + b"\x81",
        said() + said(),
        said().replace(b"\r\n", b"\n"),
        said().replace(b"GET", b"HEAD"),
        said().replace(b"1.1", b"1.0"),
        said("http://here/ws/lobby"),
        said("/ws/rooms/a b"),
        said("/ws/rooms/d\u00e9n"),
        said(Host="he\x00re"),
        said(Ho_st="\r\n folded"),
        said(**{"Ho st": "here"}),
        said(Connection=None),
        said(Connection="close"),
        said(Upgrade="h2c"),
        said(Upgrade=None),
        said(Sec_WebSocket_Version="8"),
        said(Sec_WebSocket_Key=None),
        said(Sec_WebSocket_Key="c2hvcnQ="),
        said(sec_websocket_key=KEY),
        said(Sec_WebSocket_Key=None, X_Sec_WebSocket_Key=KEY),
        said(Sec_WebSocket_Protocol="chat"),
        said(Content_Length="1"),
        said(Transfer_Encoding="chunked"),
        said(Cookie="secret"),
        said(authorization="secret"),
        said(Sec_WebSocket_Key=None) + f"Sec-WebSocket-Key: {KEY}\r\n".encode(),
        said(Sec_WebSocket_Key=None) + f"Sec-WebSocket-Key: {KEY}\r\n\r\n".encode(),
        said(**{f"X-{number}": "" for number in range(300)}),
    ],
)
def test_all_else_is_left_to_the_library(data: bytes) -> None:
    assert read_opening(data) is None
