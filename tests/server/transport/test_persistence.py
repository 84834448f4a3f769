"""Where a plain request ends, and whether another one follows."""

from itertools import product

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ttt_server.transport.persistence import (
    MOST_BEHIND,
    HeadSplitter,
    PlainRequests,
    end_connection,
    is_plain,
    persists,
)

HEAD = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


def request(*connection: str, protocol: str = "HTTP/1.1", **headers: str) -> Request:
    pairs = [*(("Connection", each) for each in connection), *headers.items()]
    return Request("/", Headers(pairs), protocol=protocol)


def response(**headers: str) -> Response:
    return Response(200, "OK", Headers(headers))


@pytest.mark.parametrize(
    ("first", "second"), list(product(range(1, len(HEAD) + 1), [b"", b"\r", b"\r\n\r\n", HEAD]))
)
def test_a_head_ends_where_its_empty_line_does(first: int, second: bytes) -> None:
    pieces = HEAD[:first], HEAD[first:] + second
    splitter = HeadSplitter()
    split = [splitter.split(piece) for piece in pieces if piece]
    if first == len(HEAD):
        assert split[0] == (HEAD, b"")
    else:
        assert b"".join(head for head, _ in split) == HEAD
        assert split[-1][1] == second


def test_a_head_may_come_byte_by_byte() -> None:
    splitter = HeadSplitter()
    split = [splitter.split(bytes([byte])) for byte in HEAD]
    assert b"".join(head for head, _ in split) == HEAD
    assert not any(behind for _, behind in split)


@pytest.mark.parametrize(
    ("asked", "is_kept"),
    [
        (request(), True),
        (request("keep-alive"), True),
        (request("close"), False),
        (request("Close"), False),
        (request("te, close"), False),
        (request("te", "close"), False),
        (request("closed"), True),
        (request(protocol="HTTP/1.0"), False),
        (request("keep-alive", protocol="HTTP/1.0"), False),
        (request("Upgrade", Upgrade="h2c"), False),
    ],
)
def test_whether_another_request_may_follow(asked: Request, is_kept: bool) -> None:
    assert persists(asked) is is_kept
    requests = PlainRequests()
    requests.begin(asked)
    assert requests.may_follow(response()) is is_kept
    assert requests.may_begin is is_plain(asked)
    assert not requests.may_follow(response(Connection="close"))


def test_no_request_follows_the_last() -> None:
    requests = PlainRequests()
    requests.begin(request())
    requests.end()
    assert not requests.may_follow(response())
    requests.begin(request())
    assert not requests.may_follow(response())


def test_what_comes_before_the_answer_is_kept() -> None:
    requests = PlainRequests()
    requests.begin(request())
    assert requests.hold(b"\r\n\r\nGET /")
    assert requests.hold(b" HT")
    assert requests.next(b"TP") == b"GET / HTTP"
    assert not requests.may_begin, "until it is read, nothing is behind it"
    assert requests.next(b"\r\n") == b""


def test_no_more_is_kept_than_a_client_would_send() -> None:
    requests = PlainRequests()
    assert requests.hold(bytes(MOST_BEHIND))
    assert not requests.hold(b"x")


def test_a_response_says_once_that_it_is_the_last() -> None:
    last, switching = response(), response(Connection="Upgrade")
    for _ in range(2):
        end_connection(last)
        end_connection(switching)
    assert last.headers.get_all("Connection") == ["close"]
    assert switching.headers.get_all("Connection") == ["Upgrade"]
