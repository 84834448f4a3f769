"""What is read at once is read as the library reads it, and answered with the same bytes."""

import re
import time

import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import NegotiationError
from websockets.http11 import Request
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from ttt_protocol.state import SUBPROTOCOL
from ttt_server.limits.token_bucket import TokenBucket
from ttt_server.transport.handshake import acceptance, read_upgrade, select_subprotocol
from ttt_server.transport.library import LibraryProtocol

HEADERS = {
    "Host": "here:8765",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def said(path: str = "/ws/rooms/den", **headers: str | None) -> bytes:
    """A request with these headers, `_` for `-`; one that is null is left out."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}" for name, value in (HEADERS | named).items() if value is not None]
    return "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode()


def as_the_library(request: bytes) -> tuple[Request, bytes]:
    """What it reads, and how it answers."""
    library = LibraryProtocol(4096, TokenBucket(1, 1, now=0))
    library.receive(request, 0)
    [read] = library.events_received()
    assert isinstance(read, Request)
    return read, library.accept(read).serialize()


@pytest.mark.parametrize(
    "request_",
    [
        said(),
        said(Sec_WebSocket_Protocol=SUBPROTOCOL),
        said(Connection="keep-alive, Upgrade", Origin="http://here:8765"),
        said(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"),
        said("/ws/rooms/Den-7", X_Forwarded_For=" \t203.0.113.7 ", Accept="\xff"),
        said("/ws/rooms/%20"),
        said("/ws/lobby"),
        said("/ws/rooms/den?x=%20&y"),
        said("/"),
    ],
)
def test_it_is_the_same(request_: bytes) -> None:
    ours = read_upgrade(request_)
    theirs, answer = as_the_library(request_)
    assert ours is not None
    read = ours.request
    assert (read.path, read.method, read.protocol) == (theirs.path, theirs.method, theirs.protocol)
    assert ours.key == theirs.headers.pop("Sec-WebSocket-Key")
    assert list(read.headers.raw_items()) == list(theirs.headers.raw_items())
    undated = re.compile(rb"Date: [^\r]+")
    assert undated.sub(b"", acceptance(ours, time.time())) == undated.sub(b"", answer)


def test_the_headers_of_a_kind_of_client_are_read_once() -> None:
    other = "AAAAAAAAAAAAAAAAAAAAAA=="
    first, second = (
        read_upgrade(said()),
        read_upgrade(said("/ws/rooms/lair", Sec_WebSocket_Key=other)),
    )
    assert first is not None
    assert second is not None
    assert first.request.headers is second.request.headers
    assert (second.request.path, second.key) == ("/ws/rooms/lair", other)


def test_the_answer_is_dated() -> None:
    upgrade = read_upgrade(said())
    assert upgrade is not None
    assert b"\r\nDate: Thu, 01 Jan 1970 00:01:01 GMT\r\n" in acceptance(upgrade, 61.5)


@pytest.mark.parametrize("subprotocols", [None, [Subprotocol(SUBPROTOCOL)]])
def test_the_library_s_own_client_is_usual(subprotocols: list[Subprotocol] | None) -> None:
    client = ClientProtocol(parse_uri("ws://here/ws/rooms/den"), subprotocols=subprotocols)
    client.send_request(client.connect())
    upgrade = read_upgrade(b"".join(client.data_to_send()))
    assert upgrade is not None
    client.receive_data(acceptance(upgrade, 0))
    assert client.handshake_exc is None
    assert client.subprotocol == (subprotocols and SUBPROTOCOL)


@pytest.mark.parametrize(
    "request_",
    [
        said()[:-1],
        said() + b"\x81",
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
        said(sec_websocket_key=HEADERS["Sec-WebSocket-Key"]),
        said(Sec_WebSocket_Protocol="chat"),
        said(Sec_WebSocket_Protocol=f"chat, {SUBPROTOCOL}"),
        said(Origin="http://here", origin="http://there"),
        said(Content_Length="0"),
        said(Transfer_Encoding="chunked"),
        said(Cookie="secret"),
        said(authorization="secret"),
        said(Sec_WebSocket_Key=None) + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        said(Sec_WebSocket_Key=None) + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        said(**{f"X-{number}": "" for number in range(100)}),
        b"",
    ],
)
def test_what_is_not_usual_is_left_to_the_library(request_: bytes) -> None:
    assert read_upgrade(request_) is None


def test_the_subprotocol() -> None:
    ours, other = Subprotocol(SUBPROTOCOL), Subprotocol("ttt.v2")
    assert select_subprotocol([]) is None
    assert select_subprotocol([other, ours]) == ours
    with pytest.raises(NegotiationError):
        select_subprotocol([other])
