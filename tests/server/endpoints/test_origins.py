from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from ttt_server.endpoints.origins import OriginPolicy, in_origin_form, is_loopback
from ttt_server.transport.responses import HttpError

FRIEND = "https://friend.example"
PUBLIC = OriginPolicy(origins=frozenset({FRIEND}))
LOCAL = OriginPolicy(origins=frozenset({FRIEND}), hosts=frozenset({"rooms.example"}), is_local=True)


def request(*headers: tuple[str, str], protocol: str = "HTTP/1.1") -> Request:
    return Request("/ws/rooms/den", Headers(list(headers)), "GET", protocol)


def page(origin: str, host: str = "rooms.example:8765") -> Request:
    return request(("Host", host), ("Origin", origin))


def rejected(
    visitors: OriginPolicy, asked: Request, *, is_proxied: bool = False
) -> HTTPStatus | None:
    try:
        visitors.check_host(asked)
        visitors.check_origin(asked, is_proxied=is_proxied)
    except HttpError as error:
        return error.status
    return None


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("rooms.example", "rooms.example"),
        ("Rooms.Example:8765", "rooms.example"),
        ("127.0.0.1:8765", "127.0.0.1"),
        ("[::1]:8765", "[::1]"),
        ("my_host", "my_host"),
    ],
)
def test_a_host(host: str, name: str) -> None:
    assert PUBLIC.check_host(request(("Host", host))) == name


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["a", "a"],
        ["a", "b"],
        ["a b"],
        ["a,b"],
        ["a/b"],
        ["user@a"],
        ["a:"],
        ["a:port"],
        ["a:123456"],
        ["::1"],
        ["[::1"],
        ["ä"],
    ],
)
def test_no_host(hosts: list[str]) -> None:
    with pytest.raises(HttpError) as caught:
        PUBLIC.check_host(request(*(("Host", host) for host in hosts)))
    assert caught.value.status is HTTPStatus.BAD_REQUEST


def test_http_1_0_needs_no_host() -> None:
    assert PUBLIC.check_host(request(protocol="HTTP/1.0")) == ""
    LOCAL.check_origin(request(protocol="HTTP/1.0"))


@pytest.mark.parametrize(
    "origin", ["http://rooms.example:8765", "https://rooms.example:8765", FRIEND]
)
@pytest.mark.parametrize("visitors", [PUBLIC, LOCAL])
def test_our_own_page_and_friends_may_connect(visitors: OriginPolicy, origin: str) -> None:
    assert rejected(visitors, page(origin)) is None


@pytest.mark.parametrize("visitors", [PUBLIC, LOCAL])
@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://rooms.example",
        "http://rooms.example:8765.evil.example",
        "http://rooms.example:8765/",
        "HTTP://ROOMS.EXAMPLE:8765",
        "http://friend.example",
        "https://friend.example.evil.example",
        "https://notfriend.example",
        "https://Friend.example",
        "ftp://rooms.example:8765",
    ],
)
def test_a_foreign_page_may_not(visitors: OriginPolicy, origin: str) -> None:
    assert rejected(visitors, page(origin)) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    ("host", "origin", "is_own"),
    [
        ("rooms.example:443", "https://rooms.example", True),
        ("rooms.example:80", "http://rooms.example", True),
        ("rooms.example:80", "https://rooms.example", False),
        ("rooms.example:443", "http://rooms.example", False),
        ("rooms.example:8443", "https://rooms.example", False),
    ],
)
def test_a_proxy_may_name_the_port_that_an_origin_leaves_out(
    host: str, origin: str, *, is_own: bool
) -> None:
    assert (rejected(PUBLIC, page(origin, host)) is None) is is_own


@pytest.mark.parametrize("second", ["https://evil.example", "http://rooms.example:8765", FRIEND])
def test_a_page_has_one_origin(second: str) -> None:
    asked = page("http://rooms.example:8765")
    asked.headers["Origin"] = second
    assert rejected(PUBLIC, asked) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("host", ["evil.example:8765", "localhost.evil.example", "127.0.0.1.evil"])
def test_a_name_that_leads_here_from_elsewhere(host: str) -> None:
    asked = page(f"http://{host}", host)
    assert rejected(LOCAL, asked) is HTTPStatus.FORBIDDEN
    assert rejected(LOCAL, asked, is_proxied=True) is None
    assert rejected(PUBLIC, asked) is None
    assert rejected(LOCAL, request(("Host", host))) is None


@pytest.mark.parametrize(
    "host",
    ["localhost:8765", "Localhost", "a.localhost", "127.0.0.1:8765", "[::1]:8765", "10.0.0.9"],
)
def test_names_that_nobody_else_has(host: str) -> None:
    assert rejected(LOCAL, page(f"http://{host}", host)) is None


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - it is asked about, not bound
        ("::", False),
        ("192.168.1.5", False),
        ("rooms.example", False),
    ],
)
def test_where_only_this_machine_reaches(host: str, is_local: bool) -> None:
    assert is_loopback(host) == is_local


@pytest.mark.parametrize(
    ("host", "is_answered"),
    [
        ("localhost:8765", True),
        ("rooms.localhost", True),
        ("127.0.0.1:8765", True),
        ("[::1]:8765", True),
        ("192.0.2.7", True),
        ("rooms.example", True),
        ("evil.example:8765", False),
    ],
)
def test_a_plain_request_names_the_server(host: str, is_answered: bool) -> None:
    asked = request(("Host", host))
    PUBLIC.check_name(asked)
    LOCAL.check_name(asked, is_proxied=True)
    if is_answered:
        LOCAL.check_name(asked)
    else:
        with pytest.raises(HttpError) as caught:
            LOCAL.check_name(asked)
        assert caught.value.status == HTTPStatus.FORBIDDEN


def test_a_program_of_old_names_no_server() -> None:
    LOCAL.check_name(request(protocol="HTTP/1.0"))


@pytest.mark.parametrize(
    ("target", "host", "path"),
    [
        ("http://rooms.example/api/rooms?x=1", "rooms.example", "/api/rooms?x=1"),
        ("HTTPS://Rooms.Example:8765", "Rooms.Example:8765", "/"),
        ("http://[::1]:80?x", "[::1]:80", "/?x"),
        ("http://a//b", "a", "//b"),
    ],
)
def test_the_host_of_a_whole_url_counts_in_place_of_the_header(
    target: str, host: str, path: str
) -> None:
    sent = Headers([("Accept", "*/*"), ("host", "localhost")])
    asked = in_origin_form(Request(target, sent, "HEAD"))
    assert (asked.path, asked.method) == (path, "HEAD")
    assert list(asked.headers.raw_items()) == [("Accept", "*/*"), ("host", host)]
    assert sent["Host"] == "localhost"
    old = in_origin_form(Request(target, Headers(), "GET", "HTTP/1.0"))
    assert old.headers.get_all("Host") == [host]


@pytest.mark.parametrize("hosts", [[], ["a b"], [""], ["localhost", "localhost"]])
def test_a_whole_url_does_not_make_up_for_a_wrong_header(hosts: list[str]) -> None:
    sent = Headers([("Host", host) for host in hosts])
    with pytest.raises(HttpError) as caught:
        PUBLIC.check_host(in_origin_form(Request("http://rooms.example/", sent)))
    assert caught.value.status is HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("host", ["", "user@localhost", "evil.example\\@localhost", "a:", "ws://a"])
def test_a_whole_url_with_no_host(host: str) -> None:
    with pytest.raises(HttpError) as caught:
        LOCAL.check_host(in_origin_form(Request(f"http://{host}/", Headers(Host="localhost"))))
    assert caught.value.status is HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("target", ["/", "/http://a/", "*", "", "ws://a/", "http:/a", "ftp://a/"])
def test_any_other_target_is_left(target: str) -> None:
    asked = Request(target, Headers(Host="localhost"))
    assert in_origin_form(asked) is asked
