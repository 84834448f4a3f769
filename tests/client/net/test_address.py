import pytest

from ttt_client.net.address import InvalidAddress, parse_event, parse_room, parse_server


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://example.org:9000", "ws://example.org:9000"),
        ("wss://example.org", "wss://example.org:443"),
        ("ws://example.org", "ws://example.org:80"),
        ("http://example.org:81", "ws://example.org:81"),
        ("https://Example.org/ttt/", "wss://example.org:443/ttt"),
        ("localhost", "ws://localhost:8765"),
        ("localhost:9000", "ws://localhost:9000"),
        ("localhost:9000/ttt", "ws://localhost:9000/ttt"),
        ("[::1]:9000", "ws://[::1]:9000"),
        ("10.0.0.7", "ws://10.0.0.7:8765"),
    ],
)
def test_every_way_to_write_an_address_names_one_server(text: str, url: str) -> None:
    assert parse_server(text).url == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://example.org",
        "ws://",
        "ws://:80",
        "ws://user@example.org",
        "ws://example.org?x=1",
        "ws://example.org#x",
        "example.org:port",
        "example.org:0",
        "example.org:70000",
        "exa mple.org",
        "[::1",
        "h\x1b[2Jst",
    ],
)
def test_what_is_no_address_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidAddress, match="address"):
        parse_server(text)


def test_a_path_prefix_is_kept_in_front_of_the_paths_of_the_server() -> None:
    server = parse_server("https://example.org/ttt")
    assert server.socket("rooms/den") == "wss://example.org:443/ttt/ws/rooms/den"
    assert server.socket("lobby") == "wss://example.org:443/ttt/ws/lobby"
    assert server.socket("lobby?changes=1") == "wss://example.org:443/ttt/ws/lobby?changes=1"
    assert server.socket("play") == "wss://example.org:443/ttt/ws/play"
    assert server.api("rooms/den") == "https://example.org:443/ttt/api/rooms/den"
    assert server.api("rooms/den/games/3") == "https://example.org:443/ttt/api/rooms/den/games/3"


def test_what_is_read_without_a_socket_is_read_over_http() -> None:
    server = parse_server("ws://[::1]:9000")
    assert server.api("rooms/den") == "http://[::1]:9000/api/rooms/den"
    assert server.api("rooms") == "http://[::1]:9000/api/rooms"


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("Den", None),
        ("http://h:1/rooms/den", "h:1"),
        ("https://h/ttt/rooms/Den/?embed#x", "https://h/ttt"),
        ("ws://h:1/ws/rooms/den", "h:1"),
        ("http://h:1/api/rooms/den", "h:1"),
    ],
)
def test_a_room_may_be_named_by_its_address(text: str, server: str | None) -> None:
    assert parse_room(text) == ("den", None if server is None else parse_server(server))


@pytest.mark.parametrize("text", ["http://h:1/den", "http://h:1/rooms/-", "ftp://h/rooms/den"])
def test_an_address_of_something_else_is_no_room(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_room(text)


def test_the_page_of_a_position() -> None:
    server = parse_server("wss://example.org/ttt")
    page = server.explore_page({"rules": "3x3x3", "moves": "b2"})
    assert page == "https://example.org:443/ttt/explore?rules=3x3x3&moves=b2"


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("Friday", None),
        ("http://h/events/friday", "http://h"),
        ("https://h/ttt/events/friday/wall", "https://h/ttt"),
        ("ws://h:1/ws/events/friday", "ws://h:1"),
    ],
)
def test_an_event_is_a_name_or_the_address_of_its_page_or_wall(
    text: str, server: str | None
) -> None:
    assert parse_event(text) == ("friday", None if server is None else parse_server(server))


@pytest.mark.parametrize(
    ("text", "why"),
    [("no_name", "1 to 20 of a-z"), ("http://h/rooms/den", "ends with /events/NAME")],
)
def test_what_is_no_event(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_event(text)


def test_the_places_of_an_event_on_its_server() -> None:
    server = parse_server("ws://h:1/ttt")
    assert server.socket("events/friday") == "ws://h:1/ttt/ws/events/friday"
    assert server.api("events/friday") == "http://h:1/ttt/api/events/friday"
    assert server.event_page("friday") == "http://h:1/ttt/events/friday"
